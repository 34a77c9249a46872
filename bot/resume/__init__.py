"""Handing decisions back to their runs: handlers in this process, signed webhooks, or nothing for those who pull."""

from bot.resume.handlers import Handlers, on_resume
from bot.resume.resumed import Action, Resumed

__all__ = ["Action", "Handlers", "Resumed", "on_resume"]
