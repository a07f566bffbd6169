"""OpenSpiel's games: two players, in turns, without chance or hidden information, one side's win the other's loss.

State: the header, then the moves so far, several to a word, the first in the lowest bits; so equal arrays are the same
game so far (two orders of moves that lead to one board are two states). OpenSpiel's own objects are kept beside it in a
bounded cache, and are made again from the moves where they have fallen out of it.

Header: 3 must pass, 4–35 how many moves were made.

In some of OpenSpiel's games a player may move several times in a row. Play strictly alternates here, so the other player
passes in between; that pass is the last action of every OpenSpiel game, and is not one of the moves kept in the state.

Moves are called what OpenSpiel calls them, where that does not depend on the position: the names are gathered once, from
random games with a fixed seed. If a move has two names there, or two moves share one, or a name holds spaces or commas or
could be taken for another move's number, then all of the game's moves are called by their numbers. A move that never was
possible in those games is called by its number too, and numbers are always understood.
"""

import random
import re
from collections import Counter, OrderedDict
from collections.abc import Mapping
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from boardzero.errors import BadInput
from boardzero.games.openspiel_loading import action_packing, load, words_needed
from boardzero.games.policy import PolicyLayout, flat_actions, single_action
from boardzero.games.position import Position
from boardzero.games.rules import Actions, Game, Outcome, Planes, State
from boardzero.games.symmetries import Symmetry
from boardzero.games.wrapped import wrap_rules
from boardzero.settings.specification import Parameters

OUTCOME_BITS, TURN, MUST_PASS, COUNT_SHIFT = 3, 4, 8, 4  # of the header, as Python integers
CACHED_STATES = 8192
PROBE_GAMES, PROBE_POSITIONS = 100, 6000
START = "start"
PASS, PASS_WHERE_TAKEN = "pass", "skip"
ESCAPE_CODES = re.compile(r"\x1b\[[0-9;]*m")


class StateCache:
    """OpenSpiel's states by the bytes of ours; the longest unused are dropped. Threads may share it."""

    def __init__(self, size: int) -> None:
        self._size, self._states, self._lock = size, OrderedDict[bytes, Any](), Lock()

    def __len__(self) -> int:
        return len(self._states)

    def get(self, key: bytes) -> Any:
        with self._lock:
            found = self._states.get(key)
            if found is not None:
                self._states.move_to_end(key)
            return found

    def put(self, key: bytes, state: Any) -> None:
        with self._lock:
            self._states[key] = state
            self._states.move_to_end(key)
            if len(self._states) > self._size:
                self._states.popitem(last=False)


