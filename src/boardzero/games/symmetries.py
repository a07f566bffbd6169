"""Symmetries of boards as permutations of cells and of actions."""

from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from boardzero.games.policy import Part, PolicyLayout

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A way to turn or mirror the board.

    cells    [cells]    cell i goes to cell cells[i]
    actions  [actions]  action a becomes action actions[a]
    """

    name: str
    cells: npt.NDArray[np.int32]
    actions: npt.NDArray[np.int32]

    def apply_to_cells(self, values: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Values for each cell (last axis, flat), moved to where their cells go."""
        return _moved(values, self.cells)

    def apply_to_actions(self, values: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Values for each action (last axis), moved to where their actions go."""
        return _moved(values, self.actions)


def of_board(rows: int, columns: int, kind: Literal["none", "mirror", "square"], policy: PolicyLayout) -> tuple[Symmetry, ...]:
    """The identity; with the left–right mirror; or all eight of a square (four, on a board that is not square)."""
    board = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)  # the cell that each place shows
    views = {"identity": board}
    if kind != "none":
        views["mirror"] = board[:, ::-1]
    if kind == "square":
        views["flip"] = board[::-1]
        views["half turn"] = board[::-1, ::-1]
        if rows == columns:
            views["quarter turn"] = np.rot90(board)
            views["three-quarter turn"] = np.rot90(board, 3)
            views["diagonal"] = board.T
            views["anti-diagonal"] = board[::-1, ::-1].T
    return tuple(_symmetry(name, view, columns, policy) for name, view in views.items())


def _symmetry(name: str, view: npt.NDArray[np.int32], columns: int, policy: PolicyLayout) -> Symmetry:
    cells = np.empty(view.size, np.int32)
    cells[view.reshape(-1)] = np.arange(view.size, dtype=np.int32)
    actions = np.concatenate([first + _within(part, cells, columns) for first, part in policy])
    return Symmetry(name, cells, actions.astype(np.int32))


def _within(part: Part, cells: npt.NDArray[np.int32], columns: int) -> npt.NDArray[np.int32]:
    """Where each action of a part goes within the part."""
    match part.kind:
        case "cells":
            return cells
        case "columns":
            return cells[:columns] % columns
        case "moves":
            return (cells[:, None] * np.int32(len(cells)) + cells[None, :]).reshape(-1)
        case _:
            return np.arange(part.size, dtype=np.int32)


def _moved(values: npt.NDArray[Number], targets: npt.NDArray[np.int32]) -> npt.NDArray[Number]:
    moved = np.empty_like(values)
    moved[..., targets] = values
    return moved
