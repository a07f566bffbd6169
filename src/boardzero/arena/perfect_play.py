"""Players compared with perfect play: how often another move has a better result than the one chosen."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from boardzero.errors import BadInput
from boardzero.games.connect4 import ConnectFour
from boardzero.games.position import Position
from boardzero.games.randomness import draw_below, new_stream
from boardzero.games.rules import Game
from boardzero.players.forest_player import ForestPlayer
from boardzero.players.player import Player
from boardzero.search.connect4_solver import ConnectFourSolver
from boardzero.search.forest import Evaluator, Forest
from boardzero.settings.search import SearchSettings

# For each action its value for the mover, −1, 0 or +1; None where it is illegal.
Values = Sequence[int | None]
KNOWN_BOARD = (6, 7, 4)  # rows, columns and length to connect
ILLEGAL = 2
MOST_DRAWS = 50  # for each position that is wanted, before giving up
Chooser = Callable[[Sequence[Position]], Sequence[int]]


@dataclass(frozen=True)
class SolvedPosition:
    """A position with the true value of every move."""

    position: Position
    values: Values

    def is_mistake(self, action: int) -> bool:
        """Has another move a strictly better value?"""
        chosen = self.values[action]
        assert chosen is not None
        return any(value is not None and value > chosen for value in self.values)


class Solver:
    """The values of moves, where a solver knows them; those of well-known positions are looked up."""

    def __init__(self, game: Game) -> None:
        if not isinstance(game, ConnectFour):
            raise BadInput(f"Perfect play of {game.specification} is not known; it is known for connect4.")
        self._solver = ConnectFourSolver(game)
        self._known = known_values() if (game.rows, game.columns, game.connect) == KNOWN_BOARD else {}

    def solve(self, position: Position) -> SolvedPosition:
        known = self._known.get(position.state.tobytes()) if self._known else None
        return SolvedPosition(position, self._solver.action_values(position.state) if known is None else known)


@cache
def known_values() -> dict[bytes, Values]:
    """By state: the values of every move in the 6,000 positions of Pascal Pons' six sets, found by the solver.

    The file holds states uint64 [positions, words] and values int8 [positions, 7], where 2 marks an illegal move.
    """
    with resources.files("boardzero.arena").joinpath("data/connect4_values.npz").open("rb") as file, np.load(file) as content:
        states, values = content["states"], content["values"].tolist()
    return {
        state.tobytes(): [None if value == ILLEGAL else value for value in row]
        for state, row in zip(states, values, strict=True)
    }


def draw_positions(game: Game, count: int, seed: int, fewest_plies: int = 1, most_plies: int = 30) -> list[Position]:
    """Different positions after random moves, not over; fewer than asked for, if the game seems to have no more."""
    stream = new_stream(seed)
    found: dict[bytes, Position] = {}
    for _ in range(MOST_DRAWS * count):
        if len(found) == count:
            break
        position = Position(game)
        plies = fewest_plies + draw_below(stream, most_plies - fewest_plies + 1)
        while len(position.actions) < plies and not position.over:
            legal = position.legal_actions()
            position.play(legal[draw_below(stream, len(legal))])
        if not position.over:
            found[position.state.tobytes()] = position
    return list(found.values())


def draw_solved_positions(game: Game, count: int, seed: int, **plies: int) -> list[SolvedPosition]:
    """Drawn positions in which not every move is equally good, with the values of their moves."""
    solver = Solver(game)
    solved: dict[bytes, SolvedPosition] = {}
    for further in range(MOST_DRAWS):
        before = len(solved)
        for position in draw_positions(game, 2 * count, seed + further, **plies):
            entry = solver.solve(position)
            if len({value for value in entry.values if value is not None}) > 1:
                solved.setdefault(position.state.tobytes(), entry)
        if len(solved) >= count:
            return list(solved.values())[:count]
        if len(solved) == before:
            break
    raise BadInput(f"{game.specification} has fewer than {count} positions in which the choice of move matters.")


def read_positions(path: Path, game: Game, solver: Solver) -> list[SolvedPosition]:
    """A file of positions: `moves score` a line, or JSON lines {"moves": …, "values": […]}; missing values are solved."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The positions file '{path}' cannot be read: {error}.") from None
    solved = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            solved.append(_read_line(line, game, solver))
        except (BadInput, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInput(f"Line {number} of '{path}' is no position: {error}") from None
    return solved


def _read_line(line: str, game: Game, solver: Solver) -> SolvedPosition:
    entry = json.loads(line) if line.lstrip().startswith("{") else {"moves": line.split()[0]}
    position = Position(game, entry["moves"])
    if position.over:
        raise BadInput("the game is over there.")
    values = entry.get("values")
    if values is None:
        return solver.solve(position)
    legal = set(position.legal_actions())
    if len(values) != game.action_count or any((value is None) == (action in legal) for action, value in enumerate(values)):
        raise BadInput(f"values should be {game.action_count} numbers, null exactly for illegal moves.")
    return SolvedPosition(position, [None if value is None else int(np.sign(value)) for value in values])


def count_mistakes(choose: Chooser, positions: Sequence[SolvedPosition]) -> int:
    """How often the choice is a mistake."""
    actions = choose([entry.position for entry in positions])
    return sum(entry.is_mistake(action) for entry, action in zip(positions, actions, strict=True))


def search_chooser(game: Game, evaluate: Evaluator, simulations: int, settings: SearchSettings, batch: int = 256) -> Chooser:
    """Choose by a search with an evaluator, many positions at once; with 1 simulation or less by its policy alone."""

    def choose(positions: Sequence[Position]) -> list[int]:
        actions: list[int] = []
        for first in range(0, len(positions), batch):
            part = positions[first : first + batch]
            if simulations <= 1:
                actions += _by_policy(game, evaluate, part)
                continue
            forest = Forest(game, settings, trees=len(part), nodes=simulations + 2)
            for tree, position in enumerate(part):
                forest.set_root(tree, position.state)
            forest.search(evaluate, simulations)
            actions += [int(action) for action in forest.choose()]
        return actions

    return choose


def chooser_of(player: Player) -> Chooser:
    """A player's choices; those who search with an evaluator search many positions at once."""
    if isinstance(player, ForestPlayer) and player.parameters.seconds is None and not player.parameters.noise:
        return search_chooser(player.game, player.evaluate, player.simulations or 1, player.forest.settings)
    return lambda positions: [player.choose(position) for position in positions]


def _by_policy(game: Game, evaluate: Evaluator, positions: Sequence[Position]) -> list[int]:
    planes: npt.NDArray[np.float32] = np.stack([game.encoded(position.state) for position in positions])
    logits, _ = evaluate(planes)
    return [max(position.legal_actions(), key=lambda a: row[a]) for position, row in zip(positions, logits, strict=True)]
