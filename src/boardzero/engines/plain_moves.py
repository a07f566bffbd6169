"""A sensible move of Gomoku in plain Python: what is played where nothing better is known in time.

It wins where it can, prevents a loss, and otherwise lengthens its own lines and blocks the other side's. It needs nothing
compiled and takes a millisecond or two, so that it can be ready before it is needed.
"""

from functools import cache

from boardzero.protocols.gomocup import Board, Point

LINE = 5
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
FREE, OWN, OTHER, OUTSIDE = 0, 1, 2, 3
# What an empty cell of a stretch of five is worth by the stones of one side already in it (none of the other side).
OWN_WORTH, OTHER_WORTH = (1, 10, 120, 1500, 1_000_000), (1, 9, 100, 1200, 100_000)


def plain_move(board: Board, exact: bool) -> Point | None:
    """exact: more than five in a row do not win. None where no cell is free."""
    size = board.size
    cells = [FREE] * (size * size) + [OUTSIDE]
    for point, mine in board.stones.items():
        cells[point.y * size + point.x] = OWN if mine else OTHER
    worth = [0] * (size * size)
    for stretch, ends in _stretches(size):
        stones = [cells[cell] for cell in stretch]
        own, other = stones.count(OWN), stones.count(OTHER)
        if (own and other) or own + other == LINE:
            continue
        if exact and own + other == LINE - 1:  # a sixth stone beside it would spoil the five
            side = OWN if own else OTHER
            if cells[ends[0]] == side or cells[ends[1]] == side:
                continue
        gained = OTHER_WORTH[other] if other else OWN_WORTH[own]
        for cell in stretch:
            worth[cell] += gained
    free = [cell for cell in range(size * size) if cells[cell] == FREE]
    if not free:
        return None
    middle = size // 2
    best = max(free, key=lambda cell: (worth[cell], -abs(cell % size - middle) - abs(cell // size - middle)))
    return Point(best % size, best // size)


@cache
def _stretches(size: int) -> tuple[tuple[tuple[int, ...], tuple[int, int]], ...]:
    """Every five cells in a row, and the two cells beyond their ends (the last number, size², is outside the board)."""

    def cell(x: int, y: int) -> int:
        return y * size + x if 0 <= x < size and 0 <= y < size else size * size

    found = []
    for y in range(size):
        for x in range(size):
            for right, down in DIRECTIONS:
                stretch = tuple(cell(x + right * index, y + down * index) for index in range(LINE))
                if size * size not in stretch:
                    found.append((stretch, (cell(x - right, y - down), cell(x + right * LINE, y + down * LINE))))
    return tuple(found)
