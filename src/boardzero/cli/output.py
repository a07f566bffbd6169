"""What the commands share when they write."""

import json
from typing import Annotated, Any

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Write the answer as JSON.")]


def print_json(answer: Any) -> None:
    print(json.dumps(answer, ensure_ascii=False, indent=2))


def let_interrupt_end_the_process() -> None:
    """Ctrl-C ends a long compiled computation at once; only for commands that write nothing."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
