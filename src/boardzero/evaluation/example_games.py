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
SHOWN = 0.6  # of a game's thoughts: the one that is shown first lies behind so many of them


def newest_games(folder: Path, game: Game, count: int = 3) -> list[dict[str, Any]]:
    """Some of the games in the newest file, of different results where there are such; none where no file can be read."""
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
    """One game of each result, then any; first those with the shortest openings, of these the last ones.

    Moves of an opening were drawn, not thought about, so there is little to look at in a game that was mostly opening; and
    nothing in one that was nothing else, whatever its result.
    """
    openings = [_opening_plies(columns, number) for number in range(len(columns))]
    plies = np.diff(columns.ply_offsets)
    liked = sorted(range(len(columns)), key=lambda number: (openings[number], -number))
    first_of: dict[int, int] = {}
    for number in liked:
        if openings[number] < plies[number]:
            first_of.setdefault(int(columns.results[number]), number)
    return list(dict.fromkeys([*first_of.values(), *liked]))[:count]


def _opening_plies(columns: GameColumns, number: int) -> int:
    """Before the first thought that was kept; of a game without any, all."""
    first, end = columns.ply_offsets[number : number + 2]
    thought = np.flatnonzero(np.diff(columns.policies.offsets[first : end + 1]))
    return int(thought[0] if len(thought) else end - first)


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
        "shown": _shown(frames),
    }


def _shown(frames: list[dict[str, Any]]) -> int:
    """The ply that is shown first: one at which it is known what the search thought; the end, where that never is."""
    thought = [ply for ply, frame in enumerate(frames) if frame.get("moves")]
    return thought[int(SHOWN * (len(thought) - 1))] if thought else len(frames) - 1


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
