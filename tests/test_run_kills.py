"""`kill -9` at random moments of a run: nothing is lost, nothing is there twice, and it goes on every time.

A moment is not a number of seconds alone, for what a slow machine has done by then is little: most kills wait until something
has happened. And since the moments that matter most, while files change, are short, some fall exactly between two changes of
the disk, whichever thread makes them.
"""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import pytest
from training_runs import assert_nothing_lost_or_twice, begin, checkpoint_of, game_numbers, games_on_disk

from boardzero.network.weights import load_network
from boardzero.training.loop import Training
from boardzero.training.run_folder import Promotions, RunFolder

PROGRAM = Path(__file__).with_name("reported_run.py")
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
ROUNDS = 5  # of four kills
CHANGES = 80  # of the disk, among which a kill between two of them falls: several generations make so many
DURABLE_SECONDS = 5
PATIENCE = 300.0  # seconds that something awaited may take


@dataclass(frozen=True)
class Moment:
    """When a process is killed: so many seconds after it has said this, or before this change of the disk."""

    seconds: float = 0.0
    said: str = ""  # how the line begins; nothing: from its start on
    change: int = 0


def moments(gated: bool, draw: random.Random) -> Iterator[Moment]:
    """After five rounds there are five generations, and five comparisons if there is a gate."""
    for _ in range(ROUNDS):
        yield Moment(draw.uniform(0, 8))
        yield Moment(draw.uniform(0, 3), said="game")
        yield Moment(change=draw.randint(1, CHANGES))
        yield Moment(draw.uniform(0, 1), said="NetworksCompared" if gated else "GenerationDone")


class Witness:
    """Sees what a run says and leaves behind, from one kill to the next."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.finished: dict[int, float] = {}  # when each game ended that has not been lost
        self.generation = 0
        self.promotions = Promotions()

    def hear(self, lines: list[str]) -> None:
        """A number is not given to a second game unless the first was lost."""
        for kind, *rest in map(str.split, lines):
            if kind == "game":
                number, when = rest
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
        damaged = [path for path in self.folder.path.rglob("*.damaged") if ".journal" not in path.suffixes]
        assert not damaged  # a kill may tear the last games of a journal, and nothing else

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


def run_and_kill(folder: RunFolder, moment: Moment) -> tuple[list[str], float]:
    """What a process said before it was killed, and when that was."""
    command = [sys.executable, str(PROGRAM), str(folder.path), str(moment.change)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines: list[str] = []
    heard, ended = Event(), Event()

    def listen() -> None:  # all the time: a process that nobody listens to would soon stand still
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if line.startswith(moment.said):
                heard.set()
        ended.set()
        heard.set()

    listener = Thread(target=listen)
    listener.start()
    try:
        if moment.change:
            assert ended.wait(PATIENCE), f"there were no {moment.change} changes of the disk"
        elif moment.said:
            assert heard.wait(PATIENCE), f"it never said {moment.said}"
        time.sleep(moment.seconds)
        assert moment.change or not ended.is_set(), "it ended by itself"
    finally:
        killed = time.time()
        process.kill()
        process.wait()
        listener.join()
    if moment.change:
        last, _, when = lines[-1].split()
        assert last == "dead", "it ended by itself"
        killed = float(when)
    return lines, killed


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_killed_twenty_times_nothing_is_lost(tmp_path: Path, mode: str) -> None:
    """Every game that was finished five seconds before is there, none is twice, the gate forgets nothing, and it goes on."""
    changes = ("selfplay.workers=2", "training.positions=400", "replay.shard_games=500", *MODES[mode])
    folder = begin(tmp_path / "run", *changes, generations=100_000)
    gated, witness = "gated" in mode, Witness(folder)
    for moment in moments(gated, random.Random(1)):
        said, killed = run_and_kill(folder, moment)
        witness.hear(said)
        witness.look(killed)
    assert witness.generation >= ROUNDS
    assert len(witness.finished) > 300
    assert bool(witness.promotions.promoted) == gated
    numbers = game_numbers(folder)
    with Training(folder, lambda _: None) as training:  # every game counts once: it was learned from, or waits
        assert training.progress.games + training.quota.games == len(numbers)
        assert training.best == (witness.promotions.best if gated else training.progress.generation)
        assert training.progress.grown == ("growing" in mode)
    if mode == "alternating":
        assert_nothing_lost_or_twice(folder)
    print(f"{mode}: {witness.generation} generations, {len(numbers)} games, {len(witness.promotions.promoted)} promotions")
