"""A PostgreSQL server of the tests' own: made in a temporary folder, stopped and deleted afterwards."""

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)  # Debian's place
SECONDS = 120


class PostgresServer:
    """One server; each database on it is empty when it is asked for."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder, self.programs = folder, programs
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def make(self) -> None:
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "boardzero", "-A", "trust", "-E", "UTF8", "--no-sync")

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='{self.folder}' -c fsync=off"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-l", log, "-w", "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://boardzero@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The URL of a database with nothing in it."""
        name = f"test_{uuid.uuid4().hex[:12]}"
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "boardzero", name)
        return self.url(name)

    def require_password(self, user: str, password: str) -> None:
        """Make a user who has to say it."""
        import psycopg

        rules = self.folder / "data" / "pg_hba.conf"
        rules.write_text(f"host all {user} 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"create role {user} login password '{password}'")
            connection.execute("select pg_reload_conf()")

    def _run(self, program: str, *arguments: str) -> None:
        """PostgreSQL refuses to run as root; then it runs as the user who owns the folder."""
        owner = self.folder.stat()
        as_other = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} if os.geteuid() == 0 else {}
        done = subprocess.run(  # type: ignore[call-overload]
            [str(self.programs / program), *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=(self.folder / "output").open("ab"),
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
            **as_other,
        )
        assert done.returncode == 0, (self.folder / "output").read_text()


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A running server; the test is skipped where PostgreSQL is not installed."""
    pytest.importorskip("psycopg")
    if not FOLDERS:
        pytest.skip("PostgreSQL is not installed (on Debian: apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="boardzero-postgres-"))
    if os.geteuid() == 0:
        import pwd

        names = {entry.pw_name for entry in pwd.getpwall()}
        user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
        os.chown(folder, user.pw_uid, user.pw_gid)
    server = PostgresServer(folder, FOLDERS[0])
    try:
        server.make()
        server.start()
        yield server
        if (folder / "data" / "postmaster.pid").exists():
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
