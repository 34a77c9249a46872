"""The Slack side: what arrives from Slack and what is sent to it."""
