#!/usr/bin/env python3
"""The published systems beside boardzero's defaults: trains both for the same time and fills in the tables of docs/systems.md.

    python tools/measure_systems.py --only briden-connect4     # its two runs, then matches, mistakes and ratings
    taskset -c 0 python tools/measure_systems.py               # all systems, one after the other, on one core
    python tools/measure_systems.py --train-only               # only the runs

Everything is kept in runs/systems: stopped at any moment, the same command goes on. Systems of one game share the run of the
game's defaults. systems.toml says what is measured and for how long each is trained, and what the documents report.
"""

import argparse
import json
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from boardzero.arena.perfect_play import chooser_of, count_mistakes, draw_solved_positions, read_positions
from boardzero.arena.solved_games import SolvedPosition, find_solver, is_known_board, is_solved
from boardzero.errors import BadInput
from boardzero.evaluation.entrants import Entrant, networks_of, player_named, without_twins
from boardzero.evaluation.experiment import ExperimentRuns, play_match
from boardzero.evaluation.experiment_file import Base, Experiment, MatchPlan, Setting, Variant
from boardzero.evaluation.figures import between, percent, score_of_side
from boardzero.evaluation.habits import observe_habits
from boardzero.evaluation.page import TableOnPage
from boardzero.evaluation.rating import Rating
from boardzero.evaluation.rating_games import RatingGames
from boardzero.evaluation.rating_scales import scale_named
from boardzero.evaluation.run_history import read_history
from boardzero.games.catalogue import find_game
from boardzero.games.connect4 import ConnectFour
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.network.weights import write_whole
from boardzero.settings.changes import said_setting
from boardzero.settings.presets import preset_values
from boardzero.settings.specification import Parameters, parse_parameters

HERE = Path(__file__).resolve().parent
SETS = HERE.parent / "tests" / "data" / "connect4"
KNOWN_SETS = {"Begin-Hard": "Test_L1_R3", "Middle-Medium": "Test_L2_R2", "End-Easy": "Test_L3_R1"}
ANCHORS = ("random", "mcts:sims=10", "mcts:sims=100")
SEED = 1
DRAWN_SEED = 7  # of positions that no training is measured on
VERSIONS = 12  # of a run, that are rated where its versions are
COLUMNS = ("preset", "defaults")
ROWS = {  # in the order of the table; {s} simulations, {g} games
    "minutes": "minutes of training",
    "generations": "generations",
    "promoted": "… that passed the gate",
    "steps": "training steps",
    "games": "games of self-play",
    "plies": "plies a game, in the last generation",
    "positions": "positions to learn from",
    "evaluations": "evaluations/s in self-play",
    "rating_e": "rating of the last version, base e, untrained network at 100",
    "gain_e": "mean Δr of a version over the one before it, base e",
    "seconds": "seconds a move, {s} simulations",
    "favourite": "favourite column",
    "missed_wins": "immediate wins missed",
    "missed_blocks": "threats not blocked",
    "first_value": "value of the middle column as the first move, for its mover",
    "reply_value": "value after it, for the other side",
    "perfect_moves": "first moves of a game against itself that are perfect",
    "mistakes": "mistakes, {s} simulations",
}
LAST_ROWS = {  # after the matches
    "elo": "rating, {s} simulations, random = 0",
    "people": "against people and other programs",
}
Figures = dict[str, str]


class System(Parameters):
    """One of systems.toml."""

    preset: str
    game: str | None = Field(None, description="unsaid, the preset's")
    minutes: float = Field(10, gt=0, description="of its training, and of that of the defaults")
    simulations: int = Field(ge=1, description="a move, in everything that is measured")
    games: int = Field(100, ge=2, description="against each opponent")
    opponents: tuple[str, ...] = Field((), description="unsaid: random, and mcts with equal simulations")
    positions: int = Field(300, ge=1, description="drawn, to compare with perfect play")
    rating_games: int = Field(120, ge=8, description="of both networks and the anchors")
    scale: Literal["elo", "wandhoven"] = Field("elo", description="wandhoven: also rates the versions of each run, base e")
    settings: dict[str, Setting] = Field({}, description="of the preset's training, besides its own")
    document: dict[str, str] = Field({}, description="what it reports, by row")

    @property
    def rules(self) -> Game:
        return find_game(self.game or preset_values(self.preset)["game"])

    @property
    def met(self) -> tuple[str, ...]:
        """Opponents of both networks."""
        return self.opponents or ("random", f"mcts:sims={self.simulations}")


