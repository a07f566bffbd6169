"""Lines in, answers out: over standard input and output, over a socket, or over lists in a test."""

import os
import queue
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from boardzero.players.engine_lines import Stream, lines_with_moments

HOST = "127.0.0.1"  # engines listen to this machine only


class Session(Protocol):
    """One conversation in some protocol."""

    def take(self, line: str, moment: float) -> bool:
        """Do what a line says, which came at this moment (time.perf_counter); False ends the conversation."""

    def overhear(self, line: str | None) -> None:
        """Called by another thread as soon as a line has come (None: no more will), while the last is still being answered."""

    def close(self) -> None:
        """Let go of threads and players."""


Answer = Callable[[str], None]  # sends an answer of one or more lines


class OutputClosed(Exception):
    """Nobody reads the answers any more."""


def converse(session: Session, stream: Stream) -> None:
    """Lead a conversation to its end."""
    lines: queue.SimpleQueue[tuple[str, float] | None] = queue.SimpleQueue()

    def read() -> None:
        with suppress(OSError, ValueError):
            for content, moment in lines_with_moments(stream):
                line = content.decode(errors="replace").strip("\r\n\0 \t")  # however it is encoded
                session.overhear(line)
                lines.put((line, moment))
        session.overhear(None)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    try:
        while (entry := lines.get()) is not None:
            if not session.take(*entry):
                return
    except OutputClosed:
        return
    finally:
        session.close()


def converse_on_standard_streams(new_session: Callable[[Answer], Session]) -> None:
    """The process ends here: a search that nobody waits for must not keep it."""
    output = sys.stdout.buffer

    def answer(text: str) -> None:
        try:
            output.write(text.encode() + b"\n")
            output.flush()
        except (OSError, ValueError):
            raise OutputClosed from None

    converse(new_session(answer), sys.stdin.buffer)
    os._exit(0)


def listen(new_session: Callable[[Answer], Session], port: int, on_ready: Callable[[int], None]) -> None:
    """Lead a conversation with everyone who connects, until interrupted; port 0 takes any that is free."""
    with socket.create_server((HOST, port)) as server:
        on_ready(server.getsockname()[1])
        while True:
            connection, _ = server.accept()
            threading.Thread(target=_converse_on_socket, args=(new_session, connection), daemon=True).start()


def _converse_on_socket(new_session: Callable[[Answer], Session], connection: socket.socket) -> None:
    def answer(text: str) -> None:
        try:
            connection.sendall(text.encode() + b"\n")
        except OSError:
            raise OutputClosed from None

    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection, connection.makefile("rb") as stream:
        converse(new_session(answer), stream)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)  # ends the reading of the other thread, which closing would wait for
