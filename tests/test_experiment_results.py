"""What an experiment says in the end: mistakes are compared as ratings are, and matches say where they were played."""

from pathlib import Path

from boardzero.evaluation.comparison import Comparison, VariantResult
from boardzero.evaluation.experiment_report import as_markdown
from boardzero.evaluation.run_history import RunHistory
from boardzero.settings.run import RunSettings
from boardzero.training.run_folder import RunFolder


def history(mistakes: int) -> RunHistory:
    """Of a run whose last network made so many mistakes in 200 positions."""
    generation = {"seconds": 60.0, "games": 10, "positions": 200, "evaluations_per_second": 1000.0}
    perfect = [{"mistakes": 150, "positions": 200}, {"mistakes": mistakes, "positions": 200}]
    return RunHistory("", RunFolder(Path("nowhere")), RunSettings(game="tictactoe"), [generation], perfect, [], [], None, None)


def comparison(ratings: tuple[float, ...] = (0.0, 90.0, -90.0)) -> Comparison:
    """One variant that makes as many mistakes as the base, and one that makes more; ratings say nothing of it."""
    mistakes = {"base": (23, 24, 22), "same": (22, 23, 25), "more": (31, 33, 30)}
    variants = [
        VariantResult(name, "", tuple(history(count) for count in counts), ratings) for name, counts in mistakes.items()
    ]
    return Comparison("", "", tuple(variants), (), None, ())


def test_more_mistakes_are_worse_whatever_ratings_say() -> None:
    base, same, more = comparison().sentences()
    assert base == "base is what the others are compared with, rated 0, 11.5 % mistakes when last measured."
    assert same.count("no difference is shown") == 2
    assert "+0 Elo (-180 to +180) against base: no difference is shown" in more
    assert "; 15.7 % mistakes when last measured against 11.5 %: worse (p < 0.001)." in more


def test_mistakes_alone_tell_where_nothing_was_rated() -> None:
    _, same, more = comparison(()).sentences()
    assert same.startswith("same: 11.7 % mistakes when last measured against 11.5 %: no difference is shown")
    assert more.endswith("more: 15.7 % mistakes when last measured against 11.5 %: worse (p < 0.001).")


def test_matches_alone_say_by_which_program_and_where_they_were_played() -> None:
    where = {"command": "", "python": "3.11", "begun": "2026-11-16T17:00:00+00:00"}
    sitting = {**where, "program": "boardzero 0.1.0, commit 1234567", "machine": "2 cores"}
    side = {"wins": 1, "draws": 0, "losses": 0, "points": 1.0}
    match = {"players": ["a", "b"], "games": 2, "score": 1.0, "interval": [0.5, 1.0], "document": "", "sitting": sitting}
    text = as_markdown(Comparison("", "", (), ({**match, "moving_first": side, "moving_second": side},), None, ()))
    assert "2 cores. boardzero 0.1.0, commit 1234567. 2026-11-16." in text


def test_the_table_has_the_chances_of_both() -> None:
    text = as_markdown(comparison())
    headings = next(line for line in text.splitlines() if line.startswith("| variant"))
    row = next(line for line in text.splitlines() if line.startswith("| more"))
    cells = dict(zip(headings.split("|"), row.split("|"), strict=True))
    assert cells[" p (Holm) "] == " 1 " and cells[" p of mistakes (Holm) "] == " < 0.001 "
    assert "2 comparisons (Holm), ratings and mistakes by themselves," in text
