"""The report of a run, or of several laid over each other: one page, and the same charts as pictures."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from boardzero.arena.solved_games import is_solved
from boardzero.errors import BadInput
from boardzero.evaluation.charts import SCALES, charts_of, write_pictures
from boardzero.evaluation.entrants import run_labels
from boardzero.evaluation.example_games import newest_games
from boardzero.evaluation.game_pictures import game_charts
from boardzero.evaluation.matrix_chart import matrices
from boardzero.evaluation.page import Page, TableOnPage
from boardzero.evaluation.run_history import RunHistory, read_history
from boardzero.games.catalogue import find_game
from boardzero.settings.changes import said_setting, single_settings
from boardzero.settings.presets import default_values
from boardzero.settings.run import RunSettings

ALONE, TOGETHER = "report.html", "comparison.html"  # a comparison leaves the report of its first run as it is


def write_report(runs: Sequence[Path], out: Path | None = None, pictures: bool = False) -> list[Path]:
    """Write the page (into the first run's folder, unless told otherwise) and, if asked for, pictures; returns the files.

    A run that is named twice is shown once.
    """
    runs = list({run.resolve(): run for run in reversed(runs)}.values())[::-1]
    histories = [read_history(run, label) for run, label in zip(runs, run_labels(runs), strict=True)]
    if len({history.settings.game for history in histories}) > 1:
        raise BadInput("Runs of different games cannot be laid over each other.")
    path = out or runs[0] / (ALONE if len(runs) == 1 else TOGETHER)
    charts = [*charts_of(histories), *matrices(histories)]
    page = _one(histories[0]) if len(histories) == 1 else _several(histories)
    page.charts = charts
    page.write(path)
    drawn = [*charts, *game_charts(page.games)]
    return [path, *(write_pictures(drawn, path.parent, path.stem) if pictures else [])]


def _one(run: RunHistory) -> Page:
    last = run.generations[-1]
    game = find_game(run.settings.game)
    return Page(
        title=run.label,
        subtitle=f"{game.title}, {_network(run.settings)}, seed {run.settings.seed}",
        tiles=[*_tiles(run), (f"{last['evaluations_per_second']:,.0f}", "evaluations a second")],
        games=newest_games(run.folder.games, game),
        tables=[_settings(run.settings)],
        remarks=[*run.remarks, *_not_measured(run)],
    )


def _not_measured(run: RunHistory) -> list[str]:
    """What would make the page fuller, and how."""
    path = shlex.quote(str(run.folder.path))
    missing = [] if run.own_ratings() else [f"ratings (boardzero rate {path})"]
    if run.measured is None and is_solved(find_game(run.settings.game)):
        missing.append(f"mistakes and habits of every network (boardzero perfect --run {path})")
    return [f"Not measured yet: {', '.join(missing)}."] if missing else []


def _tiles(run: RunHistory) -> list[tuple[str, str]]:
    last = run.generations[-1]
    tiles = [
        (f"{last['generation']:,}", "generations"),
        (_duration(last["seconds"]), "of training"),
        (f"{last['games']:,}", "games"),
        (f"{last['positions']:,}", "positions learned from"),
        (f"{last['policy_loss'] + run.settings.training.value_weight * last['value_loss']:.3f}", "total loss"),
    ]
    if run.perfect:
        event = run.perfect[-1]
        tiles.append(
            (f"{100 * event['mistakes'] / event['positions']:.1f} %", f"mistakes at {event['simulations']} simulations")
        )
    for player in run.own_ratings():
        if run.ratings and player["generation"] == last["generation"]:
            tiles.append((f"{player['rating']:.0f}", SCALES[run.ratings["scale"]]))
    return tiles


def _several(runs: Sequence[RunHistory]) -> Page:
    rows = []
    for run in runs:
        figures = {said: figure for figure, said in _tiles(run)}
        mistakes = next((figure for said, figure in figures.items() if said.startswith("mistakes")), "")
        rating = next((f"{figures[said]} {said}" for said in SCALES.values() if said in figures), "")
        known = [figures[said] for said in ("generations", "of training", "games", "positions learned from", "total loss")]
        rows.append([run.label, *known, mistakes, rating, _network(run.settings)])
    differences = _differences(runs)
    headings = ["run", "generations", "time", "games", "positions", "total loss", "mistakes", "rating", "network"]
    return Page(
        title=" · ".join(run.label for run in runs),
        subtitle=f"{find_game(runs[0].settings.game).title}, {len(runs)} runs laid over each other",
        tables=[TableOnPage("The runs", headings, rows, frozenset(range(1, 8))), *([differences] if differences else [])],
        remarks=[remark for run in runs for remark in run.remarks],
    )


def _network(settings: RunSettings) -> str:
    network, growth = settings.network, settings.growth
    shape = f"{network.blocks} block{'s' * (network.blocks != 1)} × {network.channels} channels"
    if growth.share:
        shape += f" ({growth.blocks} × {growth.channels} after {100 * growth.share:g} % of the run)"
    return shape if network.kind in ("residual", "convolutional") else f"{network.kind}'s network"


def _settings(settings: RunSettings) -> TableOnPage:
    usual = _said(RunSettings(**default_values(settings.game)))
    rows = [[key, value, "" if usual[key] == value else f"usually {usual[key]}"] for key, value in _said(settings).items()]
    return TableOnPage("Settings", ["setting", "value", ""], rows, first=False, folded=True)


def _differences(runs: Sequence[RunHistory]) -> TableOnPage | None:
    """What the runs' settings do not have in common; None where they have all."""
    each = [_said(run.settings) for run in runs]
    rows = [[key, *(one[key] for one in each)] for key in each[0] if len({one[key] for one in each}) > 1]
    return TableOnPage("Where their settings differ", ["setting", *(run.label for run in runs)], rows) if rows else None


def _said(settings: RunSettings) -> dict[str, str]:
    return {key: said_setting(value) for key, value in single_settings(settings.model_dump()).items()}


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
