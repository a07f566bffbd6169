"""The end of an experiment: final ratings, a table, curves and one sentence for each variant, as text and page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boardzero.evaluation.comparison import Comparison, VariantResult, said_chance
from boardzero.evaluation.entrants import closing_players, networks_of, player_named, without_twins
from boardzero.evaluation.experiment import ExperimentRuns, Say
from boardzero.evaluation.experiment_curves import curves
from boardzero.evaluation.figures import between, percent, score_of_side
from boardzero.evaluation.matrix_chart import matrix_chart
from boardzero.evaluation.page import Page, TableOnPage
from boardzero.evaluation.rating import GameReport, Matrix, Rating, Ratings
from boardzero.evaluation.rating_games import RatingGames
from boardzero.evaluation.rating_scales import scale_named
from boardzero.evaluation.run_history import read_history
from boardzero.games.catalogue import find_game
from boardzero.network.weights import write_whole
from boardzero.training.sittings import Sitting, read_sittings

GAMES, PAGE, TEXT, MARKDOWN = "ratings.jsonl", "results.html", "results.txt", "results.md"
WORDS = ("variant", "against")  # columns that hold no figures


def conclude(
    runs: ExperimentRuns, matches: Sequence[dict[str, Any]], say: Say, on_game: GameReport = lambda _: None
) -> Comparison:
    """Rate the final networks of all runs together, and compare the variants; on_game hears the games played for it."""
    experiment = runs.experiment
    ratings = _final_ratings(runs, say, on_game) if experiment.variant and experiment.measure.rating_games else None
    by_run = {run: one.rating for one in ratings.rated for run, _ in one.entrant.places} if ratings else {}
    variants = []
    for variant in experiment.variant:
        own = [run for run in runs.runs if run.variant is variant]
        histories = tuple(read_history(run.folder.path, str(run)) for run in own)
        paths = [str(run.folder.path.resolve()) for run in own]
        rated = tuple(by_run[path] for path in paths if path in by_run)
        variants.append(VariantResult(variant.name, variant.about, histories, rated, variant.against))
    matrices = tuple(_matrices(runs, say, on_game)) if experiment.measure.matrix_games else ()
    return Comparison(experiment.title, experiment.question, tuple(variants), tuple(matches), ratings, matrices)


def _final_ratings(runs: ExperimentRuns, say: Say, on_game: GameReport) -> Ratings:
    measure = runs.experiment.measure
    game = find_game(runs.experiment.game)
    networks = [networks_of(run.folder.path, measure.simulations, 1, run.folder.path.name)[0] for run in runs.runs]
    anchors = [player_named(specification, game) for specification in measure.anchors]
    known = without_twins([*networks, *anchors])
    games = RatingGames(runs.path / GAMES, game.specification)
    anchor = known.index(anchors[0]) if anchors else 0
    rating = Rating(game, known, games, anchor, runs.experiment.seed, compared=True)
    missing = measure.rating_games - rating.games
    if missing > 0:
        say(f"rating {len(known)} players: {missing} games")
        with closing_players(known):
            rating.play(missing, on_game)
    return rating.ratings(scale_named("elo"))


def _matrices(runs: ExperimentRuns, say: Say, on_game: GameReport) -> list[Matrix]:
    """Of each run: every network against every other."""
    measure, matrices = runs.experiment.measure, []
    game = find_game(runs.experiment.game)
    for run in runs.runs:
        networks = networks_of(run.folder.path, measure.simulations, measure.matrix_networks, run.folder.path.name)
        games = RatingGames(run.folder.path / GAMES, game.specification)
        rating = Rating(game, networks, games, anchor=0, seed=runs.experiment.seed)
        say(f"{run}: every network against every other")
        with closing_players(networks):
            rating.complete_matrix(measure.matrix_games, on_game)
        matrices.append(rating.matrix())
    return matrices


# -- text ---------------------------------------------------------------------------------------------------------------
def as_text(comparison: Comparison) -> str:
    """Everything that matters, for a terminal."""
    parts = [comparison.title, *([comparison.question] if comparison.question else []), ""]
    if comparison.variants:
        parts += [_columns(_variant_table(comparison)), ""]
    for matrix in comparison.matrices:
        parts += [_columns(_matrix_table(matrix)), ""]
    caution = comparison.caution()
    return "\n".join([*parts, *([caution, ""] if caution else []), *comparison.sentences()]) + "\n"


def _columns(table: TableOnPage) -> str:
    rows = [table.headings, *table.rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = ["  ".join(cell.rjust(width) if place in table.figures else cell.ljust(width)
                       for place, (cell, width) in enumerate(zip(row, widths, strict=True))) for row in rows]  # fmt: skip
    return "\n".join(text.rstrip() for text in lines)


def _variant_table(comparison: Comparison) -> TableOnPage:
    """Without columns that are empty."""
    headings = [
        "variant",
        "Elo",
        "against",
        "difference",
        "95 % interval",
        "p (Holm)",
        "% mistakes, last measured",
        "p of mistakes (Holm)",
        "games",
        "positions",
        "evaluations/s",
    ]
    rows = []
    for variant in comparison.variants:
        difference = comparison.rating_differences.get(variant.name)
        interval, chance = (difference.interval, difference.chance) if difference else (None, None)
        fewer = comparison.mistake_differences.get(variant.name)
        rows.append([
            variant.name,
            f"{np.mean(variant.ratings):.0f}" if variant.ratings else "",
            comparison.base_of(variant).name if difference else "",
            f"{difference.mean:+.0f}" if difference else "",
            f"{interval[0]:+.0f} to {interval[1]:+.0f}" if interval else "",
            said_chance(chance).removeprefix("= ") if chance is not None else "",
            f"{np.mean(variant.mistakes):.1f}" if variant.mistakes else "",
            said_chance(fewer.chance).removeprefix("= ") if fewer and fewer.chance is not None else "",
            f"{variant.mean('games'):,.0f}",
            f"{variant.mean('positions'):,.0f}",
            f"{variant.speed:,.0f}",
        ])  # fmt: skip
    used = [0, *(place for place in range(1, len(headings)) if any(row[place] for row in rows))]
    headings, rows = [headings[place] for place in used], [[row[place] for place in used] for row in rows]
    figures = frozenset(place for place, heading in enumerate(headings) if heading not in WORDS)
    return TableOnPage("Variants", headings, rows, figures)


def _matrix_table(matrix: Matrix) -> TableOnPage:
    rows = [
        [name, *("·" if games == 0 else f"{100 * score:.0f}" for score, games in zip(scores, counts, strict=True))]
        for name, scores, counts in zip(matrix.names, matrix.scores, matrix.games, strict=True)
    ]
    headings = ["score of row against column, %", *(name.split()[-1] for name in matrix.names)]
    return TableOnPage(matrix.label, headings, rows, frozenset(range(1, len(headings))), first=False, folded=True)


def as_markdown(comparison: Comparison) -> str:
    """Tables and sentences, to be put into a document."""
    parts = [f"## {comparison.title}", comparison.question, _amount(comparison)]
    tables = _tables(comparison)
    for table in tables:
        parts += [*([f"{table.title}:"] if len(tables) > 1 else []), table.to_markdown()]
    parts.append(comparison.caution())
    parts.append("\n".join(f"- {sentence}" for sentence in comparison.sentences()))
    return "\n\n".join(filter(None, parts)) + "\n"


def _amount(comparison: Comparison) -> str:
    """What the figures stand on."""
    runs = [run for variant in comparison.variants for run in variant.runs]
    circumstances = _circumstances([run.folder.path for run in runs], comparison.matches)
    if not runs:
        return circumstances
    variants, seeds = len(comparison.variants), len(comparison.variants[0].runs)
    minutes = float(np.mean([run.minutes for run in runs]))
    rated = f"; {comparison.ratings.games} games for the ratings" if comparison.ratings else ""
    means = " Figures are means over the seeds." if seeds > 1 else ""
    amount = f"{_counted(variants, 'variant')} × {_counted(seeds, 'seed')}, {minutes:.1f} minutes each{rated}.{means}"
    return f"{amount} {circumstances}".strip()


def _circumstances(runs: Sequence[Path], matches: Sequence[dict[str, Any]]) -> str:
    """Which machines and programs worked on runs and matches, and when, as far as they have noted it."""
    sittings = [sitting for run in runs for sitting in read_sittings(run)]
    sittings += [Sitting(**match["sitting"]) for match in matches if "sitting" in match]
    names = ({one.machine for one in sittings}, {one.program for one in sittings}, {one.begun[:10] for one in sittings})
    return " ".join(f"{'; '.join(sorted(some))}." for some in names if some)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def _tables(comparison: Comparison) -> list[TableOnPage]:
    return [
        *([_variant_table(comparison)] if comparison.variants else []),
        *([_match_table(comparison.matches)] if comparison.matches else []),
        *map(_matrix_table, comparison.matrices),
    ]


# -- page ---------------------------------------------------------------------------------------------------------------
def write_results(comparison: Comparison, folder: Path) -> list[Path]:
    """The page, the text, and Markdown to be put into a document, in the experiment's folder."""
    seeds = len(comparison.variants[0].runs) if comparison.variants else 0
    page = Page(
        title=comparison.title,
        subtitle=comparison.question,
        charts=[
            *curves(comparison.variants),
            *(
                matrix_chart(f"matrix-{number}", f"{matrix.label}: every network against every other", matrix.as_dict())
                for number, matrix in enumerate(comparison.matrices, 1)
            ),
        ],
        tables=_tables(comparison),
        remarks=[
            *([f"Means over {seeds} seeds; bands are 95 % intervals of the mean."] if seeds > 1 else []),
            *filter(None, [comparison.caution()]),
            *comparison.sentences(),
            *(remark for variant in comparison.variants for run in variant.runs for remark in run.remarks),
        ],
        wide=frozenset({"final"}),
    )
    page.write(folder / PAGE)
    write_whole(folder / TEXT, as_text(comparison).encode())
    write_whole(folder / MARKDOWN, as_markdown(comparison).encode())
    return [folder / PAGE, folder / TEXT, folder / MARKDOWN]


def _match_table(matches: Sequence[dict[str, Any]]) -> TableOnPage:
    rows = []
    for match in matches:
        sides = [score_of_side(match, side) for side in ("moving_first", "moving_second")]
        score = [percent(match["score"], 1), between(match["interval"], 1)]
        rows.append([*match["players"], str(match["games"]), *score, *sides, match["document"]])
    headings = ["player", "opponent", "games", "score", "95 % interval", "moving first", "moving second", "document"]
    return TableOnPage("Matches", headings, rows, frozenset(range(2, 7)))
