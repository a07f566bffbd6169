"""A small HTTP client for measuring: one connection that stays open, JSON both ways."""

import asyncio
import json
from typing import Any


class Connection:
    """One person's connection to a server."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def get(self, path: str) -> tuple[int, bytes]:
        return await self._ask("GET", path, b"")

    async def post(self, path: str, content: dict[str, Any]) -> tuple[int, bytes]:
        return await self._ask("POST", path, json.dumps(content).encode())

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def _ask(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer."""
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nContent-Length: {len(body)}\r\n"
        self._writer.write(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        content = await self._reader.readexactly(int(headers.get("content-length", "0")))
        if headers.get("connection") == "close":
            self.close()
        return int(lines[0].split(" ")[1]), content
