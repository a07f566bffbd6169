"""The application: routes, refusals and the guard before them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from starlette.types import ASGIApp

from boardzero.web import api_page, files
from boardzero.web.events import EventStreams
from boardzero.web.routes import games, log, positions, problems, runs, status, study
from boardzero.web.security import Guard
from boardzero.web.services import ServerSettings, Services

ABOUT = 'Play, study and train board games. Every refusal is `{"error": "One sentence."}`.'


def create_application(settings: ServerSettings, streams: EventStreams | None = None) -> ASGIApp:
    """All of the server, ready to be run; whoever gives the streams can end them."""
    return Guard(create_api(settings, streams or EventStreams()), settings.token, settings.hosts, settings.beyond_loopback)


def create_api(settings: ServerSettings, streams: EventStreams) -> FastAPI:
    """The same without the guard."""

    @asynccontextmanager
    async def lifespan(application: FastAPI) -> AsyncIterator[None]:
        services = application.state.services = Services(settings, streams)
        services.warm_up()
        recovering = asyncio.create_task(services.hall.recover())
        yield
        recovering.cancel()
        services.close()

    application = FastAPI(
        title="boardzero",
        version=version("boardzero"),
        description=ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,  # FastAPI's own pages load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    problems.install(application)
    for module in (status, positions, games, study, log, runs):
        application.include_router(module.router)
    application.include_router(api_page.router)
    application.include_router(files.router)
    return application
