"""A player: one self-play worker, the same as on one machine, that carries out orders. It knows Ray only by its references."""

import socket
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from boardzero.cluster.game_file import SentGame
from boardzero.cluster.orders import NOTHING, Answer, Lease, Order, SentNetwork
from boardzero.errors import BadInput
from boardzero.games.compiling import compiling_alone
from boardzero.games.rules import Game, Planes
from boardzero.network.evaluator import OnnxEvaluator, preferred_device
from boardzero.network.header import parse_header
from boardzero.network.precision import in_precision
from boardzero.replay.columns import GameColumns
from boardzero.replay.journal import frame_of
from boardzero.replay.record import SelfPlayGame
from boardzero.search.forest import Evaluator, SearchCounts
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.settings.run import RunSettings

if TYPE_CHECKING:
    from boardzero.network.model import Network

WARM_STEPS = 300  # of a game that is played so that everything has been compiled

Fetch = Callable[[Any], bytes]  # gets what a reference stands for


class Player:
    """Carries out orders one after another; `hurry` may be called meanwhile, from another thread."""

    def __init__(self, settings: str, game: SentGame, version_of_driver: str, fetch: Fetch, node: str) -> None:
        """settings: of the run, as JSON; refuses (BadInput) to play for another version of boardzero."""
        check_version(version_of_driver)
        self._settings = RunSettings.model_validate_json(settings)
        self._game, self._game_is_a_file = game.find(), game.text is not None
        self._fetch, self._node = fetch, node
        _compile_alone(self._game, self._settings)
        self._worker: SelfPlayWorker | None = None
        self._lease: Lease | None = None
        self._answers: dict[int, Answer] = {}  # of orders whose games are not in the run's journal yet, as far as it knows
        self._network = (-1, "")  # generation and checksum
        self._evaluate: Evaluator | None = None
        self._phase = self._hurried = 0
        self._processor_seconds = time.process_time()
        self._phase_games = self._phase_positions = 0

    def hurry(self, phase: int) -> None:
        """Answer orders up to this phase at once."""
        self._hurried = max(self._hurried, phase)

    def play(self, order: Order) -> Answer:
        for number in [number for number in self._answers if number <= order.acknowledged]:
            del self._answers[number]
        if order.number not in self._answers:
            self._answers[order.number] = self._carry_out(order)
        return self._answers[order.number]

    # -- one order -------------------------------------------------------------------------------------------------------
    def _carry_out(self, order: Order) -> Answer:
        self._take_lease(order)
        worker, sent = self._worker, order.network
        if worker is None or order.phase < self._phase:
            return self._answer(order, [], NOTHING, 0.0)
        if order.phase > self._phase:
            self._phase, self._phase_games, self._phase_positions = order.phase, 0, 0
            worker.set_share_done(order.share_done)
        if (sent.generation, sent.checksum) != self._network:
            self._evaluate = self._make_evaluator(sent)
            self._network = sent.generation, sent.checksum
        assert self._evaluate is not None
        games: list[SelfPlayGame] = []
        begun, before = time.perf_counter(), worker.forest.counts()

        def finish(game: SelfPlayGame) -> None:
            games.append(game)
            self._phase_games += 1
            self._phase_positions += int(game.learned.sum())

        def is_over() -> bool:
            over = time.perf_counter() - begun > order.seconds or len(games) >= order.most_games
            return over or self._hurried >= order.phase or self._is_at_goal(order)

        worker.run(self._evaluate, sent.generation, finish, is_over)
        after = worker.forest.counts()
        spent = SearchCounts(*(getattr(after, name) - getattr(before, name) for name in SearchCounts.__dataclass_fields__))
        return self._answer(order, games, spent, time.perf_counter() - begun)

    def _take_lease(self, order: Order) -> None:
        """Begin with the numbers of the order, or go on with them; the same lease may come again."""
        lease = order.lease
        if lease is None or (order.renews and self._worker is None):  # the numbers of a life before this one
            return
        if self._worker is None:
            run = self._settings
            self._worker = SelfPlayWorker(self._game, run.selfplay, run.search, run.seed, lease.first)
        elif self._lease is not None and lease.first != self._lease.first:
            self._worker.next_number = lease.first
        self._lease = lease

    def _is_at_goal(self, order: Order) -> bool:
        return order.goal is not None and order.goal.is_reached(self._phase_games, self._phase_positions)

    def _make_evaluator(self, sent: SentNetwork) -> Evaluator:
        """On the GPU that Ray gave to this process, or on one core."""
        if preferred_device() == "cpu" or self._game_is_a_file:  # weights name the file, which need not be on this machine
            evaluator = OnnxEvaluator(in_precision(self._fetch(sent.onnx), self._game, self._settings.selfplay.precision))
            _check_same(parse_header(evaluator.labels, "the network that was sent").checksum, sent)
            return evaluator
        from boardzero.network.evaluator import TorchEvaluator

        return TorchEvaluator(_network_of(self._fetch(sent.weights), sent))

    def _answer(self, order: Order, games: list[SelfPlayGame], counts: SearchCounts, seconds: float) -> Answer:
        columns = GameColumns.from_games(games) if games else None
        before, self._processor_seconds = self._processor_seconds, time.process_time()
        return Answer(
            order=order.number,
            phase=order.phase,
            node=self._node,
            lease=self._lease,
            next_number=self._worker.next_number if self._worker else 0,
            generation=self._network[0],
            checksum=self._network[1],
            frame=frame_of(columns) if columns is not None else b"",
            games=len(games),
            counts=counts,
            seconds=seconds,
            processor_seconds=self._processor_seconds - before,
            at_goal=self._worker is not None and order.phase == self._phase and self._is_at_goal(order),
        )


def check_version(of_driver: str) -> None:
    """Refuse (BadInput) to do anything for another version of boardzero."""
    if version("boardzero") != of_driver:
        raise BadInput(
            f"{socket.gethostname()} has boardzero {version('boardzero')}, the run is of {of_driver}; "
            "install the same version everywhere."
        )


def _compile_alone(game: Game, settings: RunSettings) -> None:
    """Compile what games need, once for all players of this machine."""
    few = settings.selfplay.model_copy(update={"games": 1, "cache": 0})
    moves = 0

    def enough() -> bool:
        nonlocal moves
        moves += 1
        return moves > WARM_STEPS

    with compiling_alone():
        worker = SelfPlayWorker(game, few, settings.search, 0)
        worker.run(lambda planes: _no_opinion(planes, game.action_count), 0, lambda _: None, enough)


def _no_opinion(planes: Planes, actions: int) -> tuple[Planes, Planes]:
    return np.zeros((len(planes), actions), np.float32), np.zeros(len(planes), np.float32)


def _network_of(content: bytes, sent: SentNetwork) -> "Network":
    """The network of a file's bytes."""
    from boardzero.network.weights import SUFFIX, load_network

    with TemporaryDirectory() as folder:
        path = Path(folder) / f"sent{SUFFIX}"
        path.write_bytes(content)
        stored = load_network(path)
    _check_same(stored.header.checksum, sent)
    return stored.network


def _check_same(checksum: str, sent: SentNetwork) -> None:
    """No game may be played by another network than its record says."""
    if checksum != sent.checksum:
        raise BadInput(f"The network of generation {sent.generation} arrived with other weights than were sent.")
