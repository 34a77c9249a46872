"""The command line of runs: `signoff`."""

from signoff.cli.main import main as main
