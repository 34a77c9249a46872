"""`python -m bot` is `signoff-bot`."""

from bot.cli import main

main()
