"""Durable interactions: what was asked, decided, claimed and told. Knows no Slack and no HTTP."""
