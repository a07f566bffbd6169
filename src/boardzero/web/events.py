"""Server-sent events: a stream of named JSON messages that a browser listens to."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Sequence
from typing import Any

from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from boardzero.errors import BadInput
from boardzero.web.limits import MOST_LISTENERS
from boardzero.web.thinking.jobs import Busy

HEARTBEAT_SECONDS = 10.0
RETRY = "retry: 2000\n\n"
HEARTBEAT = ": still here\n\n"

Message = tuple[str, BaseModel | dict[str, Any]]


class TooManyListeners(Busy):
    """No further stream can be opened."""


class SourceEnded(Exception):
    """There is no further message. (A task cannot end with StopAsyncIteration.)"""


class EventStreams:
    """Counts the open streams and ends them all when the server stops."""

    def __init__(self) -> None:
        self.open = 0
        self._closing = asyncio.Event()

    def close(self) -> None:
        self._closing.set()

    async def unless_closing(self, waiting: Coroutine[Any, Any, None]) -> None:
        """Wait for something, but no longer than the server runs."""
        task, closing = asyncio.ensure_future(waiting), asyncio.ensure_future(self._closing.wait())
        await asyncio.wait((task, closing), return_when=asyncio.FIRST_COMPLETED)
        for each in (task, closing):
            each.cancel()
        await asyncio.gather(task, closing, return_exceptions=True)

    def answer(self, messages: AsyncIterator[Message]) -> StreamingResponse:
        """A response that sends these messages as they come, a sign of life in between, and `end` after the last."""
        if self.open >= MOST_LISTENERS:
            raise TooManyListeners(f"{MOST_LISTENERS} listeners are connected already; try again later.")
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._text(messages), media_type="text/event-stream", headers=headers)

    async def _text(self, messages: AsyncIterator[Message]) -> AsyncIterator[str]:
        self.open += 1
        closing = asyncio.ensure_future(self._closing.wait())
        following: asyncio.Future[Message] = asyncio.ensure_future(_next(messages))
        try:
            yield RETRY
            while True:
                await asyncio.wait((following, closing), timeout=HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                if closing.done():
                    return
                if not following.done():
                    yield HEARTBEAT
                    continue
                try:
                    name, data = following.result()
                except SourceEnded:
                    break
                except (BadInput, Busy) as error:
                    yield to_text("trouble", {"error": str(error)})
                    break
                yield to_text(name, data)
                following = asyncio.ensure_future(_next(messages))
            yield to_text("end", {})
        finally:
            self.open -= 1
            closing.cancel()
            await _end(following, messages)


async def merged(sources: "Sequence[AsyncGenerator[Message, None]]") -> AsyncGenerator[Message, None]:
    """The messages of several sources as they come. Nothing is kept in between: a slow reader makes the sources wait, and
    when it goes they all end."""
    coming = {asyncio.ensure_future(_next(source)): source for source in sources}
    try:
        while coming:
            done, _ = await asyncio.wait(coming, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                source = coming.pop(task)
                try:
                    message = task.result()
                except SourceEnded:
                    continue
                coming[asyncio.ensure_future(_next(source))] = source
                yield message
    finally:
        for task in coming:
            task.cancel()
        await asyncio.gather(*coming, return_exceptions=True)
        for source in sources:
            await source.aclose()


def to_text(name: str, data: BaseModel | dict[str, Any]) -> str:
    content = data.model_dump_json(by_alias=True) if isinstance(data, BaseModel) else json.dumps(data, ensure_ascii=False)
    return f"event: {name}\ndata: {content}\n\n"


async def _next(messages: AsyncIterator[Message]) -> Message:
    try:
        return await anext(messages)
    except StopAsyncIteration:
        raise SourceEnded from None


async def _end(following: "asyncio.Future[Message]", messages: AsyncIterator[Message]) -> None:
    """Let the source tidy up, whichever side ended the stream."""
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)
    close = getattr(messages, "aclose", None)
    if close is not None:
        await close()
