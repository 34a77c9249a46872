"""What stands beside ours: each server is a process of its own."""
