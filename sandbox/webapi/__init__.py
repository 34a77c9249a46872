"""Slack's Web API: `/api/<method>`. `methods` is the table; each family has its own module."""
