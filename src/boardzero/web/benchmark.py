"""Many people at once: how long they wait for a move, whether every answer is right, and whether the page stays quick."""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.web.http_client import Connection
from boardzero.web.networks import run_id
from boardzero.web.serving import listen_at

COMMAND = (sys.executable, "-c", "from boardzero.cli.main import main; main()", "serve")
GAME = "connect4"
START_SECONDS = 120.0
PAGE_SECONDS = 0.2  # between two looks at the page
MEMORY_SECONDS = 2.0
WAIT_SECONDS = 25  # of a long poll
RUN = "bench"
# What is to be held:
MOVE_SECONDS = 2.0  # the median of a move and its reply
PAGE_ANSWER_SECONDS = 0.05  # the median of the page itself
GROWTH = 2.0  # megabytes a minute, in the second half
JUDGED_SECONDS = 120.0  # shorter than that, memory is still finding its level


@dataclass
class Observed:
    """What all people together saw."""

    moves: list[float] = field(default_factory=list)  # seconds from sending a move to seeing the reply
    pages: list[float] = field(default_factory=list)  # seconds for the page itself
    answers: list[float] = field(default_factory=list)  # … and for a position
    memory: list[float] = field(default_factory=list)  # megabytes
    cpu_seconds: float | None = None  # that the server used
    games: int = 0
    errors: list[str] = field(default_factory=list)


def measure(people: int, simulations: int, seconds: float, think: float) -> dict[str, Any]:
    """Start a server and let people play against it; everything that was seen, in plain values."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        network = _make_network(folder)
        with listen_at("127.0.0.1", 0) as free:
            port = free.getsockname()[1]
        options = ["--runs", str(folder / "runs"), "--live", str(folder / "live"), "--database", str(folder / "log")]
        process = subprocess.Popen([*COMMAND, "--port", str(port), *options], stdout=subprocess.DEVNULL)
        try:
            observed = asyncio.run(_play(port, people, f"alphazero:sims={simulations}{network}", seconds, think, process))
        finally:
            process.terminate()
            process.wait(30)
    return _report(observed, people, simulations, seconds, think, shipped=not network)


async def _play(
    port: int, people: int, machine: str, seconds: float, think: float, process: "subprocess.Popen[bytes]"
) -> Observed:
    observed = Observed()
    await _until_up(port, process)
    await Person(port, machine, Observed(), 0, 0.0).play(time.perf_counter() + 1)  # so that everything is loaded
    used, deadline = cpu_seconds(process.pid), time.perf_counter() + seconds
    tasks = [Person(port, machine, observed, number, think).play(deadline) for number in range(people)]
    await asyncio.gather(*tasks, _watch_page(port, observed, deadline), _watch_memory(port, observed, deadline))
    now_used = cpu_seconds(process.pid)
    observed.cpu_seconds = None if used is None or now_used is None else now_used - used
    return observed


class Person:
    """Plays one game after the other, at random; checks every answer against the rules."""

    def __init__(self, port: int, machine: str, observed: Observed, number: int, think: float) -> None:
        self._connection = Connection("127.0.0.1", port)
        self._machine, self._observed, self._think = machine, observed, think
        self._random = random.Random(number)

    async def play(self, deadline: float) -> None:
        try:
            while time.perf_counter() < deadline:
                await self._play_game(deadline)
        except Exception as error:
            self._observed.errors.append(f"{type(error).__name__}: {error}")
        finally:
            self._connection.close()

    async def _play_game(self, deadline: float) -> None:
        state = await self._ask("/api/games", {"game": GAME, "players": ["human", self._machine]}, 201)
        position = Position(find_game(GAME))
        while not position.over and time.perf_counter() < deadline:
            if self._think:
                await asyncio.sleep(self._random.uniform(0, 2 * self._think))
            move = self._random.choice(position.legal_moves())
            begun = time.perf_counter()
            state = await self._ask(f"/api/games/{state['id']}/moves", {"move": move, "ply": len(position.actions)}, 200)
            while state["thinking"]:
                state = await self._ask(f"/api/games/{state['id']}?beyond={state['version']}&wait={WAIT_SECONDS}", None, 200)
            self._observed.moves.append(time.perf_counter() - begun)
            position.play(move)
            self._check(position, state)
        self._observed.games += position.over

    def _check(self, position: Position, state: dict[str, Any]) -> None:
        """The reply is one legal move, and the board is what the rules make of it."""
        told = state["position"]
        reply = told["moves"].removeprefix(position.moves)
        if not position.over:
            position.play(reply)
        if (told["moves"], told["board"]["text"], told["over"]) != (position.moves, position.board, position.over):
            raise ValueError(f"a wrong answer after {position.moves}: {told['moves']}, trouble '{state['trouble']}'")

    async def _ask(self, path: str, content: dict[str, Any] | None, expected: int) -> Any:
        status, body = await (self._connection.get(path) if content is None else self._connection.post(path, content))
        if status != expected:
            raise ValueError(f"status {status}: {body[:200].decode(errors='replace')}")
        return json.loads(body)


# -- looking on --------------------------------------------------------------------------------------------------------
async def _watch_page(port: int, observed: Observed, deadline: float) -> None:
    connection = Connection("127.0.0.1", port)
    while time.perf_counter() < deadline:
        for path, seen in (("/", observed.pages), ("/api/position?game=connect4&moves=4453", observed.answers)):
            begun = time.perf_counter()
            status, body = await connection.get(path)
            seen.append(time.perf_counter() - begun)
            if status != 200:
                observed.errors.append(f"{path}: status {status}: {body[:200].decode(errors='replace')}")
        await asyncio.sleep(PAGE_SECONDS)
    connection.close()


async def _watch_memory(port: int, observed: Observed, deadline: float) -> None:
    connection = Connection("127.0.0.1", port)
    while time.perf_counter() < deadline:
        _, body = await connection.get("/api/status")
        observed.memory.append(float(json.loads(body)["memory"]))
        await asyncio.sleep(MEMORY_SECONDS)
    connection.close()


async def _until_up(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.perf_counter() + START_SECONDS
    while process.poll() is None and time.perf_counter() < deadline:
        try:
            await Connection("127.0.0.1", port).get("/api/status")
            return
        except OSError:
            await asyncio.sleep(0.2)
    raise BadInput("The server did not start.")


def cpu_seconds(pid: int) -> float | None:
    """What a process has used of the cores so far; None where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return None


