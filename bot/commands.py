"""What all commands are made of: one sentence for what an operator can mend, and the database, opened once.

Imports lazily: `--help`, and whatever only talks to the database, load no Bolt and no aiohttp.
"""

from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from store.protocol import Store

T = TypeVar("T")


class Command(click.Command):
    """Turns what an operator can mend into one sentence and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception as error:
            from bot.failures import sentence

            words = sentence(error)
            if words is None:
                raise
            raise click.ClickException(words) from error


class Group(click.Group):
    command_class = Command
    group_class = type


TENANT = click.option("--tenant", default="default", show_default=True)


def say(line: str) -> None:
    """Print what runs and people wrote: whatever would steer the terminal, or nobody could see, is made visible."""
    from blocks.visible import visible

    click.echo(visible(line).replace("\n", " ").replace("\t", " "))


def say_all(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)


def run(work: "Coroutine[Any, Any, T]") -> T:
    """Imported here: asyncio alone takes twice as long to load as all that `--help` needs."""
    import asyncio

    return asyncio.run(work)


def with_store(use: "Callable[[Store], Awaitable[T]]", *, makes_file: bool = False) -> T:
    """Open the database, use it once, close it. `makes_file`: of SQLite, and says so; otherwise it has to be there."""
    from bot.settings import HalfConfigured, load_database_settings, missing_file, not_there
    from store.open import open_store

    url = load_database_settings().database_url
    if url.startswith("memory"):
        raise HalfConfigured("DATABASE_URL is memory://, which lives and ends with one process: this command sees none")
    missing = missing_file(url)
    if missing is not None and not makes_file:
        raise HalfConfigured(not_there(missing))

    async def once() -> T:
        store = await open_store(url)
        if missing is not None:
            click.echo(f"made {missing}", err=True)
        try:
            return await use(store)
        finally:
            await store.close()

    return run(once())
