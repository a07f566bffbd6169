"""Evaluation while training: whom a network meets, in which time, and what is told of it."""

import time
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from training_runs import begin, run, settings_of

from boardzero.arena.perfect_play import draw_solved_positions
from boardzero.errors import BadInput
from boardzero.events.training import MatchPlayed, PerfectPlayMeasured, Remark, StrengthMeasured
from boardzero.network.weights import read_header
from boardzero.settings.evaluation import EvaluationSettings
from boardzero.settings.run import RunSettings
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder
from boardzero.training.strength import StrengthMeter

EVERY = ("evaluation.every=1", "evaluation.games=6", "evaluation.share=1", "evaluation.positions=0", "keep_every=1")


WITHOUT_POSITIONS = "evaluation.positions=0"


def meter_of(path: Path, *changes: str, **values: Any) -> StrengthMeter:
    settings = settings_of(*changes, **values)
    with Training(begin(path, *changes, **values), lambda _: None) as training:
        return StrengthMeter(training.game, settings, training.folder, 1, 0.0, lambda: None)


def matches(told: list[Any]) -> list[StrengthMeasured]:
    return [event for event in told if isinstance(event, StrengthMeasured)]


def test_a_network_meets_everybody_it_should(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *EVERY, "evaluation.opponents=random mcts minimax previous:2", generations=4)
    measured = [event for event in run(folder) if isinstance(event, StrengthMeasured)]
    last = {event.opponent: event for event in measured if event.generation == 4}
    assert set(last) == {"random", "mcts:sims=16", "minimax:depth=4", "generation 3", "generation 2"}
    assert all(sum(event.moving_first) == sum(event.moving_second) == 3 for event in measured)
    for event in measured:
        wins, draws = (event.moving_first[i] + event.moving_second[i] for i in range(2))
        assert event.score == pytest.approx((wins + draws / 2) / 6)
        for score, (low, high) in (
            (event.score, event.interval),
            (event.first_score, event.first_interval),
            (event.second_score, event.second_interval),
        ):
            assert 0 <= low <= score <= high <= 1
            assert high - low > 0.2
    told = [event for event in folder.read_events() if event["event"] == "StrengthMeasured"]
    assert len(told) == len(measured)
    log = EventAccumulator(str(folder.path / "tensorboard"))
    log.Reload()
    assert [point.step for point in log.Scalars("score against random/moving first")] == [1, 2, 3, 4]
    assert [point.step for point in log.Scalars("score against 1 generations ago/both sides")] == [1, 2, 3, 4]


@pytest.mark.parametrize("fresh", [False, True])
def test_positions_are_the_same_for_every_evaluation_unless_fresh_ones_are_asked_for(tmp_path: Path, fresh: bool) -> None:
    changes = ("evaluation.share=1", "evaluation.opponents=none", "evaluation.positions=9", "evaluation.position_simulations=2")
    meter = meter_of(tmp_path / "run", *changes, f"evaluation.fresh_positions={str(fresh).lower()}")
    drawn: list[list[str]] = []
    told: list[object] = []
    for generation in (0, 1):
        meter._folder.network(generation).write_bytes(meter._folder.network(0).read_bytes())
        meter.measure(generation, 1e6 * (generation + 1), told.append)
        drawn.append([entry.position.moves for entry in meter._drawn or ()])
    assert [len(moves) for moves in drawn] == [9, 9] and (drawn[0] != drawn[1]) is fresh
    assert [type(event) for event in told] == [PerfectPlayMeasured] * 2


def test_evaluation_changes_nothing_that_is_learned(tmp_path: Path) -> None:
    folders = [begin(tmp_path / name, *changes) for name, changes in (("with", EVERY), ("without", ("evaluation.share=0",)))]
    measured = [[event for event in run(folder) if isinstance(event, StrengthMeasured)] for folder in folders]
    assert measured[0] and not measured[1]
    assert read_header(folders[0].network(3)).checksum == read_header(folders[1].network(3)).checksum