class OpenSpielGame(Game):
    """One of OpenSpiel's games behind the same contract as all others, slower."""

    name = "openspiel"
    players = ("first player", "second player")

    def __init__(self, spiel_game: Any, text: str) -> None:
        """`text` is the canonical name and parameters, as behind `openspiel:`."""
        super().__init__(Parameters())
        self._spiel_game, self._text = spiel_game, text
        self.title = spiel_game.get_type().long_name  # each object of this class has a title of its own
        self._start = spiel_game.new_initial_state()
        self._first_player = self._start.current_player()  # OpenSpiel's number of the player who begins
        self._set_sizes(spiel_game)
        self._cache = StateCache(CACHED_STATES)
        rules = wrap_rules(self._legal, self._apply, self._encode)
        self.legal, self.apply, self.encode = rules.legal, rules.apply, rules.encode

    @classmethod
    def from_text(cls, text: str) -> "OpenSpielGame":
        """`breakthrough`, or `breakthrough,rows=6,columns=6`; what cannot be played here is refused (BadInput)."""
        spiel_game, canonical = load(text)
        return cls(spiel_game, canonical)

    def _set_sizes(self, spiel_game: Any) -> None:
        self._pass = spiel_game.num_distinct_actions()
        self._longest = spiel_game.max_game_length()
        self._action_bits, self._actions_a_word = action_packing(self._pass)
        self.state_length = 1 + words_needed(self._pass, self._longest)
        self.policy = PolicyLayout((flat_actions(self._pass), single_action(PASS)))
        self.max_legal = self._pass
        self.max_plies = 2 * self._longest - 1  # a pass between any two moves
        shape = spiel_game.observation_tensor_shape()
        planes, self.rows, self.columns = shape if len(shape) == 3 else (int(np.prod(shape)), 1, 1)
        # OpenSpiel's planes often show the two players as first and second without saying who is to move.
        self.planes = (*(f"OpenSpiel's {plane}" for plane in range(planes)), "second player to move", "must pass")

    @property
    def specification(self) -> str:
        return f"{self.name}:{self._text}"

    # -- the rules, in Python ------------------------------------------------------------------------------------------
    def _legal(self, state: State, actions: Actions) -> int:
        header = int(state[0])
        if header & OUTCOME_BITS:
            return 0
        found = [self._pass] if header & MUST_PASS else sorted(self._spiel_state(state).legal_actions())
        actions[: len(found)] = found
        return len(found)

    def _apply(self, state: State, action: int, next_state: State) -> int:
        header, before = int(state[0]), self._spiel_state(state)
        next_state[:] = state
        if header & MUST_PASS:
            next_state[0] = header ^ TURN ^ MUST_PASS
            self._cache.put(next_state.tobytes(), before)
            return Outcome.GOING_ON
        count = header >> COUNT_SHIFT
        if count == self._longest:
            raise RuntimeError(f"{self.specification} went on after {count} moves, the most that OpenSpiel gives it.")
        mover, after = before.current_player(), before.child(action)
        word, place = divmod(count, self._actions_a_word)
        next_state[1 + word] |= np.uint64(int(action) << place * self._action_bits)
        outcome = self._outcome_for(mover, after)
        header = (header ^ TURN) + (1 << COUNT_SHIFT) | outcome
        if outcome == Outcome.GOING_ON and after.current_player() == mover:
            header |= MUST_PASS
        next_state[0] = header
        self._cache.put(next_state.tobytes(), after)
        return outcome

    def _encode(self, state: State, planes: Planes) -> None:
        header, turn = int(state[0]), self.turn(state)
        seen = self._spiel_state(state).observation_tensor(self._first_player ^ turn)
        planes[:-2] = np.array(seen, np.float32).reshape(-1, self.rows, self.columns)
        planes[-2] = turn
        planes[-1] = bool(header & MUST_PASS)

    @staticmethod
    def _outcome_for(mover: int, after: Any) -> Outcome:
        if not after.is_terminal():
            return Outcome.GOING_ON
        result = after.returns()[mover]
        return Outcome.MOVER_WON if result > 0 else Outcome.MOVER_LOST if result < 0 else Outcome.DRAW

    def _spiel_state(self, state: State) -> Any:
        """OpenSpiel's object for a state. It is shared: it must not be changed."""
        key = state.tobytes()
        found = self._cache.get(key)
        if found is None:
            found = self._start.clone()
            for action in self._history(state):
                found.apply_action(action)
            self._cache.put(key, found)
        return found

    def _history(self, state: State) -> list[int]:
        """The moves so far, without passes."""
        header, *words = state.tolist()
        mask = (1 << self._action_bits) - 1
        places = (divmod(number, self._actions_a_word) for number in range(header >> COUNT_SHIFT))
        return [words[word] >> place * self._action_bits & mask for word, place in places]

    # -- what people see -----------------------------------------------------------------------------------------------
    def initial_state(self, seed: int | None = None) -> State:
        return np.zeros(self.state_length, np.uint64)

    def cells(self, state: State) -> npt.NDArray[np.int8]:
        """Nothing: OpenSpiel does not say what stands where; `picture` draws the board."""
        return np.zeros((self.rows, self.columns), np.int8)

    def state_from_cells(self, cells: npt.NDArray[np.int8], turn: int, details: Mapping[str, str]) -> State:
        raise BadInput(f"A board of {self.title} cannot be set up by its cells; it is written as its moves from the start.")

    def transformed(self, state: State, symmetry: Symmetry) -> State:
        return state.copy()  # there is only the identity

    def picture(self, state: State) -> str:
        return ESCAPE_CODES.sub("", str(self._spiel_state(state)))

    def board_to_text(self, state: State) -> str:
        """The moves that led here: `start a7a6 b2b3`."""
        spiel_state, plies = self._start.clone(), []
        for action in self._history(state):
            mover = spiel_state.current_player()
            spiel_state.apply_action(action)
            plies.append(action)
            if spiel_state.current_player() == mover:
                plies.append(self._pass)
        if int(state[0]) & MUST_PASS:
            plies.pop()  # that pass is still to come
        return " ".join([START, *map(self.action_to_text, plies)])

    def board_from_text(self, text: str) -> State:
        """The state that `board_to_text` wrote; the word `start` may be left out."""
        return Position(self, text.strip().removeprefix(START)).state

    def action_to_text(self, action: int) -> str:
        return self._pass_text if action == self._pass else self._names.get(action, str(action))

    def action_from_text(self, text: str) -> int:
        word = text.strip()
        if word.isascii() and word.isdigit() and int(word) < self._pass:
            return int(word)
        for action in (self._actions_by_name.get(word), self._actions_by_name.get(word.lower())):
            if action is not None:
                return action
        raise BadInput(f"'{text}' is not a move of {self.title}; {self.notation_hint}.")

    @property
    def notation_hint(self) -> str:
        numbers = f"0 (to {self._pass - 1})"
        example = f"{next(iter(self._names.values()))}, or as numbers, {numbers}" if self._names else numbers
        return f"moves are written like {example}, {self._pass_text}"

    @cached_property
    def _names(self) -> dict[int, str]:
        """OpenSpiel's names of moves, or nothing where they cannot serve as names."""
        names: dict[int, str] = {}
        draw, positions = random.Random(0), 0
        for _ in range(PROBE_GAMES):
            spiel_state = self._start.clone()
            while not spiel_state.is_terminal() and positions < PROBE_POSITIONS:
                positions += 1
                legal = spiel_state.legal_actions()
                for action in legal:
                    name = spiel_state.action_to_string(spiel_state.current_player(), action)
                    if names.setdefault(action, name) != name or not _is_name(name, action):
                        return {}
                spiel_state.apply_action(draw.choice(legal))
        return names if len(set(names.values())) == len(names) else {}

    @cached_property
    def _pass_text(self) -> str:
        return PASS_WHERE_TAKEN if PASS in map(str.lower, self._names.values()) else PASS

    @cached_property
    def _actions_by_name(self) -> dict[str, int]:
        """Every name as it is, and in small letters where only one move is called so."""
        exact = {name: action for action, name in self._names.items()} | {self._pass_text: self._pass}
        uses = Counter(name.lower() for name in exact)
        return {name.lower(): action for name, action in exact.items() if uses[name.lower()] == 1} | exact


def _is_name(name: str, action: int) -> bool:
    """Can it stand in a row of moves, and not be taken for the number of another one?"""
    return bool(name) and not re.search(r"[\s,]", name) and (not name.isdigit() or name == str(action))
