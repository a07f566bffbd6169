"""Players compared with perfect play: how often another move has a better result than the one chosen."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from boardzero.arena.solved_games import SolvedPosition, Solver, find_solver
from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.games.randomness import draw_below, new_stream
from boardzero.games.rules import Game
from boardzero.players.forest_player import ForestPlayer
from boardzero.players.player import Player
from boardzero.search.forest import Evaluator, Forest
from boardzero.settings.search import SearchSettings

MOST_DRAWS = 50  # for each position that is wanted, before giving up
Chooser = Callable[[Sequence[Position]], Sequence[int]]


def draw_positions(game: Game, solver: Solver, count: int, seed: int) -> list[Position]:
    """Different positions after random moves, not over; fewer than asked for, if the game seems to have no more."""
    stream = new_stream(seed)
    found: dict[bytes, Position] = {}
    for _ in range(MOST_DRAWS * count):
        if len(found) == count:
            break
        position = Position(game)
        fewest, most = solver.placed
        missing = fewest + draw_below(stream, most - fewest + 1)
        while missing > 0 and (actions := solver.drawn_actions(position)):
            action = actions[draw_below(stream, len(actions))]
            position.play(action)
            missing -= game.policy.locate(action)[0].kind != "single"  # a pass places nothing
        if missing <= 0 and solver.is_drawn(position):
            found[position.state.tobytes()] = position
    return list(found.values())


def draw_solved_positions(game: Game, count: int, seed: int) -> list[SolvedPosition]:
    """Drawn positions in which not every move is equally good, with the values of their moves.

    Fewer than asked for, if the game has no more, or no more that are solved within seconds.
    """
    solver = find_solver(game)
    solved: dict[bytes, SolvedPosition] = {}
    for further in range(MOST_DRAWS):
        before = len(solved)
        for position in draw_positions(game, solver, 2 * count, seed + further):
            entry = solver.solve_soon(position)
            if entry is not None and entry.leaves_a_choice:
                solved.setdefault(position.state.tobytes(), entry)
            if len(solved) == count or solver.is_tired:
                return list(solved.values())
        if len(solved) == before:
            break
    return list(solved.values())


def read_positions(path: Path, game: Game, solver: Solver) -> list[SolvedPosition]:
    """A file of positions: `moves score` a line (a score may be missing), or JSON lines {"moves": …, "values": […]}.

    Instead of moves, or before them, there may be a "board". Values are those of all actions, null where they are illegal;
    missing ones are solved.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The positions file '{path}' cannot be read: {error}.") from None
    solved = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            solved.append(_read_line(line, game, solver))
        except (BadInput, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise BadInput(f"Line {number} of '{path}' is no position: {error}") from None
    return solved


def _read_line(line: str, game: Game, solver: Solver) -> SolvedPosition:
    entry = json.loads(line) if line.lstrip().startswith("{") else {"moves": _without_score(line)}
    position = Position(game, entry.get("moves", "") if "board" in entry else entry["moves"], board=entry.get("board"))
    if position.over:
        raise BadInput("the game is over there.")
    values = entry.get("values")
    if values is None:
        return solver.solve(position)
    legal = set(position.legal_actions())
    if len(values) != game.action_count or any((value is None) == (action in legal) for action, value in enumerate(values)):
        raise BadInput(f"values should be {game.action_count} numbers, null exactly for illegal moves.")
    return SolvedPosition(position, [None if value is None else int(np.sign(value)) for value in values])


def _without_score(line: str) -> str:
    """The moves of a line, which may have spaces between them."""
    words = line.split()
    return " ".join(words[:-1] if len(words) > 1 and words[-1].lstrip("+-").isdecimal() else words)


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
