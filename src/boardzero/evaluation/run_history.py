"""What happened in a run, as series that can be drawn."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardzero.errors import BadInput
from boardzero.evaluation.run_forms import EVENTS, KeptFile, KeptPerfectPlay, KeptRatings, is_event
from boardzero.network.weights import write_whole
from boardzero.settings.run import RunSettings
from boardzero.training.run_folder import RunFolder

RATINGS, PERFECT = "ratings.json", "perfect.json"  # what `boardzero rate` and `boardzero perfect --run` leave in a run's folder


@dataclass(frozen=True)
class RunHistory:
    """One run: its settings, and its events by generation, oldest first. Everything is as the events say it."""

    label: str
    folder: RunFolder
    settings: RunSettings
    generations: list[dict[str, Any]]
    perfect: list[dict[str, Any]]  # mistakes against perfect play, measured while training
    strengths: list[dict[str, Any]]  # matches against opponents, measured while training
    comparisons: list[dict[str, Any]]  # matches of the gate
    ratings: dict[str, Any] | None  # of the last `boardzero rate`
    measured: dict[str, Any] | None  # of the last `boardzero perfect --run`
    remarks: tuple[str, ...] = ()  # sentences on what was left out, as it is not as this program writes it

    @property
    def minutes(self) -> float:
        return self.generations[-1]["seconds"] / 60 if self.generations else 0.0

    def own_ratings(self) -> list[dict[str, Any]]:
        """Of this run's networks, by generation: as `boardzero rate` left them, each with its `generation` in this run.

        Networks are known by the run's path; if none has it, the folder was moved, and the only one of its name is meant.
        """
        players = self.ratings["players"] if self.ratings else []
        places = [(Path(run), generation, player) for player in players for run, generation in _places(player)]
        here = self.folder.path.resolve()
        meant = {run for run, _, _ in places if run.resolve() == here} or {run for run, _, _ in places if run.name == here.name}
        if len({run.resolve() for run in meant}) != 1:
            return []
        own = [{**player, "generation": generation} for run, generation, player in places if run in meant]
        return sorted(own, key=lambda player: int(player["generation"]))

    def minutes_at(self, generation: int) -> float | None:
        """When a network was ready."""
        if generation == 0:
            return 0.0
        return next((one["seconds"] / 60 for one in self.generations if one["generation"] == generation), None)


def _places(player: dict[str, Any]) -> list[tuple[str, int]]:
    """Folders of runs that a rated network belongs to, and its generation there."""
    if "places" in player:
        return [(run, generation) for run, generation in player["places"]]
    return [] if player["run"] is None or player["generation"] is None else [(player["run"], player["generation"])]


def read_history(path: Path, label: str) -> RunHistory:
    """A run that is not there, or has not finished a generation, is refused (BadInput)."""
    folder = RunFolder(path)
    settings = folder.settings()
    remarks: list[str] = []
    events = _measurements(folder, remarks.append)
    generations = _latest(events, "GenerationDone", ())
    if not generations:
        missing = f"The run in '{path}' has not finished its first generation, so there is nothing to report yet."
        raise BadInput(" ".join([missing, *remarks]))
    return RunHistory(
        label,
        folder,
        settings,
        generations,
        _latest(events, "PerfectPlayMeasured", ("simulations",)),
        _latest(events, "StrengthMeasured", ("opponent",)),
        _latest(events, "NetworksCompared", ("best",)),
        kept(path / RATINGS, KeptRatings, remarks.append),
        kept(path / PERFECT, KeptPerfectPlay, remarks.append),
        tuple(remarks),
    )


def _measurements(folder: RunFolder, left_out: Callable[[str], None]) -> list[dict[str, Any]]:
    """Events that reports are about, oldest first; how many of them lack something is said."""
    events = [event for event in folder.read_events() if isinstance(event, dict) and str(event.get("event")) in EVENTS]
    whole = [event for event in events if is_event(event)]
    if odd := len(events) - len(whole):
        lines = "1 line is" if odd == 1 else f"{odd} lines are"
        left_out(f"{lines} left out of '{folder.events}': not all is there that such an event says.")
    return whole


def _latest(events: list[dict[str, Any]], name: str, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    """Events of a kind; what a run that was resumed did again counts once, as it went the last time."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for event in events:
        if event["event"] == name:
            key = (event["generation"], *(event[key] for key in keys))
            found.pop(key, None)
            found[key] = event
    return sorted(found.values(), key=lambda event: event["generation"])


def keep(path: Path, content: dict[str, Any]) -> None:
    """Leave what was measured in a run's folder, where its report finds it."""
    try:
        write_whole(path, json.dumps(content, ensure_ascii=False, indent=1).encode())
    except OSError as error:
        raise BadInput(f"What was measured cannot be kept in '{path}': {error.strerror or error}.") from None


def kept(path: Path, form: type[KeptFile], left_out: Callable[[str], None] = lambda _: None) -> dict[str, Any] | None:
    """What `keep` left there; None where there is nothing, or something of another form, which is said."""
    if not path.is_file():
        return None
    try:
        content = path.read_bytes()
    except OSError as error:
        left_out(f"'{path}' is left out: {error.strerror or error}.")
        return None
    if not form.fits(content):
        left_out(f"'{path}' is left out: it is not as {form.command} writes it, which can write it anew.")
        return None
    return dict(json.loads(content))