def test_evaluation_takes_no_time_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds: list[float] = []
    measured: list[Training] = []

    def sleep(self: StrengthMeter, *_: object) -> None:
        seconds.append(measured[0].seconds)
        time.sleep(3)
        seconds.append(measured[0].seconds)

    monkeypatch.setattr(StrengthMeter, "measure", sleep)
    with Training(begin(tmp_path / "run", *EVERY), lambda _: None) as training:
        measured.append(training)
        before = training.seconds
        training.measure()
        assert training.seconds - before < 2.5
        assert seconds[0] == seconds[1]  # it stands still
        assert training.stopwatch.seconds["measuring"] >= 3


def test_an_evaluation_without_time_waits(tmp_path: Path) -> None:
    meter = meter_of(tmp_path / "run", "evaluation.share=0.1", WITHOUT_POSITIONS)
    told: list[object] = []
    meter.spent = 10.0
    meter.measure(0, 99, told.append)
    assert told == []
    meter.measure(0, 1000, told.append)
    assert len(matches(told)) == 3  # random, mcts and minimax
    meter.measure(0, 10_000, told.append)
    assert len(matches(told)) == 3  # each generation once


def test_what_costs_too_much_waits_and_comes_first_later(tmp_path: Path) -> None:
    meter = meter_of(tmp_path / "run", "evaluation.share=0.1", "evaluation.opponents=random mcts", WITHOUT_POSITIONS)
    meter._costs = {"random": 0.0, "mcts:sims=16": 50.0}
    told: list[object] = []
    meter.measure(0, 100, told.append)
    assert [event.kind for event in matches(told)] == ["random"]
    told.clear()
    meter._folder.network(1).write_bytes(meter._folder.network(0).read_bytes())
    meter.measure(1, 10_000, told.append)
    assert [event.kind for event in matches(told)] == ["mcts", "random"]


def test_a_network_that_is_far_too_slow_for_the_budget_is_not_measured_even_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thirty games of 16 simulations a move with a second for each evaluation are many minutes."""
    monkeypatch.setattr("boardzero.training.strength._time_evaluation", lambda *_: 1.0)
    meter = meter_of(tmp_path / "run", "evaluation.share=0.1", "evaluation.opponents=random")
    told: list[object] = []
    meter.measure(0, 100, told.append, final=True)
    assert told == [] and meter.spent == 0
    meter.measure(0, 1e6, told.append)  # with as much time as that takes
    assert len(matches(told)) == 1 and any(isinstance(event, PerfectPlayMeasured) for event in told)


def test_the_end_is_measured_even_after_a_short_run(tmp_path: Path) -> None:
    meter = meter_of(tmp_path / "run", WITHOUT_POSITIONS, "evaluation.games=2")
    told: list[object] = []
    meter.measure(0, 0.5, told.append, final=True)
    assert len(matches(told)) == 3
    silent = meter_of(tmp_path / "silent", "evaluation.share=0")
    silent.measure(0, 1000, told.append, final=True)
    assert len(matches(told)) == 3


def test_evaluations_come_every_so_many_generations_or_minutes(tmp_path: Path) -> None:
    meter = meter_of(tmp_path / "one", "evaluation.every=3")
    assert [number for number in range(1, 8) if meter.is_due(number, 0)] == [3, 6]
    timed = meter_of(tmp_path / "two", "evaluation.minutes=2")
    assert not timed.is_due(3, 119)
    assert timed.is_due(4, 120)
    timed.measure(0, 120, lambda _: None)
    assert not timed.is_due(5, 200)


@pytest.mark.parametrize("game", ["tictactoe", "connect4:rows=4,columns=4,connect=3", "connect4:rows=7", "othello:size=6"])
def test_perfect_play_is_measured_where_it_is_known(tmp_path: Path, game: str) -> None:
    changes = (*EVERY, "evaluation.opponents=none", "evaluation.positions=20", "evaluation.position_simulations=10")
    folder = begin(tmp_path / "run", *changes, game=game, generations=1)
    (event,) = (event for event in run(folder) if isinstance(event, PerfectPlayMeasured))
    assert (event.generation, event.positions, event.simulations) == (1, 20, 10)
    assert 0 <= event.mistakes <= 20


@pytest.mark.parametrize(
    ("game", "measured", "said"),
    [
        ("connect4:rows=2,columns=3,connect=3", 1, "positions of connect4:rows=2,columns=3,connect=3: 200 were not found."),
        ("connect4:rows=1,columns=4", 0, "No positions of connect4:rows=1,columns=4 were found that are soon solved"),
    ],
)
def test_too_few_solved_positions_are_said_once_and_stop_nobody(tmp_path: Path, game: str, measured: int, said: str) -> None:
    meter = meter_of(tmp_path / "run", "evaluation.share=1", "evaluation.opponents=none", game=game)
    told: list[object] = []
    for generation in range(3):
        meter._folder.network(generation).write_bytes(meter._folder.network(0).read_bytes())
        meter.measure(generation, 1000, told.append)
    (remark,) = (event for event in told if isinstance(event, Remark))
    assert said in remark.sentence
    assert sum(isinstance(event, PerfectPlayMeasured) for event in told) == 3 * measured


def test_remarks_on_an_evaluation_are_heard_by_those_who_only_see_the_folder(tmp_path: Path) -> None:
    game = "connect4:rows=2,columns=3,connect=3"  # has fewer positions than are asked for
    folder = begin(tmp_path / "run", *EVERY, "evaluation.opponents=none", "evaluation.positions=50", game=game, generations=1)
    told = [event.sentence for event in run(folder) if isinstance(event, Remark)]
    assert told and told == [event["sentence"] for event in folder.read_events() if event["event"] == "Remark"]


def test_drawing_positions_does_not_make_later_measurements_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is done once: what a measurement costs is what the next one will take."""

    def draw_slowly(*arguments: Any) -> Any:
        time.sleep(2)
        return draw_solved_positions(*arguments)

    monkeypatch.setattr("boardzero.training.strength.draw_solved_positions", draw_slowly)
    meter = meter_of(tmp_path / "run", "evaluation.share=1", "evaluation.opponents=none", "evaluation.positions=10")
    meter.measure(0, 1000, lambda _: None)
    assert meter._costs["perfect play"] < 2 <= meter.spent


