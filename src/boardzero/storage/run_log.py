"""A training run, on its way into the log: its settings, generations, evaluations, and games of self-play and of matches."""

import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
from sqlalchemy import func, select

from boardzero.errors import BadInput
from boardzero.events.games import GameRecord, Result
from boardzero.events.training import (
    GenerationDone,
    MatchPlayed,
    NetworksCompared,
    PerfectPlayMeasured,
    StrengthMeasured,
    TrainingEvent,
)
from boardzero.games.catalogue import find_game
from boardzero.replay.columns import GameColumns
from boardzero.replay.durable import write_durably
from boardzero.replay.journal import read_journal
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.shards import DamagedShard, read_shard, read_shard_index
from boardzero.replay.store import JOURNAL, SHARD, number_of
from boardzero.storage.database import DatabaseDown
from boardzero.storage.entries import Entry, StoredGame, game_entry, id_of, moment, new_id, now, who
from boardzero.storage.log import GameLog
from boardzero.storage.tables import generations
from boardzero.training.run_folder import RunFolder

ID_FILE = "log-id"
SELF_PLAY = "self-play"
RESULTS: dict[int, Result] = {1: "first", 0: "draw", -1: "second"}


class RunLog:
    """Hears the events of one run (`Listener`).

    After each generation it reads the games that were played from the run's folder, where self-play has put them; so a run
    that is killed and resumed logs what is missing, and nothing twice. Games of the gate and of evaluations come with their
    event; a match that a resumed run plays again, game for game, is the same match.
    """

    def __init__(self, log: GameLog, folder: RunFolder, *, games: bool = True) -> None:
        """games: log games too, not only what they came to."""
        self._log, self._folder, self._with_games = log, folder, games
        entry = run_entry(folder)
        self.run: str = entry.values["id"]
        self._game: str = entry.values["game"]
        log.write([entry])
        self._logged = self._last_generation()  # games that networks before this one finished are in the log
        self._shards: set[Path] = set()  # without their endings; they hold nothing new
        self._numbers: set[int] = set()  # of the games that this object has logged

    def __call__(self, event: TrainingEvent) -> None:
        """What is measured becomes a row; progress within a generation, and sentences, do not."""
        match event:
            case GenerationDone():
                self._log.write([self._generation_entry(event)])
                if self._with_games:
                    self.log_new_games()
            case PerfectPlayMeasured():
                self._log.write([self._evaluation_entry(event, "perfect")])
            case NetworksCompared():
                self._log.write([self._evaluation_entry(event, f"generation {event.best}")])
            case StrengthMeasured():
                self._log.write([self._evaluation_entry(event, event.opponent)])
            case MatchPlayed() if self._with_games:
                self._log.write(self._match_entries(event))

    def log_new_games(self) -> None:
        """All games in the run's folder that this object has not logged yet."""
        for columns, written in self._new_columns():
            new = [index for index, number in enumerate(columns.numbers.tolist()) if number not in self._numbers]
            self._numbers.update(columns.numbers.tolist())
            self._log.write(self._game_entry(columns[index], written) for index in new)

    # -- games on disk -------------------------------------------------------------------------------------------------
    def _new_columns(self) -> Iterator[tuple[GameColumns, str]]:
        """Files of games, and when each was written last: a run may have been begun long before it is logged."""
        for path in sorted(self._folder.games.rglob("[0-9]*-*")):
            if path.with_suffix("") in self._shards:
                continue
            try:
                written = moment(path.stat().st_mtime)
                columns = self._read(path)
            except (BadInput, DamagedShard, OSError):  # the training says it, or has just made a shard of the journal
                continue
            if path.suffix == SHARD:
                self._shards.add(path.with_suffix(""))
            if columns is not None:
                yield columns, written

    def _read(self, path: Path) -> GameColumns | None:
        if number_of(path.name) == 0:
            return None
        if path.suffix == JOURNAL:
            return read_journal(path).games
        if path.suffix != SHARD:
            return None
        if int(read_shard_index(path).generations.max(initial=-1)) < self._logged:
            return None
        return read_shard(path)

    def _last_generation(self) -> int:
        """Of the newest network in the log; its games may not be complete there."""
        try:
            with self._log.database.reading() as connection:
                statement = select(func.max(generations.c.generation)).where(generations.c.run == self.run)
                return int(connection.execute(statement).scalar() or 0) - 1
        except DatabaseDown:
            return -1

    # -- rows ----------------------------------------------------------------------------------------------------------
    def _generation_entry(self, event: GenerationDone) -> Entry:
        values = {
            "run": self.run,
            "generation": event.generation,
            "ended": now(),
            "seconds": event.seconds,
            "games": event.games,
            "positions": event.positions,
            "policy_loss": event.policy_loss,
            "value_loss": event.value_loss,
            "report": asdict(event),
        }
        return Entry("generations", values)

    def _evaluation_entry(self, event: PerfectPlayMeasured | NetworksCompared | StrengthMeasured, opponent: str) -> Entry:
        kind = type(event).__name__
        values = {
            "id": id_of(self.run, kind, event.generation, opponent),
            "run": self.run,
            "generation": event.generation,
            "kind": kind,
            "opponent": opponent,
            "seconds": event.seconds,
            "report": asdict(event),
        }
        return Entry("evaluations", values)

    def _match_entries(self, event: MatchPlayed) -> Iterator[Entry]:
        """The match, and its games: those with odd numbers begin with the newest network."""
        names = self._network(event.generation, event.simulations), event.opponent
        if event.opponent_generation is not None:
            names = names[0], self._network(event.opponent_generation, event.simulations)
        match = id_of(self.run, event.source, event.generation, event.opponent)
        values = {"id": match, "game": self._game, "player": names[0], "opponent": names[1], "planned": len(event.games)}
        yield Entry("matches", {**values, "source": event.source, "begun": now(), "run": self.run, "who": who()})
        for number, played in enumerate(event.games, start=1):
            record = GameRecord(
                game=self._game,
                players=names if number % 2 else names[::-1],
                start=played.start,
                moves=played.moves,
                opening=played.opening,
                plies=played.plies,
                result=played.result,
                reason="rules",
                seconds=(0.0, 0.0),
                ended=now(),
            )
            game_id = id_of(match, number, played.moves)
            yield game_entry(StoredGame(game_id, record, event.source, match, number, self.run, event.generation, who()))

    def _network(self, generation: int, simulations: int) -> str:
        return f"alphazero:network={self._folder.network(generation)},sims={simulations}"

    def _game_entry(self, game: SelfPlayGame, ended: str) -> Entry:
        """A game of self-play, which is known by its number in the run."""
        rules = find_game(game.game)
        player = f"alphazero:network={self._folder.path}"
        record = GameRecord(
            game=game.game,
            players=(player, player),
            start=rules.board_to_text(game.start),
            moves=rules.moves_to_text([int(action) for action in game.actions]),
            opening=int(np.isnan(game.values).cumprod().sum()),  # moves that no search chose
            plies=game.plies,
            result=RESULTS[game.result],
            reason="resignation" if game.resigned else "rules",
            seconds=(0.0, 0.0),
            ended=ended,
        )
        game_id = id_of(self.run, SELF_PLAY, game.number)
        stored = StoredGame(game_id, record, SELF_PLAY, None, game.number, self.run, game.generation, who())
        return game_entry(stored)


