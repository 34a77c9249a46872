"""A Slack workspace that runs on your machine: Web API, signed deliveries, Socket Mode, and a page to click on.

It imports nothing of the bot: a bot cannot tell it from Slack, only `SLACK_API_URL` differs.
"""
