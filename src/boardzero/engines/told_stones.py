"""Stones in the order in which a manager told them, as a position."""

from collections.abc import Sequence
from typing import NamedTuple

from boardzero.engines.told_position import ToldPosition

Stone = tuple[int, int, bool]  # x, y, and whether it is ours
LETTERS = "XO"  # of the side that began, and of the other


class ToldStones(NamedTuple):
    position: ToldPosition
    own_side: int  # 0: we began


def told_stones(size: int, rule: str, stones: Sequence[Stone], we_are_next: bool) -> ToldStones | None:
    """None where there are too many stones of one side.

    The last stones, as far back as the sides alternate, are moves; those before them were set up, and are the start. So a
    game that goes on from stones told in any order keeps its start, and the search goes on with the tree that it has.
    """
    lead = sum(1 if own else -1 for _, _, own in stones)  # how many more stones are ours
    if lead not in ((-1, 0) if we_are_next else (0, 1)):
        return None
    we_began = (lead == 0) == we_are_next
    given, ours = len(stones), not we_are_next
    while given and stones[given - 1][2] == ours:
        given, ours = given - 1, not ours
    game = f"gomoku:size={size},rule={rule}"
    actions = tuple(y * size + x for x, y, _ in stones[given:])
    start = _board(size, stones[:given], we_began, we_move=not ours) if given else None
    return ToldStones(ToldPosition(game, actions, start), 0 if we_began else 1)


def _board(size: int, stones: Sequence[Stone], we_began: bool, we_move: bool) -> str:
    cells = {(x, y): LETTERS[own != we_began] for x, y, own in stones}
    rows = ("".join(cells.get((x, y), ".") for x in range(size)) for y in range(size))
    return f"{'/'.join(rows)} {LETTERS[we_move != we_began]}"
