"""What others offer for the same job, each in its own way, run by `.venv/peers`. Nothing here imports ours."""