class Kept:
    """Figures by what was asked for, in a file that is written after each: nothing is measured twice."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    def get(self, asked: str, measure: Callable[[], Any]) -> Any:
        if asked not in self._answers:
            say(asked)
            self._answers[asked] = measure()
            write_whole(self._path, json.dumps(self._answers, ensure_ascii=False, indent=1).encode())
        return self._answers[asked]


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {text}", file=sys.stderr, flush=True)


# -- training ---------------------------------------------------------------------------------------------------------------
def train(system: System, out: Path) -> dict[str, Path]:
    """The two runs, by column; those that are finished are left as they are."""
    quiet: dict[str, Setting] = {"evaluation.share": 0}  # all is measured at the end
    game, minutes = system.rules.specification, system.minutes
    bases = {
        system.preset: Base(preset=system.preset, game=game, minutes=minutes, seeds=(SEED,), settings=quiet | system.settings),
        f"defaults-{_file_name(game)}": Base(game=game, minutes=minutes, seeds=(SEED,), settings=quiet),
    }
    paths = {}
    for column, (name, base) in zip(COLUMNS, bases.items(), strict=True):
        runs = ExperimentRuns(Experiment(title=name, base=base, variant=(Variant(name=name),)), out)
        runs.train(1, say)
        paths[column] = runs.runs[0].folder.path
    return paths


def check_shared_runs(systems: Sequence[System]) -> None:
    """Systems of one game share a run of its defaults, so they are trained for the same time."""
    minutes: dict[str, float] = {}
    for system in systems:
        game = system.rules.specification
        if minutes.setdefault(game, system.minutes) != system.minutes:
            raise BadInput(f"{system.preset} is trained for {system.minutes:g} minutes, another system of {game} for others.")


def _file_name(game: str) -> str:
    return "".join(sign if sign.isalnum() else "-" for sign in game)


# -- measuring --------------------------------------------------------------------------------------------------------------
def measure(system: System, runs: dict[str, Path], out: Path) -> dict[str, Figures]:
    """All rows of both columns."""
    game, kept = system.rules, Kept(out / f"{system.preset}.json")
    networks = {column: networks_of(path, system.simulations, 1, column)[-1] for column, path in runs.items()}
    figures = {column: amounts(path) for column, path in runs.items()}
    for column, network in networks.items():
        for row, measured in strength(system, game, network, kept):
            figures[column][row] = measured
        if system.scale == "wandhoven":
            figures[column] |= kept.get(f"versions up to {network.key}", partial(versions, system, runs[column]))
    keys = " and ".join(network.key for network in networks.values())
    score = kept.get(f"match of {keys}, {system.games} games", lambda: against_each_other(system, networks))
    figures["preset"]["against the other column"] = score
    elo = kept.get(f"ratings of {keys}, {system.rating_games} games", lambda: ratings(system, game, networks, out))
    for column, rating in elo.items():
        figures[column]["elo"] = rating
    return figures


def amounts(run: Path) -> Figures:
    """What a run has done."""
    history = read_history(run, run.name)
    last = history.generations[-1]
    figures = {
        "minutes": f"{history.minutes:.1f}",
        "generations": f"{last['generation']}",
        "steps": f"{last['steps']:,}",
        "games": f"{last['games']:,}",
        "plies": f"{last['mean_plies']:.0f}",
        "positions": f"{last['positions']:,}",
        "evaluations": f"{last['evaluations_per_second']:,.0f}",
    }
    if history.settings.gate.kind != "none":
        promoted = sum(one["promoted"] for one in history.comparisons)
        figures["promoted"] = f"{promoted} of {len(history.comparisons)}"
    return figures


def strength(system: System, game: Game, network: Entrant, kept: Kept) -> Iterator[tuple[str, str]]:
    """Rows of one network: matches, speed, and, where perfect play is known, mistakes and habits."""
    for opponent in system.met:
        plan = MatchPlan(player=network.specification, opponent=opponent, games=system.games)
        match = kept.get(f"{network.key} against {opponent}, {plan.games} games", partial(score_of, game, plan))
        yield f"against {opponent}", match
    yield "seconds", kept.get(f"speed of {network.key}", lambda: f"{seconds_of(network, game):.2g}")
    if is_solved(game):
        yield from kept.get(
            f"perfect play of {network.key}, {system.positions} positions", lambda: mistakes(system, game, network)
        ).items()
    if isinstance(game, ConnectFour):
        yield from kept.get(f"opening of {network.key}", lambda: opening(network, game)).items()


def score_of(game: Game, plan: MatchPlan) -> str:
    match = play_match(game.specification, plan, SEED).as_dict()
    first, second = (score_of_side(match, side) for side in ("moving_first", "moving_second"))
    return f"{percent(match['score'])} ({between(match['interval'])}); first {first}, second {second}"


def against_each_other(system: System, networks: dict[str, Entrant]) -> str:
    specifications = [networks[column].specification for column in COLUMNS]
    return score_of(system.rules, MatchPlan(player=specifications[0], opponent=specifications[1], games=system.games))


def seconds_of(network: Entrant, game: Game) -> float:
    """Of a move, from the start; the first one, which also prepares, does not count."""
    player = network.player(game)
    taken = []
    for _ in range(4):
        player.start_game(SEED)
        begun = time.perf_counter()
        player.choose(Position(game, seed=SEED))
        taken.append(time.perf_counter() - begun)
    return sum(taken[1:]) / len(taken[1:])


def mistakes(system: System, game: Game, network: Entrant) -> Figures:
    choose = chooser_of(network.player(game))
    drawn = draw_solved_positions(game, system.positions, DRAWN_SEED)
    sets: dict[str, Sequence[SolvedPosition]] = {f"{len(drawn)} drawn positions": drawn} if drawn else {}
    if isinstance(game, ConnectFour) and is_known_board(game):
        solver = find_solver(game)
        sets |= {name: read_positions(SETS / file, game, solver) for name, file in KNOWN_SETS.items()}
    shares = [f"{percent(count_mistakes(choose, entries) / len(entries), 1)} ({name})" for name, entries in sets.items()]
    figures = {"mistakes": ", ".join(shares)} if shares else {}
    if isinstance(game, ConnectFour) and drawn:
        habits = observe_habits(choose, drawn)
        beyond = 100 * (habits.chosen[habits.favourite] - habits.perfect[habits.favourite])
        figures["favourite"] = f"{game.action_to_text(habits.favourite)}, in {beyond:.1f} % of positions beyond its due"
        for row, missed in (("missed_wins", habits.wins), ("missed_blocks", habits.blocks)):
            if missed.positions:
                figures[row] = f"{percent(missed.share, 1)} of {missed.positions}; {missed.costly} times it cost something"
    return figures


def opening(network: Entrant, game: Game) -> Figures:
    """What the search thinks of the middle column as the first move, and the search after it of the position."""
    player, position, middle = network.player(game), Position(game), game.action_count // 2
    player.start_game(SEED)
    first = next(move.value for move in player.analyse(position).moves if move.action == middle)
    position.play(middle)
    reply = player.analyse(position).value
    return {row: f"{value:+.2f}" for row, value in (("first_value", first), ("reply_value", reply)) if value is not None}


def ratings(system: System, game: Game, networks: dict[str, Entrant], out: Path) -> Figures:
    """Elo of both, fitted together with the anchors."""
    anchors = [player_named(name, game) for name in ANCHORS]
    entrants = without_twins([*networks.values(), *anchors])
    rating = Rating(game, entrants, RatingGames(out / f"{system.preset}.jsonl", game.specification), entrants.index(anchors[0]))
    rating.play(max(0, system.rating_games - rating.games), lambda _: None)
    by_key = {one.entrant.key: one for one in rating.ratings(scale_named("elo")).rated}
    return {column: _with_interval(by_key[network.key]) for column, network in networks.items() if network.key in by_key}


def versions(system: System, run: Path) -> Figures:
    """The run's versions on Wandhoven's scale: where the last one stands, and what one gains on average."""
    entrants = networks_of(run, system.simulations, VERSIONS, run.name)
    if len(entrants) < 2:
        return {}
    rating = Rating(system.rules, entrants, RatingGames(run / "ratings.jsonl", system.rules.specification), 0)
    rating.play(max(0, system.rating_games - rating.games), lambda _: None)
    answer = rating.ratings(scale_named("wandhoven"))
    last = next((one for one in answer.rated if one.entrant.key == entrants[-1].key), None)
    gains = [step.fitted for step in answer.steps]
    if last is None or not gains:  # too few games
        return {}
    return {"rating_e": _with_interval(last), "gain_e": f"{sum(gains) / len(gains):+.0f} ({len(gains)} steps)"}


def _with_interval(rated: Any) -> str:
    return f"{round(rated.rating)} ({round(rated.interval[0])} to {round(rated.interval[1])})"


# -- the page ---------------------------------------------------------------------------------------------------------------
def table_of(system: System, figures: dict[str, Figures]) -> str:
    """Markdown; what has no figure anywhere has no row."""
    matches = {f"against {one}": f"score against `{one}`, {{s}} simulations, {{g}} games" for one in system.met}
    matches["against the other column"] = "score against the other column, {s} simulations, {g} games"
    labels = {**ROWS, **matches, **LAST_ROWS}
    documents = {**system.document}
    if "against mcts" in documents:  # with equal simulations
        documents[f"against mcts:sims={system.simulations}"] = documents.pop("against mcts")
    unknown = sorted(documents.keys() - labels.keys())
    if unknown:
        raise BadInput(f"systems.toml has no row '{unknown[0]}' to compare {system.preset} with.")
    rows = []
    for row, label in labels.items():
        cells = [documents.get(row, ""), *(figures.get(column, {}).get(row, "") for column in COLUMNS)]
        if any(cells):
            name = label.format(s=system.simulations, g=system.games // 2 * 2)
            rows.append([name, *cells])
    columns = [f"{name}, {system.minutes:g} minutes" for name in (f"`{system.preset}`", "boardzero's defaults")]
    table = TableOnPage(system.preset, ["", "the document", *columns], rows).to_markdown()
    changed = ", ".join(f"`{key}={said_setting(value)}`" for key, value in system.settings.items())
    return f"{table}\n\nFor these minutes the preset was trained with {changed}." if changed else table


def put_into(page: Path, name: str, table: str) -> None:
    """Between the marks that the page has for it."""
    begin, end = f"<!-- figures of {name} -->", "<!-- end of figures -->"
    text = page.read_text(encoding="utf-8")
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise BadInput(f"'{page}' has no place for {name}: '{begin}' and '{end}' are missing.")
    write_whole(page, f"{before}{begin}\n\n{table}\n\n{end}{after}".encode())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="PRESET", help="only this system; repeatable")
    parser.add_argument("--minutes", type=float, help="of each training, instead of what systems.toml says")
    parser.add_argument("--out", type=Path, default=Path("runs/systems"), help="where everything is kept (runs/systems)")
    parser.add_argument("--page", type=Path, default=HERE.parent / "docs" / "systems.md", help="whose tables are filled in")
    parser.add_argument("--systems", type=Path, default=HERE / "systems.toml", help="what is measured")
    parser.add_argument("--train-only", action="store_true", help="measure nothing yet")
    parser.add_argument("--tables-only", action="store_true", help="write tables of what the documents say; train nothing")
    asked = parser.parse_args(arguments)
    content = tomllib.loads(asked.systems.read_text(encoding="utf-8"))["system"]
    changed = {} if asked.minutes is None else {"minutes": asked.minutes}
    systems = [parse_parameters(System, one | changed, f"A system of '{asked.systems}'") for one in content]
    check_shared_runs(systems)
    known = [system.preset for system in systems]
    for name in asked.only or []:
        if name not in known:
            raise BadInput(f"There is no system '{name}'; there are {', '.join(known)}.")
    for system in systems:
        if asked.only and system.preset not in asked.only:
            continue
        figures: dict[str, Figures] = {}
        if not asked.tables_only:
            runs = train(system, asked.out)
            if asked.train_only:
                continue
            figures = measure(system, runs, asked.out)
        table = table_of(system, figures)
        put_into(asked.page, system.preset, table)
        print(f"{table}\n", flush=True)


if __name__ == "__main__":
    try:
        main()
    except BadInput as error:
        say(str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        say("Stopped; nothing is lost. The same command goes on.")
        sys.exit(130)