def run_entry(folder: RunFolder) -> Entry:
    """The row of a run, which whatever belongs to it refers to."""
    settings = folder.settings()
    values = {
        "id": _run_id(folder.path),
        "folder": str(folder.path.absolute()),
        "game": settings.game,
        "settings": settings.model_dump(mode="json"),
        "begun": moment((folder.path / "settings.json").stat().st_mtime),  # a run begins by writing them
        "who": who(),
    }
    return Entry("runs", values)


def _run_id(folder: Path) -> str:
    """The id that the run has in every log; it stays with the folder, wherever that is moved. A copy is a run of its own.

    The id is kept with the place where it was given, so that a copy, whose original is still there, can be told.
    """
    path, here = folder / ID_FILE, folder.resolve()
    run, home = _kept_id(folder)
    if run and home == here:
        return run
    if not run or (home is not None and _kept_id(home)[0] == run and not here.samefile(home)):
        run = new_id()
    try:
        write_durably(path, f"{run}\n".encode() + os.fsencode(here))
    except OSError:  # a folder that we may only read has the same id every time
        return id_of("run", here)
    return run


def _kept_id(folder: Path) -> tuple[str, Path | None]:
    """The id that was given to a run, and where; neither where none was."""
    try:
        run, _, home = (folder / ID_FILE).read_bytes().partition(b"\n")
    except OSError:
        return "", None
    return run.decode(errors="replace").strip(), Path(os.fsdecode(home)) if home.strip() else None
