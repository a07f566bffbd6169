"""A run against perfect play: mistakes and habits of each of its networks, and the curve of them over training time."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from boardzero.arena.perfect_play import count_mistakes, search_chooser
from boardzero.arena.solved_games import SolvedPosition
from boardzero.errors import BadInput
from boardzero.evaluation.charts import Chart, habits, layout, mistakes, write_pictures
from boardzero.evaluation.figures import percent
from boardzero.evaluation.habits import observe_habits
from boardzero.evaluation.page import Page, TableOnPage
from boardzero.evaluation.run_forms import KeptPerfectPlay
from boardzero.evaluation.run_history import PERFECT, RunHistory, kept, read_history
from boardzero.games.catalogue import find_game
from boardzero.network.evaluator import find_evaluator
from boardzero.network.weights import read_header
from boardzero.settings.search import SearchSettings, settings_for_play
from boardzero.training.run_folder import RunFolder

PAGE = "perfect.html"
CERTAIN = 0.05  # below this chance of being nothing a preference counts as one
UNFINISHED = "perfect-unfinished.json"  # in the run's folder, while networks are measured


def measure_networks(
    folder: RunFolder,
    simulations: int,
    sets: Mapping[str, Sequence[SolvedPosition]],
    drawn: Sequence[SolvedPosition],
    left_out: Callable[[str], None],
) -> Iterator[dict[str, Any]]:
    """Of each network that the run has kept, oldest first; one that cannot be read is named and left out.

    sets: positions in which mistakes are counted; drawn: positions, after random moves, in which habits are observed. What
    the same question has found out before, to its end or until it was interrupted, is taken from there.
    """
    game = find_game(folder.settings().game)
    folder.newest_network()  # refuses a run without networks
    found = _found_before(folder)
    for generation in folder.network_generations():
        path = folder.network(generation)
        try:
            header = read_header(path)
            search = settings_for_play(game.max_legal, simulations, value_spread=header.value_spread)
            key = f"{header.checksum} {_question(simulations, search, [*sets.values(), drawn])}"
            if key in found:
                yield {**found[key], "generation": generation, "files": _renamed(found[key]["files"], sets)}
                continue
            evaluate = find_evaluator(path, game)
        except BadInput as error:
            left_out(str(error))
            continue
        choose = search_chooser(game, evaluate, simulations, search)
        files = [
            {"file": name, "positions": len(entries), "mistakes": count_mistakes(choose, entries)}
            for name, entries in sets.items()
        ]
        totals = {key: sum(int(str(file[key])) for file in files) for key in ("positions", "mistakes")}
        seen = observe_habits(choose, drawn).as_dict(game) if drawn else None
        measured = {"generation": generation, "simulations": simulations, "files": files, **totals, "habits": seen}
        yield {**measured, "key": key}


def _found_before(folder: RunFolder) -> dict[str, dict[str, Any]]:
    """Networks that were measured, by their weights and the question: when it was last answered, and since then."""
    files = [kept(folder.path / name, KeptPerfectPlay) for name in (PERFECT, UNFINISHED)]
    return {one["key"]: one for content in files if content for one in content["networks"] if "key" in one}


def _renamed(files: Sequence[dict[str, Any]], names: Iterable[str]) -> list[dict[str, Any]]:
    """The same positions may be in files of other names by now."""
    return [{**file, "file": name} for file, name in zip(files, names, strict=True)]


def _question(simulations: int, search: SearchSettings, sets: Sequence[Sequence[SolvedPosition]]) -> str:
    """The same for the same simulations, search, positions and values of their moves."""
    usual = {"value_spread"} if search.value_spread == 1 else None  # what was found out before there was this setting holds
    digest = hashlib.sha256(f"{simulations} {search.model_dump_json(exclude=usual)}".encode())
    for entries in sets:
        digest.update(f" {len(entries)}".encode())
        for entry in entries:
            digest.update(entry.position.state.tobytes() + str(tuple(entry.values)).encode())
    return digest.hexdigest()[:32]


def write_curve(path: Path, out: Path | None, pictures: bool) -> list[Path]:
    """The page of what was measured last, in the run's folder unless told otherwise; if asked for, its charts as pictures."""
    run = read_history(path, path.resolve().name)
    target = out or path / PAGE
    charts = [chart for chart in (mistakes([run]), habits([run]), moves_chosen(run)) if chart is not None and chart.traces]
    last = run.measured["networks"][-1] if run.measured else {}
    page = Page(
        title=f"{run.label} against perfect play",
        subtitle=f"{find_game(run.settings.game).title}, {last.get('simulations', 0)} simulations a move",
        charts=charts,
        tables=[_table(run)],
        remarks=[*run.remarks, *(answers(last["habits"]) if last.get("habits") else [])],
        wide=frozenset({"mistakes"}),
    )
    page.write(target)
    return [target, *(write_pictures(charts, target.parent, target.stem) if pictures else [])]