def _make_network(folder: Path) -> str:
    """Where no network is shipped, an untrained one of the usual size is played with: it costs the same."""
    from boardzero.network.build import build_network
    from boardzero.network.shipped import shipped_network
    from boardzero.network.weights import save_network
    from boardzero.settings.run import RunSettings
    from boardzero.training.run_folder import RunFolder

    game = find_game(GAME)
    if shipped_network(game) is not None:
        return ""
    settings = RunSettings(game=GAME, minutes=1)
    run = RunFolder(folder / "runs" / RUN)
    run.create(settings)
    save_network(run.network(0), build_network(settings.network, game, 1).eval(), game)
    return f",network={run_id(RUN)}.0"


def _report(observed: Observed, people: int, simulations: int, seconds: float, think: float, shipped: bool) -> dict[str, Any]:
    half = len(observed.memory) // 2
    report: dict[str, Any] = {
        "people": people,
        "simulations": simulations,
        "seconds": seconds,
        "think": think,
        "network": "shipped" if shipped else "untrained, of the usual size",
        "games": observed.games,
        "moves": len(observed.moves),
        "moves_per_second": len(observed.moves) / seconds,
        "move_seconds": _spread(observed.moves),
        "page_seconds": _spread(observed.pages),
        "position_seconds": _spread(observed.answers),
        "memory": {
            "first": observed.memory[0] if observed.memory else None,
            "middle": observed.memory[half] if observed.memory else None,
            "last": observed.memory[-1] if observed.memory else None,
            "most": max(observed.memory, default=None),
            "megabytes_a_minute": growth(observed.memory[half:]),
        },
        "server_cpu_seconds": observed.cpu_seconds,
        "errors": len(observed.errors),
        "error_examples": observed.errors[:5],
    }
    return {**report, "missed": missed_targets(report)}


def growth(memory: list[float]) -> float:
    """How fast it grows, by the straight line through what was seen; 0 where that is too little."""
    if len(memory) < 3:
        return 0.0
    minutes = [index * MEMORY_SECONDS / 60 for index in range(len(memory))]
    return statistics.linear_regression(minutes, memory).slope


def missed_targets(report: dict[str, Any]) -> list[str]:
    """What was not held, a sentence each."""
    missed = []
    moves, pages, memory = report["move_seconds"]["median"], report["page_seconds"]["median"], report["memory"]
    if report["errors"]:
        missed.append(f"There were {report['errors']} errors.")
    if moves is None or moves >= MOVE_SECONDS:
        missed.append(f"Half of all moves took longer than {MOVE_SECONDS:g} s.")
    if pages is None or pages >= PAGE_ANSWER_SECONDS:
        missed.append(f"The page took longer than {1000 * PAGE_ANSWER_SECONDS:g} ms half of the time.")
    if report["seconds"] >= JUDGED_SECONDS and memory["megabytes_a_minute"] > GROWTH:
        missed.append(f"Memory grew by {memory['megabytes_a_minute']:.1f} MB a minute; at most {GROWTH:g} are flat.")
    return missed


def _spread(values: list[float]) -> dict[str, float | None]:
    """Median, 95th of a hundred, and the longest."""
    if not values:
        return {"median": None, "most_of_95_percent": None, "longest": None}
    ordered = sorted(values)
    return {
        "median": statistics.median(ordered),
        "most_of_95_percent": ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))],
        "longest": ordered[-1],
    }
