"""Shards: immutable Parquet files of many games, made from journals."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from boardzero.errors import BadInput
from boardzero.replay.columns import SCHEMA, GameColumns
from boardzero.replay.durable import remove_durably, sync_folder, write_durably
from boardzero.replay.journal import read_journal
from boardzero.replay.record import SelfPlayGame

VERSION = b"1"
VERSION_KEY, JOURNAL_KEY = b"boardzero.schema", b"boardzero.journal"
DAMAGED = ".damaged"

# Actions of a policy mostly rise by small steps; values share their exponents.
ENCODINGS = {
    "policy_actions.list.element.list.element": "DELTA_BINARY_PACKED",
    "values.list.element": "BYTE_STREAM_SPLIT",
}


class DamagedShard(Exception):
    """A shard that cannot be read; its message names the file and says why."""

    def __init__(self, path: Path, reason: object) -> None:
        super().__init__(f"The shard '{path}' is damaged: {' '.join(str(reason).split())}")
        self.path = path


def write_shard(games: GameColumns | Sequence[SelfPlayGame], path: Path, journal: str = "") -> None:
    """Write a shard that is complete or absent, and say in it which journal it was made from."""
    columns = games if isinstance(games, GameColumns) else GameColumns.from_games(games)
    table = columns.to_table().replace_schema_metadata({VERSION_KEY: VERSION, JOURNAL_KEY: journal.encode()})
    buffer = pa.BufferOutputStream()
    pq.write_table(
        table,
        buffer,
        compression="zstd",
        use_dictionary=[name for name in _leaf_columns() if name not in ENCODINGS],
        column_encoding=ENCODINGS,
        write_page_checksum=True,
    )
    write_durably(path, buffer.getvalue().to_pybytes())


def read_shard(path: Path) -> GameColumns:
    """All games of a shard; DamagedShard if it cannot be read."""
    return _guarded(path, lambda file: GameColumns.from_table(file.read()))


@dataclass(frozen=True)
class ShardIndex:
    """What the window needs to know of a shard, read without the rest of it."""

    path: Path
    journal: str  # the name of the journal that it was made from
    generations: npt.NDArray[np.int32]  # [games]
    positions: npt.NDArray[np.int32]  # [games]
    numbers: npt.NDArray[np.int64]  # [games]


def read_shard_index(path: Path) -> ShardIndex:
    def read(file: pq.ParquetFile) -> ShardIndex:
        table = file.read(["generation", "positions", "number"])
        journal = file.schema_arrow.metadata[JOURNAL_KEY].decode()
        return ShardIndex(path, journal, *(table[name].to_numpy() for name in ("generation", "positions", "number")))

    return _guarded(path, read)


def set_aside(path: Path) -> Path:
    """Rename a damaged file, so that the rest goes on without it and nobody loses it."""
    aside = path.with_name(path.name + DAMAGED)
    path.replace(aside)
    sync_folder(path.parent)
    return aside


@dataclass(frozen=True)
class Sealing:
    """What became of a journal."""

    shard: Path | None  # None if the journal held no complete game
    lost_bytes: int  # of the journal, that are no complete game
    aside: Path | None = None  # where the journal is, if there are such


def seal(journal: Path, shard: Path) -> Sealing:
    """Turn a journal that nobody writes any more into a shard.

    It may be killed anywhere and done again: the shard appears at once and complete, and says which journal it holds; the
    journal goes only after that. One that holds anything but complete games is set aside.
    """
    content, aside = read_journal(journal), None
    if content.games is not None and not _holds(shard, journal.name):
        write_shard(content.games, shard, journal.name)
    if content.lost_bytes:
        aside = set_aside(journal)
    else:
        remove_durably(journal)
    return Sealing(shard if shard.exists() else None, content.lost_bytes, aside)


def _holds(shard: Path, journal: str) -> bool:
    """Is the shard there already, made from this journal?"""
    if not shard.exists():
        return False
    try:
        index = read_shard_index(shard)
    except DamagedShard:
        set_aside(shard)
        return False
    if index.journal != journal:
        raise BadInput(f"'{shard}' holds the journal '{index.journal}', not '{journal}'; it is not overwritten.")
    return True


def _guarded(path: Path, read: Any) -> Any:
    """Whatever goes wrong once the bytes are in memory is the shard's fault."""
    data = path.read_bytes()
    try:
        with pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True) as file:
            version = (file.schema_arrow.metadata or {}).get(VERSION_KEY)
            if version == VERSION and file.schema_arrow.equals(SCHEMA):
                return read(file)
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError) as error:
        raise DamagedShard(path, error) from error
    if version is not None and version != VERSION:
        raise BadInput(f"The shard '{path}' has schema {version.decode()}; this version of boardzero reads {VERSION.decode()}.")
    raise DamagedShard(path, "its columns are not those of a shard.")


def _leaf_columns() -> list[str]:
    """The names of the columns as Parquet stores them: a list's values are `name.list.element`."""

    def leaf(name: str, kind: pa.DataType) -> str:
        return leaf(f"{name}.list.element", kind.value_type) if pa.types.is_list(kind) else name

    return [leaf(field.name, field.type) for field in SCHEMA]