def test_games_of_matches_are_told_with_what_they_came_to(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *EVERY, "evaluation.opponents=random previous:1", generations=1)
    events = run(folder)
    played = [event for event in events if isinstance(event, MatchPlayed)]
    assert [(event.source, event.opponent, event.opponent_generation) for event in played] == [
        ("evaluation", "random", None),
        ("evaluation", "generation 0", 0),
    ]
    for match, measured in zip(played, matches(events), strict=True):
        assert len(match.games) == 6
        for moving, counts in ((0, measured.moving_first), (1, measured.moving_second)):
            results: list[str] = [game.result for game in match.games[moving::2]]
            own, other = ("first", "second") if moving == 0 else ("second", "first")
            assert tuple(results.count(result) for result in (own, "draw", other)) == counts
    assert not any(event["event"] == "MatchPlayed" for event in folder.read_events())


@pytest.mark.parametrize(
    ("opponents", "said"),
    [
        ("randm", "did you mean 'random'"),
        ("previous:many", "should be previous:NUMBER"),
        ("human", "is a person"),
        ("mcts:sim=3", "did you mean 'sims'"),
    ],
)
def test_opponents_that_cannot_be_met_are_refused(tmp_path: Path, opponents: str, said: str) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.create(settings_of(f"evaluation.opponents={opponents}"))
    with pytest.raises(BadInput, match=said):
        Training(folder, lambda _: None)


def test_minimax_is_among_the_usual_opponents() -> None:
    """So shallow that it costs little on large boards too; a run without a word about opponents meets it."""
    assert RunSettings().evaluation.opponents == ("random", "mcts", "minimax:depth=2", "previous:5")


def test_opponents_are_written_with_spaces_between_them() -> None:
    assert EvaluationSettings.model_validate({"opponents": "random mcts:sims=5,c=2"}).opponents == ("random", "mcts:sims=5,c=2")
    assert EvaluationSettings.model_validate({"opponents": None}).opponents == ()
