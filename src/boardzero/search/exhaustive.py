"""Tiny games solved outright, over the rules contract: every line of play, each position once.

It knows nothing but `legal` and `apply`, which makes it the perfect player of tic-tac-toe and the referee of cleverer
solvers. A result is for the side to move, in one number: 0 for a draw, WIN − n for a win in n plies, n − WIN for a loss in n
plies, when the winner hurries and the loser delays.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import int16, int64, types, uint64

from boardzero.errors import BadInput
from boardzero.games.bits import signed
from boardzero.games.compiled import compiled
from boardzero.games.counting import hash_state
from boardzero.games.rules import APPLY_RULE, LEGAL_RULE, ApplyRule, Game, LegalRule, Outcome, State
from boardzero.search.slices import deadline_after, run_in_slices

WIN = 10_000  # a win in no plies: no game of this size is so long
UNKNOWN = -WIN - 1  # an empty entry, and less than every result
TABLE_FULL, TOO_DEEP, PAUSED = WIN + 1, WIN + 2, WIN + 3  # answers of a search that had to stop

DRAWN, WON = int(Outcome.DRAW), int(Outcome.MOVER_WON)

WORDS = types.Array(uint64, 2, "C")


@dataclass(frozen=True)
class Result:
    """What best play by both sides comes to, for the side to move."""

    value: int  # +1, 0 or −1
    plies: int | None  # until the game ends; None for a draw, which has no hurry


class ExhaustiveSolver:
    """Exact results for one game; positions once solved are kept."""

    def __init__(self, game: Game, most_positions: int = 1 << 23, most_plies: int | None = None) -> None:
        """Games that need more positions than these, or have lines longer than most_plies, are refused (BadInput)."""
        self.game = game
        self.most_positions = most_positions
        self.most_plies = game.max_plies if most_plies is None else most_plies
        self._make_table(1 << 12)

    def result(self, state: State) -> Result:
        """The value for the side to move, and how long it takes."""
        return self._result(state)

    def _result(self, state: State, deadline: float | None = None) -> Result:
        outcome = self.game.outcome(state)
        if outcome is not Outcome.GOING_ON:  # said for the player who moved last
            return Result({Outcome.DRAW: 0, Outcome.MOVER_WON: -1}.get(outcome, 1), None if outcome is Outcome.DRAW else 0)
        number = self._solve(state, deadline)
        return Result((number > 0) - (number < 0), None if number == 0 else WIN - abs(number))

    def value(self, state: State) -> int:
        """+1, 0 or −1: the side to move wins, draws or loses."""
        return self.result(state).value

    def action_results(self, state: State, seconds: float | None = None) -> dict[int, Result]:
        """For each legal action what it comes to, for the player who makes the move; OutOfTime if that takes longer."""
        deadline = deadline_after(seconds)
        results = {}
        for action in self.game.legal_actions(state):
            after = self._result(self.game.next_state(state, action), deadline)
            results[action] = Result(-after.value, None if after.plies is None else after.plies + 1)
        return results

    def action_values(self, state: State) -> dict[int, int]:
        """For each legal action +1, 0 or −1, for the player who makes the move."""
        return {action: result.value for action, result in self.action_results(state).items()}

    def _solve(self, state: State, deadline: float | None = None) -> int:
        number = PAUSED

        def go_on(count: int) -> bool:
            """Begin anew with what is known by now: all that an earlier try has solved."""
            nonlocal number
            table = self._states, self._results, self._count
            number = int(_search(self.game.legal, self.game.apply, state, self.game.max_legal, self.most_plies, *table, count))
            if number == TOO_DEEP:
                raise BadInput(f"{self.game.specification} has lines of more than {self.most_plies} plies from here.")
            if number == TABLE_FULL:
                self._grow()
            return number not in (TABLE_FULL, PAUSED)

        run_in_slices(go_on, deadline)
        return number

    def _make_table(self, entries: int) -> None:
        self._states = np.zeros((entries, self.game.state_length), np.uint64)
        self._results = np.full(entries, UNKNOWN, np.int16)
        self._count = np.zeros(1, np.int64)

    def _grow(self) -> None:
        states, results = self._states, self._results
        if len(results) >= 2 * self.most_positions:
            raise BadInput(
                f"{self.game.specification} is too large to solve outright:"
                f" more than {self.most_positions:,} positions can arise from here."
            )
        self._make_table(4 * len(results))
        known = np.flatnonzero(results != UNKNOWN)
        _remember_all(self._states, self._results, self._count, states[known], results[known])


@compiled(int64(WORDS, int16[::1], uint64[::1]))
def _find_slot(states: npt.NDArray[np.uint64], results: npt.NDArray[np.int16], state: State) -> int:
    """Where a state stands, or the empty entry where it would."""
    slot = signed(hash_state(state) & np.uint64(len(results) - 1))
    while results[slot] != UNKNOWN and not np.array_equal(states[slot], state):
        slot = (slot + 1) & (len(results) - 1)
    return slot


@compiled(types.void(WORDS, int16[::1], int64[::1], uint64[::1], int64))
def _remember(
    states: npt.NDArray[np.uint64], results: npt.NDArray[np.int16], count: npt.NDArray[np.int64], state: State, result: int
) -> None:
    slot = _find_slot(states, results, state)
    states[slot] = state
    results[slot] = result
    count[0] += 1


@compiled(types.void(WORDS, int16[::1], int64[::1], WORDS, int16[::1]))
def _remember_all(
    states: npt.NDArray[np.uint64],
    results: npt.NDArray[np.int16],
    count: npt.NDArray[np.int64],
    old_states: npt.NDArray[np.uint64],
    old_results: npt.NDArray[np.int16],
) -> None:
    for entry in range(len(old_results)):
        _remember(states, results, count, old_states[entry], signed(old_results[entry]))


@compiled(int64(int64))
def _before(result: int) -> int:
    """A result one ply earlier, for the player who made that ply."""
    if result == 0:
        return 0
    return 1 - result if result > 0 else -result - 1


@compiled(int64(LEGAL_RULE, APPLY_RULE, uint64[::1], int64, int64, WORDS, int16[::1], int64[::1], int64))
def _search(
    legal: LegalRule,
    apply: ApplyRule,
    start: State,
    max_legal: int,
    most_plies: int,
    states: npt.NDArray[np.uint64],
    results: npt.NDArray[np.int16],
    count: npt.NDArray[np.int64],
    most: int,
) -> int:
    """The result of a position that goes on; depth first, the line being looked at in arrays by ply.

    PAUSED once `most` positions have been solved: each try solves some, so beginning anew comes to an end.
    """
    slot = _find_slot(states, results, start)
    if results[slot] != UNKNOWN:
        return signed(results[slot])
    line = np.empty((most_plies + 1, len(start)), np.uint64)
    actions = np.empty((most_plies + 1, max_legal), np.int32)
    untried = np.empty(most_plies + 1, np.int64)
    best = np.empty(most_plies + 1, np.int64)
    line[0], untried[0], best[0] = start, legal(start, actions[0]), UNKNOWN
    ply = 0
    last = count[0] + most
    while True:
        if untried[ply] == 0 or best[ply] == WIN - 1:
            if count[0] >= last:
                return PAUSED
            if 2 * count[0] >= len(results):
                return TABLE_FULL
            _remember(states, results, count, line[ply], best[ply])
            if ply == 0:
                return best[0]
            ply -= 1
            best[ply] = max(best[ply], _before(best[ply + 1]))
            continue
        if ply == most_plies:
            return TOO_DEEP
        untried[ply] -= 1
        outcome = apply(line[ply], signed(actions[ply, untried[ply]]), line[ply + 1])
        if outcome != 0:
            result = 0 if outcome == DRAWN else WIN - 1 if outcome == WON else 1 - WIN
            best[ply] = max(best[ply], result)
            continue
        slot = _find_slot(states, results, line[ply + 1])
        if results[slot] != UNKNOWN:
            best[ply] = max(best[ply], _before(signed(results[slot])))
            continue
        ply += 1
        untried[ply], best[ply] = legal(line[ply], actions[ply]), UNKNOWN
