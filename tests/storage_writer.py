"""One of several processes that write to a log at the same moment: python storage_writer.py URL FOLDER NAME COUNT."""

import sys
from pathlib import Path

from boardzero.events.games import GamePlayed, GameRecord
from boardzero.storage.listeners import MatchLog
from boardzero.storage.log import GameLog


def refuse(sentence: str) -> None:
    """Nothing should have to be said."""
    raise AssertionError(sentence)


def main(url: str, folder: str, name: str, count: int) -> None:
    players = (name, "other")
    with GameLog(url, refuse, folder=Path(folder)) as log:
        hear = MatchLog(log, "match")
        for number in range(1, count + 1):
            moves = f"a1 b{number % 3 + 1}"
            record = GameRecord("tictactoe", players, "s", moves, 0, 2, "first", "time", (0.0, 0.0), "2031-01-31T12:00:00Z")
            hear(GamePlayed(players, number, count, (float(number), 0.0), record))
            if number % 10 == 0:
                log.flush()  # many transactions, so that the writers meet


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
