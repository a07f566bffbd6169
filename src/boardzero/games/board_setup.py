"""What boards that are set up by hand have in common: bits from cells, and the checks that refuse impossible boards."""

from collections.abc import Mapping
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from boardzero.errors import BadInput


def words_from_cells(occupied: npt.NDArray[np.bool_], words: int) -> npt.NDArray[np.uint64]:
    """Cell i, counted row by row from the top left, as bit i % 64 of word i // 64."""
    result = np.zeros(words, np.uint64)
    for cell in np.flatnonzero(occupied):
        result[cell // 64] |= np.uint64(1 << int(cell) % 64)
    return result


def cells_from_words(words: npt.NDArray[np.uint64], rows: int, columns: int) -> npt.NDArray[np.bool_]:
    """[rows, columns]: which cells the bits of `words_from_cells` stand for."""
    bits = [int(words[cell // 64]) >> cell % 64 & 1 for cell in range(rows * columns)]
    return np.array(bits, np.bool_).reshape(rows, columns)


def check_no_details(details: Mapping[str, str], title: str) -> None:
    for key in details:
        raise BadInput(f"A board of {title} has nothing called '{key}' behind it.")


def check_alternation(cells: npt.NDArray[np.int8], turn: int, players: tuple[str, str]) -> None:
    """Where every move adds one stone, the counts of stones tell whose turn it is."""
    counts = [int(np.count_nonzero(cells == player)) for player in (1, 2)]
    if counts[0] - counts[1] != turn:
        raise BadInput(
            f"With {counts[0]} {players[0]} and {counts[1]} {players[1]} on the board, {players[turn]} cannot be to move:"
            f" {players[0]} begins and the two alternate."
        )


def refuse_finished_turn(player: str) -> NoReturn:
    raise BadInput(f"{player} has won on this board already and cannot be to move.")