def answers(seen: Mapping[str, Any]) -> list[str]:
    """Sentences on the newest network: does it prefer a move, does it miss wins, does it fail to block?"""
    favourite = seen["moves"].index(seen["favourite"])
    wins, blocks = seen["missed_wins"], seen["missed_blocks"]
    chance = seen.get("favourite_chance")  # unknown of networks that were measured before it was asked for
    judged = "" if chance is None else f", which is {'no ' if _is_chance(seen) else ''}more than chance explains"
    return [
        f"Most beyond its due it plays {seen['favourite']}: in {percent(seen['chosen'][favourite], 1)} of the positions,"
        f" where perfect play would in {percent(seen['perfect'][favourite], 1)}{judged}.",
        f"It misses an immediate win in {_share(wins)}"
        f" (and throws it away by that in {wins['costly']}), and fails to block a threat in {_share(blocks)}.",
    ]


def _is_chance(seen: Mapping[str, Any]) -> bool:
    """Would perfect play often seem to prefer a move as much as this? Not known of networks that were measured long ago."""
    chance = seen.get("favourite_chance")
    return chance is not None and chance >= CERTAIN


def moves_chosen(run: RunHistory) -> Chart | None:
    """How often the newest network plays each move, beside perfect play."""
    networks = run.measured["networks"] if run.measured else []
    seen = networks[-1].get("habits") if networks else None
    if not seen:
        return None
    newest = f"generation {networks[-1]['generation']}"
    traces = [
        {"type": "bar", "x": seen["moves"], "y": [100 * share for share in seen[key]], "name": name,
         "marker": {"color": shade}, "hovertemplate": "%{x}: %{y:.1f} %<extra>" + name + "</extra>"}
        for key, name, shade in (("chosen", newest, "#4269d0"), ("perfect", "perfect play", "#b0b7c3"))
    ]  # fmt: skip
    axis = layout("move", "% of positions", barmode="group", xaxis={"type": "category"})
    return Chart("moves", "Does it prefer a move?", "In positions after random moves, the newest network.", traces, axis)


def _share(missed: Mapping[str, int]) -> str:
    if not missed["positions"]:
        return "none of 0 positions"
    return f"{percent(missed['missed'] / missed['positions'], 1)} of {missed['positions']} positions"


def _preferred(seen: Mapping[str, Any]) -> str:
    """The favourite move; none where chance alone explains it."""
    return "" if _is_chance(seen) else str(seen["favourite"])


def _table(run: RunHistory) -> TableOnPage:
    rows = []
    for one in (run.measured or {}).get("networks", []):
        minutes, seen = run.minutes_at(one["generation"]), one.get("habits")
        known = (_preferred(seen), _share(seen["missed_wins"]), _share(seen["missed_blocks"])) if seen else ("", "", "")
        share = percent(one["mistakes"] / max(1, one["positions"]), 1)
        rows.append([str(one["generation"]), "" if minutes is None else f"{minutes:.1f}", share, *known])
    headings = ["generation", "minutes", "mistakes", "prefers", "immediate wins missed", "threats not blocked"]
    return TableOnPage("Each network", headings, rows, frozenset({0, 1, 2}))
