"""`python -m signoff.cli`."""

from signoff.cli import main

main(prog_name="signoff")
