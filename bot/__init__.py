"""The service: what Slack, the HTTP API, the scheduler and the command line do with interactions."""
