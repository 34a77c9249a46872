"""The use cases, one noun per file; `bot.service` is all of them. None knows Slack, HTTP or SQL."""
