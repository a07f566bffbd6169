"""Workers that play without a pause: no game is lost, and networks come and go."""

import contextlib
import time
from collections.abc import Callable

import pytest
from selfplay_helpers import QUICK, opinionated

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.replay.record import SelfPlayGame
from boardzero.search.forest import Evaluator
from boardzero.selfplay.continuous import ContinuousSelfPlay
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.settings.search import SearchSettings


def continuous(evaluator_of: Callable[[int], Callable[[], Evaluator]], workers: int = 2) -> ContinuousSelfPlay:
    game = find_game("tictactoe")
    playing = [SelfPlayWorker(game, QUICK, SearchSettings(), 5, number, workers) for number in range(workers)]
    return ContinuousSelfPlay(playing, evaluator_of, 0, 0.0)


def take_until_failure(play: ContinuousSelfPlay, games: list[SelfPlayGame]) -> None:
    while True:
        games += play.finished()
        time.sleep(0.01)


def test_a_failing_worker_costs_no_game_of_the_others() -> None:
    """What has ended is handed over first, then the failure is heard, although the others would play on for ever."""
    game, made = find_game("tictactoe"), iter(range(100))

    def evaluator() -> Evaluator:
        if next(made) == 0:
            return opinionated(game)
        time.sleep(0.5)
        raise BadInput("It is broken.")

    play, games = continuous(lambda generation: evaluator), list[SelfPlayGame]()
    with pytest.raises(BadInput, match="broken"):
        take_until_failure(play, games)
    play.close()
    with contextlib.suppress(BadInput):
        games += play.finished()
    assert games and len(games) == sum(worker.counts.games for worker in play._workers)


def test_a_network_that_was_forgotten_before_it_could_be_read_is_passed_over() -> None:
    game, read = find_game("tictactoe"), list[int]()

    def evaluator_of(generation: int) -> Callable[[], Evaluator]:
        def make() -> Evaluator:
            read.append(generation)
            if generation == 1:
                play.use(2, 0.5)  # training is so fast that a newer one is there already
                raise BadInput("There is no such file.")
            return opinionated(game)

        return make

    play = continuous(evaluator_of, workers=1)
    play.use(1, 0.5)
    while 2 not in read:
        play.finished()
        time.sleep(0.01)
    play.close()
    assert read[-2:] == [1, 2]
    play.finished()


def test_searches_grow_while_the_same_network_goes_on_playing() -> None:
    made = list[int]()

    def evaluator_of(generation: int) -> Callable[[], Evaluator]:
        made.append(generation)
        return lambda: opinionated(find_game("tictactoe"))

    play = continuous(evaluator_of, workers=1)
    (worker,) = play._workers
    worker.settings = worker.settings.model_copy(update={"growth": 2.0})
    play.use(0, 1.0)
    play.close()
    assert worker._cap.full_simulations == 2 * QUICK.cap.full_simulations
    assert made == [0]  # nothing was read anew
