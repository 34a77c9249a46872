"""What a run installs: ask people through Signoff, wait, claim, report."""
