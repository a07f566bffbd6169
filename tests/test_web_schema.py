"""The whole API against its own OpenAPI document: whatever is sent, the answer is one that the document promises."""

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from web_servers import settings_in

from boardzero.web.application import create_api, create_application
from boardzero.web.events import EventStreams
from boardzero.web.learning import keeper
from boardzero.web.serving import configuration, listen_at

TRAINING = """
import json, pathlib, sys, time
path = pathlib.Path(sys.argv[sys.argv.index("--run") + 1] if sys.argv[1] == "train" else sys.argv[2])
path.mkdir(parents=True, exist_ok=True)
(path / "settings.json").write_text(json.dumps({"game": "tictactoe", "minutes": 1}))
time.sleep(600)
"""  # a training that makes its folder and learns nothing
STREAMS = ("/api/analysis", "/api/review")
document = schemathesis.openapi.from_dict(create_api(settings_in(Path("unused")), EventStreams()).openapi())


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real server, in a thread; only its trainings are not real."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keeper, "COMMAND", (sys.executable, "-c", TRAINING))
        listening = listen_at("127.0.0.1", 0)
        server = uvicorn.Server(configuration(create_application(settings_in(tmp_path_factory.mktemp("web")))))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()


@document.exclude(path_regex="/events$").parametrize()
@settings(max_examples=15, deadline=None, phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck))
def test_every_answer_is_one_that_the_document_promises(case: schemathesis.Case[Any], address: str) -> None:
    if case.path in STREAMS and not isinstance(case.query.get("seconds"), str):
        case.query["seconds"] = 0.05  # the longest analyses would say the same
    if "beyond" in case.query:
        case.query["wait"] = 0
    if isinstance(case.query.get("moves"), str):
        case.query["moves"] = case.query["moves"][:2000]  # written as an address even this may be ten times as long
    answer = case.call(base_url=address, timeout=120)
    assert answer.status_code < 500, answer.text
    case.validate_response(
        answer,
        checks=[
            not_a_server_error,
            status_code_conformance,
            content_type_conformance,
            response_schema_conformance,
        ],
    )
