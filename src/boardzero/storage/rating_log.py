"""Ratings, and the games that were played for them, on their way into the log."""

from pathlib import Path

from boardzero.evaluation.rating import Ratings
from boardzero.events.games import GameRecord
from boardzero.storage.entries import Entry, new_id, now, who
from boardzero.storage.listeners import log_game
from boardzero.storage.log import GameLog
from boardzero.storage.run_log import run_entry
from boardzero.training.run_folder import RunFolder

SOURCE = "rating"


class RatingLog:
    """Hears the games of one rating (`GameReport`), and in the end what they came to."""

    def __init__(self, log: GameLog) -> None:
        self._log = log

    def __call__(self, record: GameRecord) -> None:
        log_game(self._log, record, SOURCE)

    def fitted(self, answer: Ratings) -> None:
        """Ratings that were fitted together: one row a player, and one for each run that networks belong to."""
        folders = dict.fromkeys(one.entrant.run for one in answer.rated if one.entrant.run is not None)
        runs = {folder: run_entry(RunFolder(Path(folder))) for folder in folders}
        common = {"fit": new_id(), "game": answer.game, "scale": answer.scale.name, "made": now(), "who": who()}
        rows = []
        for one in answer.rated:
            fixed = one.entrant.name == answer.anchor
            low, high = (None, None) if fixed else one.interval
            values = {
                "player": one.entrant.name,
                "rating": float(one.rating),
                "low": None if low is None else float(low),
                "high": None if high is None else float(high),
                "games": one.games,
                "run": None if one.entrant.run is None else runs[one.entrant.run].values["id"],
            }
            rows.append(Entry("ratings", {**common, **values}))
        self._log.write([*runs.values(), *rows])
