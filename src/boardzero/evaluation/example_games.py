"""Games of self-play as the report shows them: board by board, with what the search thought."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from boardzero.games.drawing import last_cells, target_cells
from boardzero.games.notation import COLUMN_NAMES, FILE_NAMES
from boardzero.games.rules import Game, State
from boardzero.replay.columns import GameColumns
from boardzero.replay.journal import read_journal
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.shards import DamagedShard, read_shard

LISTED = 5  # likeliest moves of a position


def newest_games(folder: Path, game: Game, count: int = 3) -> list[dict[str, Any]]:
    """Some of the newest games, of different results where there are such; none where no file can be read."""
    if game.picture(game.initial_state()) is not None:
        return []  # its board is no grid of pieces
    for path in sorted(folder.glob("[0-9]*"), reverse=True):
        columns = _read(path)
        if columns is not None and columns.game == game.specification:
            return [described(game, columns[number]) for number in _varied(columns, count)]
    return []


def _read(path: Path) -> GameColumns | None:
    """None for what is no file of games, is damaged, or is just being replaced by a run that goes on."""
    try:
        if path.suffix == ".parquet":
            return read_shard(path)
        return read_journal(path).games if path.suffix == ".journal" else None
    except (DamagedShard, OSError, ValueError):
        return None


def _varied(columns: GameColumns, count: int) -> list[int]:
    """The last game of each result, then the last ones that are left."""
    newest = list(range(len(columns)))[::-1]
    first_of = {int(columns.results[number]): number for number in reversed(newest)}
    return list(dict.fromkeys([*first_of.values(), *newest]))[:count]


def described(game: Game, record: SelfPlayGame) -> dict[str, Any]:
    """All that the page needs to draw a game; values are for the first player."""
    state = np.array(record.start)
    policies = record.policies.to_dense(game.action_count)
    frames = [_frame(game, state, [0] * (game.rows * game.columns), None)]
    numbers = [0] * (game.rows * game.columns)  # by cell: the ply that put a piece there; 0 if the start did
    for ply, action in enumerate(map(int, record.actions)):
        frame = frames[-1]
        value = float(record.values[ply])
        frame["value"] = None if math.isnan(value) else round(value if game.turn(state) == 0 else -value, 3)
        frame["policy"], frame["moves"] = _opinion(game, state, policies[ply])
        frame["played"] = game.action_to_text(action)
        before = game.cells(state).reshape(-1)
        state = game.next_state(state, action)
        after = game.cells(state).reshape(-1)
        for cell in np.flatnonzero(before != after):
            numbers[cell] = ply + 1 if before[cell] == 0 else 0 if after[cell] == 0 else numbers[cell]
        frames.append(_frame(game, state, numbers, action))
    result = {1: f"{game.players[0]} won", 0: "drawn", -1: f"{game.players[1]} won"}[record.result]
    by_column = game.policy.parts[0].kind == "columns"
    return {
        "title": f"Game {record.number}, generation {record.generation}: {result} after {record.plies} plies",
        "moves": game.moves_to_text([int(action) for action in record.actions]),
        "rows": game.rows,
        "columns": game.columns,
        "files": list((COLUMN_NAMES if by_column else FILE_NAMES)[: game.columns]),
        "ranks": [] if by_column else [row + 1 if game.rank_one_on_top else game.rows - row for row in range(game.rows)],
        "players": list(game.players),
        "frames": frames,
    }


def _frame(game: Game, state: State, numbers: list[int], action: int | None) -> dict[str, Any]:
    return {
        "cells": game.cells(state).reshape(-1).tolist(),
        "numbers": numbers.copy(),
        "last": sorted(last_cells(game, state, action)) if action is not None else [],
        "turn": game.turn(state),
    }


def _opinion(game: Game, state: State, policy: np.ndarray) -> tuple[list[list[float]], list[list[Any]]]:
    """What the search would play: by cell, for the board, and the likeliest moves by name; empty where it was not kept."""
    by_cell: dict[int, float] = {}
    for action in map(int, np.flatnonzero(policy)):
        part, _ = game.policy.locate(action)
        cells = (
            last_cells(game, game.next_state(state, action), action) if part.kind == "columns" else target_cells(game, action)
        )
        for cell in cells:
            by_cell[cell] = by_cell.get(cell, 0.0) + float(policy[action])
    likeliest = [int(action) for action in np.argsort(-policy)[:LISTED] if policy[action] > 0]
    listed = [[game.action_to_text(action), round(float(policy[action]), 3)] for action in likeliest]
    return [[cell, round(share, 3)] for cell, share in by_cell.items()], listed
