"""What happened in a run, as series that can be drawn."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardzero.errors import BadInput
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
    return [] if player["run"] is None else [(player["run"], player["generation"])]


def read_history(path: Path, label: str) -> RunHistory:
    """A run that is not there, or has not finished a generation, is refused (BadInput)."""
    folder = RunFolder(path)
    settings = folder.settings()
    events = folder.read_events()
    generations = _latest(events, "GenerationDone", ())
    if not generations:
        raise BadInput(f"The run in '{path}' has not finished its first generation, so there is nothing to report yet.")
    return RunHistory(
        label,
        folder,
        settings,
        generations,
        _latest(events, "PerfectPlayMeasured", ("simulations",)),
        _latest(events, "StrengthMeasured", ("opponent",)),
        _latest(events, "NetworksCompared", ("best",)),
        kept(path / RATINGS, "players"),
        kept(path / PERFECT, "networks"),
    )


def _latest(events: list[dict[str, Any]], name: str, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    """Events of a kind; what a run that was resumed did again counts once, as it went the last time."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for event in events:
        if isinstance(event, dict) and event.get("event") == name:
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


def kept(path: Path, key: str) -> dict[str, Any] | None:
    """What `keep` left there; None where there is nothing with this key."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) and key in content else None
