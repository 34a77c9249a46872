"""A Postgres of our own for the length of a run: system binaries, a free port, fsync on, gone at the end."""

import asyncio
import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg

_PR_SET_PDEATHSIG = 1
_SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "shared_buffers": "1GB",
    "max_connections": "100",
    "max_wal_size": "4GB",
    "listen_addresses": "127.0.0.1",
    "autovacuum_naptime": "10s",
}


class NoPostgres(Exception):
    """There are no binaries of a Postgres server here."""


class Cluster:
    """A running server. Databases are made from one another: `template`."""

    def __init__(self, port: int) -> None:
        self._port = port

    def url(self, name: str) -> str:
        return f"postgresql://bench@127.0.0.1:{self._port}/{name}"

    async def create(self, name: str, *, template: str | None = None) -> str:
        connection = await asyncpg.connect(self.url("postgres"))
        try:
            made_from = "" if template is None else f' TEMPLATE "{template}"'
            await connection.execute(f'CREATE DATABASE "{name}"{made_from}')
        finally:
            await connection.close()
        return self.url(name)

    async def version(self) -> str:
        connection = await asyncpg.connect(self.url("postgres"))
        try:
            return str(await connection.fetchval("SHOW server_version")).split()[0]
        finally:
            await connection.close()


def binaries() -> Path:
    """Raises NoPostgres."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path is None:
        raise NoPostgres("no initdb in /usr/lib/postgresql/*/bin or on the path")
    return Path(on_path).resolve().parent


@asynccontextmanager
async def cluster() -> AsyncIterator[Cluster]:
    """Raises NoPostgres."""
    at = binaries()
    with tempfile.TemporaryDirectory(prefix="bench-pg-", ignore_cleanup_errors=True) as folder:
        owner = _owner()
        if owner is not None:
            os.chown(folder, owner, -1)
        data = Path(folder) / "data"
        making = [at / "initdb", "-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
        subprocess.run(making, check=True, stdout=subprocess.DEVNULL, user=owner, cwd=folder)
        port = _free_port()
        given = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        with (Path(folder) / "log").open("wb") as log:
            process = subprocess.Popen(
                [at / "postgres", "-D", data, "-p", str(port), "-k", folder, *given],
                stdout=log,
                stderr=log,
                user=owner,
                cwd=folder,
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )
        try:
            running = Cluster(port)
            await _answers(running, process)
            yield running
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


async def _answers(running: Cluster, process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        if process.poll() is not None:
            raise NoPostgres(f"postgres ended with {process.returncode}")
        try:
            await running.version()
        except (OSError, asyncpg.PostgresError):
            await asyncio.sleep(0.1)
        else:
            return
    raise NoPostgres("postgres did not answer within 30 seconds")


def _owner() -> int | None:
    """Postgres refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    raise NoPostgres("no user postgres or nobody to run it as")


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def _die_with_parent() -> None:
    """However this run ends, the server does too."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
