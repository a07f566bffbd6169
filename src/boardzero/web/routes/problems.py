"""What goes wrong, as answers: one sentence, and the status that fits."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from boardzero.errors import BadInput
from boardzero.web.describing.models import Problem
from boardzero.web.game_log import LogDown
from boardzero.web.learning.keeper import AlreadyTraining
from boardzero.web.live.table import Stale
from boardzero.web.thinking.jobs import Busy

RETRY_SECONDS = "3"
MEANINGS = {
    400: "What was asked cannot be done; the sentence says why",
    401: "The token is missing",
    403: "The request came from another site, or the server is called by a foreign name",
    404: "There is no such thing",
    409: "Something else happened meanwhile",
    411: "The request does not say how long it is",
    413: "The request is too large",
    422: "A field is missing or of the wrong kind",
    503: "The server is busy; try again in a few seconds",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": meaning} for status, meaning in MEANINGS.items()
}


class NotFound(Exception):
    """There is nothing with this id."""


def problem(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse(Problem(error=sentence).model_dump(), status, headers)


def refuse(application: FastAPI, kind: type[Exception], status: int, headers: dict[str, str] | None = None) -> None:
    """Answer an exception, whose message is a sentence, with this status."""

    async def answer(_: Request, error: Exception) -> JSONResponse:
        return problem(status, str(error), headers)

    application.add_exception_handler(kind, answer)


def install(application: FastAPI) -> None:
    """Answer every refusal with a sentence."""
    for kind, status in ((BadInput, 400), (NotFound, 404), (Stale, 409), (AlreadyTraining, 409)):
        refuse(application, kind, status)
    for busy in (Busy, LogDown):
        refuse(application, busy, 503, {"Retry-After": RETRY_SECONDS})
    application.add_exception_handler(RequestValidationError, _invalid)
    application.add_exception_handler(HTTPException, _http)
    application.add_exception_handler(Exception, _failed)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"][1:]) or "the request's body"
    return problem(422, f"{name}: {first['msg']}.")


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    sentences = {404: "There is nothing at this address.", 405: f"{request.method} is not possible at this address."}
    return problem(error.status_code, sentences.get(error.status_code, str(error.detail)), dict(error.headers or {}))


async def _failed(_: Request, error: Exception) -> JSONResponse:
    return problem(500, f"The server failed ({type(error).__name__}); that is a mistake in boardzero.")
