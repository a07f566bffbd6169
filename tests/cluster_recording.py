"""A training on a cluster that notes which games its players were told about: those they may forget.

As a program: python cluster_recording.py FOLDER ADDRESS PLAYERS LOG goes on with a run, and notes them in a file.
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from training_runs import game_numbers

from boardzero.cluster.connection import ClusterAddress, connected
from boardzero.cluster.intake import Intake
from boardzero.cluster.orders import LEASE, Answer
from boardzero.cluster.selfplay import ClusterSelfPlay
from boardzero.cluster.training import ClusterTraining
from boardzero.cluster.workforce import Hand
from boardzero.replay.record import SelfPlayGame
from boardzero.training.run_folder import RunFolder

IN_FLIGHT = 16  # games of one player in short runs


class RecordingIntake(Intake):
    """taken: numbers of all games that counted; told: of those whose players were told that they are in the journal."""

    def __init__(self, *arguments: Any, log: Path | None) -> None:
        super().__init__(*arguments)
        self.taken: list[int] = []
        self.told: list[int] = []
        self._log = log

    def take(self, hand: Hand, order: int, answer: Answer) -> list[SelfPlayGame]:
        games = super().take(hand, order, answer)
        self.taken += [game.number for game in games]
        return games

    def acknowledge(self) -> None:
        numbers = self.taken[len(self.told) :]
        self.told += numbers
        if self._log is not None:
            with self._log.open("a") as file:
                file.writelines(f"{number}\n" for number in numbers)
        super().acknowledge()


class Recorded(ClusterTraining):
    """A training whose intake is recorded."""

    def __init__(self, *arguments: Any, log: Path | None = None) -> None:
        self._log = log
        super().__init__(*arguments)

    def _make_selfplay(self, first: int) -> ClusterSelfPlay:
        source = super()._make_selfplay(first)
        self.intake = RecordingIntake(self.settings.seed, source.leases, source.tallies, log=self._log)
        source._intake = self.intake
        return source


def check_every_game_once(folder: RunFolder, training: Recorded, before: list[int] | None = None) -> None:
    """before: numbers of games that were on disk when the training began."""
    on_disk = game_numbers(folder)
    assert len(set(on_disk)) == len(on_disk)
    assert sorted([*(before or []), *training.intake.taken]) == sorted(on_disk)


def gaps(numbers: list[int]) -> dict[int, int]:
    """For each block of numbers, which one life of a player had: how many below its highest are missing."""
    highest, counts = dict[int, int](), Counter(number // LEASE for number in numbers)
    for number in numbers:
        highest[number // LEASE] = max(number % LEASE, highest.get(number // LEASE, 0))
    return {block: highest[block] + 1 - count for block, count in counts.items()}


if __name__ == "__main__":
    folder, address, players, log_file = sys.argv[1:]
    with (
        connected(ClusterAddress.parse(address)) as ray,
        Recorded(RunFolder(Path(folder)), print, ray, int(players), lambda _: None, log=Path(log_file)) as training,
    ):
        training.run()
