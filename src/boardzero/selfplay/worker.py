"""One worker: hundreds of games at once in one forest, so that their leaves are evaluated as one batch.

Every game goes on by itself: when its search is complete its move is made and the next search begins, and a finished game is
replaced at once. All random choices of a game follow from the run's seed and the game's number.

lessons/6_alphazero.py explains this.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boardzero.games.randomness import draw_below, draw_uniform, new_stream
from boardzero.games.rules import Game, Outcome
from boardzero.replay.record import SelfPlayGame
from boardzero.search.forest import Evaluator, Forest, Judgement
from boardzero.selfplay.progress import GameInProgress
from boardzero.settings.search import PlayoutCap, SearchSettings
from boardzero.settings.selfplay import SelfPlaySettings

OPENING_STREAM = 1 << 40  # streams of openings are numbered apart from those of searches


@dataclass
class SelfPlayCounts:
    """What a worker has done since it was made."""

    games: int = 0
    plies: int = 0
    learned: int = 0  # positions to learn from, in finished games
    early: int = 0  # games that ended by proof or by resignation, not by their rules
    resignable: int = 0  # games played on although one side would have resigned
    wrongly_resignable: int = 0  # those that the side did not lose


class SelfPlayWorker:
    """Plays until it is told to stop, and goes on from there when it is called again, with another network perhaps."""

    def __init__(
        self,
        game: Game,
        settings: SelfPlaySettings,
        search: SearchSettings,
        seed: int,
        first_number: int = 0,
        number_step: int = 1,
    ) -> None:
        """This worker's games have the numbers first_number, first_number + number_step, …"""
        self.game, self.settings, self.seed = game, settings, seed
        self.counts = SelfPlayCounts()
        self.generation = -1
        self.next_number, self._number_step = first_number, number_step
        most = self._cap_at(1)
        nodes = 2 + max(most.full_simulations, most.fast_simulations) * (4 if settings.keep_tree else 1)
        self._cap = self._cap_at(0)
        self.forest = Forest(game, search, trees=settings.games, nodes=nodes, cache=settings.cache)
        self._games: list[GameInProgress] = []
        self._full = np.zeros(settings.games, np.bool_)  # is the search that is under way a full one?
        self._rows = 0

    def run(
        self, evaluate: Evaluator, generation: int, on_game: Callable[[SelfPlayGame], None], stop: Callable[[], bool]
    ) -> None:
        """Play with this network until `stop` says so; unfinished games stay where they are."""
        if generation != self.generation:
            self.generation = generation
            self.forest.clear_cache()
        if not self._games:
            self._games = [self._new_game(lane) for lane in range(len(self.forest))]
            self._begin_searches(np.arange(len(self.forest), dtype=np.int32))
            self._rows = self.forest.step()
        while not stop():
            self._rows = self.forest.step(*self.forest.evaluated(evaluate, self._rows))
            finished = self.forest.finished()
            if len(finished):
                self._make_moves(finished, on_game)

    def set_share_done(self, share: float) -> None:
        """How much of the run is over, from 0 to 1: searches that begin from now on grow with it."""
        self._cap = self._cap_at(share)

    def _cap_at(self, share: float) -> PlayoutCap:
        factor = self.settings.growth ** min(max(share, 0.0), 1.0)
        cap = self.settings.cap
        return cap.model_copy(
            update={
                "full_simulations": round(cap.full_simulations * factor),
                "fast_simulations": round(cap.fast_simulations * factor),
            }
        )

    # -- games ---------------------------------------------------------------------------------------------------------
    def _new_game(self, lane: int) -> GameInProgress:
        """Begin the next game in a lane of the forest."""
        number = self.next_number
        self.next_number += self._number_step
        self.forest.seed_tree(lane, self.seed, number)
        stream = new_stream(self.seed, OPENING_STREAM + number)
        state = self.game.initial_state(draw_below(stream, 2**31))
        plays_on = draw_uniform(stream) < self.settings.resign_checked_share
        progress = GameInProgress(number, state, self.generation, plays_on)
        if draw_uniform(stream) < self.settings.opening_share:
            for _ in range(1 + draw_below(stream, self.settings.opening_plies)):
                legal = self.game.legal_actions(state)
                action = legal[draw_below(stream, len(legal))]
                successor = self.game.next_state(state, action)
                if self.game.outcome(successor) is not Outcome.GOING_ON:
                    break
                progress.add_opening_move(action, self.game.action_count)
                state = successor
        self.forest.set_root(lane, state)
        return progress

    def _begin_searches(self, lanes: npt.NDArray[np.int32]) -> None:
        simulations = np.full(len(self.forest), -1, np.int32)
        simulations[lanes], self._full[lanes] = self.forest.draw_playout_caps(self._cap, lanes)
        self.forest.begin(simulations, self._full & self.settings.noise)

    def _make_moves(self, lanes: npt.NDArray[np.int32], on_game: Callable[[SelfPlayGame], None]) -> None:
        """Make a move in every lane whose search is complete, and begin the next searches there."""
        forest, moves = self.forest, self.settings.moves
        temperatures = np.full(len(forest), -1.0)
        temperatures[lanes] = [moves.temperature_at(len(self._games[lane].actions)) for lane in lanes]
        policies, judgements, searched = forest.policies(lanes), forest.root_judgements(lanes), forest.root_states(lanes)
        actions = forest.choose(temperatures, moves.softmax_beta)
        forest.advance(actions)
        for lane, policy, judgement, before, after in zip(
            lanes.tolist(), policies, judgements, searched, forest.root_states(lanes), strict=True
        ):
            progress = self._games[lane]
            progress.add_move(int(actions[lane]), policy, judgement.value, bool(self._full[lane]))
            result = self._result(progress, self.game.turn(before), judgement, after)
            if result is not None:
                self._finish(lane, result, self.game.outcome(after) is Outcome.GOING_ON, on_game)
            elif not self.settings.keep_tree:
                forest.set_root(lane, after)
        self._begin_searches(lanes)

    def _result(self, progress: GameInProgress, side: int, judgement: Judgement, state: npt.NDArray[np.uint64]) -> int | None:
        """The result for the first player if the game is over now, by its rules, by proof or by resignation.

        `judgement` is of the position that this side has just moved in, `state` is the one after it.
        """
        if self.game.outcome(state) is not Outcome.GOING_ON:
            winner = self.game.winner(state)
            return 0 if winner is None else 1 - 2 * winner
        own = 1 if side == 0 else -1
        if self.settings.end_when_proven and judgement.lower == judgement.upper:
            return own * judgement.lower
        if self.settings.resign_below > -1 and progress.looks_lost(side, judgement.value, self.settings.resign_below):
            return None if progress.plays_on else -own
        return None

    def _finish(self, lane: int, result: int, early: bool, on_game: Callable[[SelfPlayGame], None]) -> None:
        """Hand over the game that is over, and begin the next one in its place."""
        record = self._games[lane].finish(self.game, result, early, self.generation, self.seed)
        self._count(self._games[lane], record)
        on_game(record)
        self._games[lane] = self._new_game(lane)

    def _count(self, progress: GameInProgress, record: SelfPlayGame) -> None:
        counts = self.counts
        counts.games += 1
        counts.plies += record.plies
        counts.learned += int(record.learned.sum())
        counts.early += record.resigned
        if progress.would_resign is not None and progress.plays_on:
            counts.resignable += 1
            own_result = record.result if progress.would_resign == 0 else -record.result
            counts.wrongly_resignable += own_result >= 0
