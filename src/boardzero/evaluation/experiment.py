"""Experiments: train every variant with every seed, play the matches, and leave all of it in a folder, resumable."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardzero.arena.game import derived_seed
from boardzero.arena.match import MatchResult, MatchSettings
from boardzero.arena.openings import Openings
from boardzero.errors import BadInput
from boardzero.evaluation.batched_games import PlannedGame, play_together
from boardzero.evaluation.experiment_file import Experiment, MatchPlan, Variant
from boardzero.events.games import GameRecord
from boardzero.games.catalogue import find_game
from boardzero.network.weights import write_whole
from boardzero.players.catalogue import find_player
from boardzero.training.run_folder import RunFolder

FINISHED = "finished"  # a file in the folder of a run that has come to its end
MATCHES = "matches.json"
Say = Callable[[str], None]


@dataclass(frozen=True)
class PlannedRun:
    """One variant with one seed."""

    variant: Variant
    seed: int
    folder: RunFolder

    @property
    def finished(self) -> bool:
        return (self.folder.path / FINISHED).is_file()

    def __str__(self) -> str:
        return f"{self.variant.name}, seed {self.seed}"


class ExperimentRuns:
    """The folder of an experiment: a run's folder for each variant and seed, and the matches."""

    def __init__(self, experiment: Experiment, path: Path) -> None:
        self.experiment, self.path = experiment, path
        self.runs = [
            PlannedRun(variant, seed, RunFolder(path / f"{variant.name}-{seed}"))
            for seed in experiment.base.seeds
            for variant in experiment.variant
        ]
        for run in self.runs:  # what is there already must be of this experiment
            wanted = experiment.settings_of(run.variant, run.seed)
            if run.folder.exists and run.folder.settings() != wanted:
                raise BadInput(
                    f"'{run.folder.path}' was begun with other settings; finish it with them, or choose another --out."
                )

    # -- training ------------------------------------------------------------------------------------------------------
    def train(self, parallel: int, say: Say) -> None:
        """Train what is not finished, at most so many at the same time, each in a process of its own."""
        waiting = [run for run in self.runs if not run.finished]
        going_on: dict[int, tuple[PlannedRun, subprocess.Popen[bytes]]] = {}
        done = len(self.runs) - len(waiting)
        try:
            while waiting or going_on:
                while waiting and len(going_on) < parallel:
                    run = waiting.pop(0)
                    process = self._start(run)
                    going_on[process.pid] = (run, process)
                    say(f"{run}: training ({done + len(going_on)} of {len(self.runs)})")
                for run, process in list(going_on.values()):
                    if process.poll() is not None:
                        del going_on[process.pid]
                        self._end(run, process)
                        done += 1
                        say(f"{run}: done")
                time.sleep(0.2)
        finally:
            for _, process in going_on.values():  # interrupted, or one failed: the others stop too, and can be gone on with
                process.terminate()
            for _, process in going_on.values():
                process.wait()

    def _start(self, run: PlannedRun) -> subprocess.Popen[bytes]:
        if not run.folder.exists:
            run.folder.create(self.experiment.settings_of(run.variant, run.seed))
        command = [sys.executable, "-c", "from boardzero.cli.main import main; main()", "resume", str(run.folder.path)]
        with (run.folder.path / "output.txt").open("ab") as output:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    def _end(self, run: PlannedRun, process: subprocess.Popen[bytes]) -> None:
        if process.returncode != 0:
            raise BadInput(f"The training of {run} failed; '{run.folder.path / 'output.txt'}' says why.")
        write_whole(run.folder.path / FINISHED, b"")

    # -- matches -------------------------------------------------------------------------------------------------------
    def play_matches(self, say: Say) -> list[dict[str, Any]]:
        """The results of all matches; those that were played before are read."""
        path = self.path / MATCHES
        kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
        results: list[dict[str, Any]] = []
        for plan in self.experiment.match:
            asked = plan.model_dump()
            known = next((one for one in kept if one["asked"] == asked), None)
            if known is None:
                say(f"{plan.player} against {plan.opponent}: {plan.games} games")
                known = {"asked": asked, **play_match(self.experiment.base.game, plan, self.experiment.seed).as_dict()}
                kept.append(known)
                self.path.mkdir(parents=True, exist_ok=True)
                write_whole(path, json.dumps(kept, ensure_ascii=False, indent=1).encode())
            results.append(known)
        return results


def play_match(game: str, plan: MatchPlan, seed: int) -> MatchResult:
    """The match that `boardzero match` would play, many of its games at once."""
    rules = find_game(game)
    players = (find_player(plan.player, rules, seed), find_player(plan.opponent, rules, seed))
    openings = Openings(rules, seed)
    games = list(_planned(players, openings, plan.games, seed))
    records: dict[int, GameRecord] = {}
    play_together(games, records.__setitem__)
    names = (players[0].specification, players[1].specification)
    ordered = tuple(records[number] for number in range(len(games)))
    different = openings.different((len(games) + 1) // 2)
    return MatchResult(rules.specification, names, MatchSettings(plan.games, seed), ordered, different, None)


def _planned(players: tuple[Any, Any], openings: Openings, count: int, seed: int) -> Iterator[PlannedGame]:
    for number in range(count):
        colours = players if number % 2 == 0 else (players[1], players[0])
        yield PlannedGame(colours, openings[number // 2].position(players[0].game), derived_seed(seed, number))
