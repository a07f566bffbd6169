"""Experiments: train every variant with every seed, play the matches, and leave all of it in a folder, resumable."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from boardzero.arena.game import derived_seed
from boardzero.arena.match import MatchResult, MatchSettings, points_of
from boardzero.arena.openings import Openings
from boardzero.cores import usable_cores
from boardzero.errors import BadInput
from boardzero.evaluation.batched_games import PlannedGame, play_together
from boardzero.evaluation.entrants import player_named
from boardzero.evaluation.experiment_file import Experiment, MatchPlan, Variant
from boardzero.events.games import GameListener, GamePlayed, GameRecord
from boardzero.games.catalogue import find_game
from boardzero.network.weights import write_whole
from boardzero.players.catalogue import find_player
from boardzero.settings.changes import said_setting, single_settings
from boardzero.settings.run import RunSettings
from boardzero.training.run_folder import RunFolder
from boardzero.training.sittings import this_sitting

FINISHED = "finished"  # a file in the folder of a run that has come to its end
MATCHES = "matches.json"
COMMAND_LINE = "from boardzero.cli.main import main; main()"
STOP_SECONDS = 60.0  # that trainings have to end well when they are asked to
Say = Callable[[str], None]
Process = subprocess.Popen[bytes]


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
            if run.folder.exists:
                _refuse_others(run.folder, experiment.settings_of(run.variant, run.seed))
        _refuse_bad_players(experiment)

    # -- training ------------------------------------------------------------------------------------------------------
    def train(self, parallel: int, say: Say, options: Sequence[str] = ()) -> None:
        """Train what is not finished, at most so many at the same time, each in a process and on cores of its own.

        options: of the command that trains, like --log.
        """
        waiting = [run for run in self.runs if not run.finished]
        places = shares_of_cores(parallel)
        going_on: dict[int, tuple[PlannedRun, Process]] = {}  # by place
        done = len(self.runs) - len(waiting)
        with _ended_as_by_ctrl_c():
            try:
                while waiting or going_on:
                    for place in range(parallel):
                        if waiting and place not in going_on:
                            run = waiting.pop(0)
                            going_on[place] = run, self._start(run, places[place], options)
                            say(f"{run}: training ({done + len(going_on)} of {len(self.runs)})")
                    for place, (run, process) in list(going_on.items()):
                        if process.poll() is not None:
                            del going_on[place]
                            self._end(run, process)
                            done += 1
                            say(f"{run}: done")
                    time.sleep(0.2)
            finally:  # interrupted, or one failed: the others stop too, and can be gone on with
                stop_processes([process for _, process in going_on.values()])

    def _start(self, run: PlannedRun, cores: Sequence[int], options: Sequence[str]) -> Process:
        """In a group of its own: a Ctrl-C in the terminal reaches it through this process, once."""
        if not run.folder.exists:
            run.folder.create(self.experiment.settings_of(run.variant, run.seed))
        program = f"from boardzero.cores import use_cores; use_cores({list(cores)}); {COMMAND_LINE}"
        command = [sys.executable, "-c", program, "resume", str(run.folder.path), *options]
        with (run.folder.path / "output.txt").open("ab") as output:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, process_group=0)

    def _end(self, run: PlannedRun, process: subprocess.Popen[bytes]) -> None:
        if process.returncode != 0:
            raise BadInput(f"The training of {run} failed; '{run.folder.path / 'output.txt'}' says why.")
        write_whole(run.folder.path / FINISHED, b"")

    # -- matches -------------------------------------------------------------------------------------------------------
    def play_matches(self, say: Say, listen: GameListener | None = None) -> list[dict[str, Any]]:
        """The results of all matches; those that were played before are read."""
        path = self.path / MATCHES
        kept = _read_matches(path)
        results: list[dict[str, Any]] = []
        for plan in self.experiment.match:
            asked = {"game": self.experiment.game, "seed": self.experiment.seed, **plan.model_dump(exclude={"document"})}
            known = next((one for one in kept if asked.items() <= one["asked"].items()), None)
            if known is None:
                say(f"{plan.player} against {plan.opponent}: {plan.games} games")
                played = play_match(self.experiment.game, plan, self.experiment.seed, listen)
                known = {"asked": asked, "sitting": asdict(this_sitting()), **played.as_dict()}
                kept.append(known)
                self.path.mkdir(parents=True, exist_ok=True)
                write_whole(path, json.dumps(kept, ensure_ascii=False, indent=1).encode())
            results.append({**known, "document": plan.document})
        return results


def _refuse_others(folder: RunFolder, wanted: RunSettings) -> None:
    """A run that was begun for another experiment, or for this one before its file was changed."""
    begun, now = (single_settings(settings.model_dump()) for settings in (folder.settings(), wanted))
    changed = [f"{key} was {said_setting(begun[key])}, not {said_setting(now[key])}" for key in now if begun[key] != now[key]]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise BadInput(
            f"'{folder.path}' was begun with other settings ({changed[0]}{more}); finish it with them, or choose another --out."
        )


def _refuse_bad_players(experiment: Experiment) -> None:
    """Who cannot play in matches and ratings is refused before anything is trained, not hours later."""
    game = find_game(experiment.game)
    named = [name for plan in experiment.match for name in (plan.player, plan.opponent)]
    is_rated = experiment.variant and experiment.measure.rating_games
    for name in dict.fromkeys([*named, *(experiment.measure.anchors if is_rated else ())]):
        player_named(name, game).close()


def _read_matches(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if all(isinstance(one["asked"], dict) for one in kept):
            return list(kept)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise BadInput(f"The matches in '{path}' cannot be read; remove the file, and they are played again.")


def usual_parallel(experiment: Experiment) -> int:
    """As many trainings at a time as have a core for each of their workers; one, where a training takes all cores."""
    workers = [experiment.settings_of(one, experiment.base.seeds[0]).selfplay.workers for one in experiment.variant]
    return max(1, len(usable_cores()) // max(workers)) if workers and min(workers) > 0 else 1


def shares_of_cores(parallel: int) -> list[list[int]]:
    """The cores of each of so many trainings: equally many, and no two have one in common while there are enough."""
    cores = usable_cores()
    each = max(1, len(cores) // parallel)
    return [[cores[(place * each + number) % len(cores)] for number in range(each)] for place in range(parallel)]


def stop_processes(processes: Sequence[Process]) -> None:
    """Ask trainings to end, as by Ctrl-C, so that they lose nothing; one that takes too long, or a second Ctrl-C, ends them."""
    for process in processes:
        process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
    until = time.monotonic() + STOP_SECONDS
    try:
        for process in processes:
            process.wait(max(0.0, until - time.monotonic()))
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


@contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """A closed terminal, or a signal to end, is like Ctrl-C meanwhile: nothing goes on training unseen."""
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {name: signal.signal(getattr(signal, name), signal.default_int_handler) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def play_match(game: str, plan: MatchPlan, seed: int, listen: GameListener | None = None) -> MatchResult:
    """The match that `boardzero match` would play, many of its games at once."""
    rules = find_game(game)
    players = (find_player(plan.player, rules, seed), find_player(plan.opponent, rules, seed))
    openings = Openings(rules, seed)
    games = list(_planned(players, openings, plan.games, seed))
    records: dict[int, GameRecord] = {}
    points = [0.0, 0.0]
    names = (players[0].specification, players[1].specification)

    def take(number: int, record: GameRecord) -> None:
        records[number] = record
        own = points_of(record, number % 2)
        points[0], points[1] = points[0] + own, points[1] + 1 - own
        if listen is not None:
            listen(GamePlayed(names, number + 1, plan.games, (points[0], points[1]), record))

    try:
        play_together(games, take)
    finally:
        for player in players:
            player.close()
    ordered = tuple(records[number] for number in range(len(games)))
    different = openings.different((len(games) + 1) // 2)
    return MatchResult(rules.specification, names, MatchSettings(plan.games, seed), ordered, different, None)


def _planned(players: tuple[Any, Any], openings: Openings, count: int, seed: int) -> Iterator[PlannedGame]:
    for number in range(count):
        colours = players if number % 2 == 0 else (players[1], players[0])
        yield PlannedGame(colours, openings[number // 2].position(players[0].game), derived_seed(seed, number))
