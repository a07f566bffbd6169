"""`kill -9` at random moments of a run: nothing is lost, nothing is there twice, and it goes on every time."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from training_runs import assert_nothing_lost_or_twice, begin, checkpoint_of, game_numbers, games_on_disk

from boardzero.network.weights import load_network
from boardzero.training.loop import Training
from boardzero.training.run_folder import Promotions, RunFolder

REPORTING = """
import os, sys, time
from pathlib import Path
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder

run = SelfPlayWorker.run
def reporting(self, evaluate, generation, on_game, stop):
    def report(game):
        os.write(1, f"{game.number} {time.time()}\\n".encode())
        on_game(game)
    run(self, evaluate, generation, report, stop)
SelfPlayWorker.run = reporting
with Training(RunFolder(Path(sys.argv[1])), lambda event: None) as training:
    training.run()
"""
GATE = ("gate.kind=percentage", "gate.percentage=20", "gate.games=6")
CLEARING = ("replay.window.clear_on_promotion=true", "replay.window.kind=all")
GROWING = ("growth.share=0.00003", "growth.blocks=2", "growth.channels=12")  # with the fourth generation
MODES = {
    "alternating": (),
    "gated": (*GATE, *CLEARING),
    "concurrent": ("mode=concurrent",),
    "concurrent and gated": ("mode=concurrent", *GATE),
    "concurrent, gated and clearing": ("mode=concurrent", *GATE, *CLEARING, "evaluation.every=2", "evaluation.games=4"),
    "concurrent, gated and growing": ("mode=concurrent", *GATE, *GROWING),
}
KILLS = 20
DURABLE_SECONDS = 5


class Witness:
    """Sees what a run says and leaves behind, from one kill to the next."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.finished: dict[int, float] = {}  # when each game ended that has not been lost
        self.generation = 0
        self.promotions = Promotions()

    def hear(self, lines: str) -> None:
        """A number is not given to a second game unless the first was lost."""
        for line in lines.splitlines():
            number, when = line.split()
            assert int(number) not in self.finished
            self.finished[int(number)] = float(when)

    def look(self, killed: float) -> None:
        """The folder, as the kill at this moment left it."""
        numbers = game_numbers(self.folder)
        on_disk = set(numbers)
        assert len(on_disk) == len(numbers)
        assert {number for number, when in self.finished.items() if when < killed - DURABLE_SECONDS} <= on_disk
        self.finished = {number: when for number, when in self.finished.items() if number in on_disk}
        if self.folder.checkpoint.is_file() or self.folder.checkpoint_before.is_file():
            progress, _ = checkpoint_of(self.folder)
            assert progress.generation >= self.generation
            self.generation = progress.generation
        self._look_at_promotions()

    def _look_at_promotions(self) -> None:
        """What was decided stays; only who was promoted has played, and can be read still."""
        folder, before = self.folder, self.promotions
        now = folder.load_promotions(lambda sentence: pytest.fail(sentence))
        assert now.promoted[: len(before.promoted)] == before.promoted
        assert list(now.promoted) == sorted(set(now.promoted))
        assert max(now.promoted, default=0) <= now.compared <= self.generation
        assert now.compared >= before.compared and now.cleared >= before.cleared
        self.promotions = now
        if folder.settings().gate.kind != "none":
            for generation in now.promoted:
                load_network(folder.network(generation))
            played = {int(generation) for games in games_on_disk(folder) for generation in games.generations}
            assert played <= {0, *now.promoted}


def run_and_kill(folder: RunFolder, seconds: float, after_a_game: bool) -> tuple[str, float]:
    """What a process said of the games that it finished, and when it was killed."""
    process = subprocess.Popen([sys.executable, "-c", REPORTING, str(folder.path)], stdout=subprocess.PIPE, text=True)
    first = ""
    try:
        if after_a_game:
            assert process.stdout is not None
            first = process.stdout.readline()
        time.sleep(seconds)
        assert process.poll() is None, "it ended by itself"
    finally:
        process.send_signal(signal.SIGKILL)
        killed = time.time()
        said, _ = process.communicate()
    return first + said, killed


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_killed_twenty_times_nothing_is_lost(tmp_path: Path, mode: str) -> None:
    """Every game that was finished five seconds before is there, none is twice, the gate forgets nothing, and it goes on."""
    changes = ("selfplay.workers=2", "training.positions=400", "replay.shard_games=500", *MODES[mode])
    folder = begin(tmp_path / "run", *changes, generations=100_000)
    draw, witness = random.Random(1), Witness(folder)
    for kill in range(KILLS):  # in turns at any moment of the beginning, and after the first game, however slow the machine is
        said, killed = run_and_kill(folder, draw.uniform(1, 8), after_a_game=bool(kill % 2))
        witness.hear(said)
        witness.look(killed)
    assert witness.generation >= 3
    assert len(witness.finished) > 500
    if "gated" in mode:
        assert witness.promotions.promoted
    numbers = game_numbers(folder)
    with Training(folder, lambda _: None) as training:  # every game counts once: it was learned from, or waits
        assert training.progress.games + training.quota.games == len(numbers)
        assert training.best == (witness.promotions.best if "gated" in mode else training.progress.generation)
        assert training.progress.grown == ("growing" in mode)
    if mode == "alternating":
        assert_nothing_lost_or_twice(folder)
    print(f"{mode}: {witness.generation} generations, {len(numbers)} games, {len(witness.promotions.promoted)} promotions")
