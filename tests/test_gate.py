"""The gate: matches of two networks, who is promoted, and a run that remembers it."""

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch
from training_runs import begin, checkpoint_of, game_numbers, games_on_disk, run, settings_of, stop_after

from boardzero.errors import BadInput
from boardzero.events.training import NetworksCompared, TrainingEvent
from boardzero.games.catalogue import find_game
from boardzero.network.weights import load_network, read_header
from boardzero.search.forest import Evaluator
from boardzero.settings.gate import GateSettings
from boardzero.settings.search import SearchSettings
from boardzero.training.gate import Gate
from boardzero.training.loop import Training
from boardzero.training.matches import MatchScore, NetworkSide, PlayerSide, play_match
from boardzero.training.run_folder import Promotions, RunFolder

GATED = ("gate.kind=percentage", "gate.games=8", "gate.percentage=1")  # nearly everybody passes
CLOSED = ("gate.kind=percentage", "gate.games=16", "gate.percentage=100")  # nobody wins every game


def comparisons(events: list[TrainingEvent]) -> list[NetworksCompared]:
    return [event for event in events if isinstance(event, NetworksCompared)]


def evaluator(game_name: str, value: float) -> Evaluator:
    """Prefers the first actions by this much."""
    count = find_game(game_name).action_count

    def evaluate(planes: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        logits = np.tile(value * np.arange(count, dtype=np.float32), (len(planes), 1))
        return logits, np.zeros(len(planes), np.float32)

    return evaluate


# -- rules of promotion ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("settings", "result", "passed"),
    [
        (GateSettings(kind="ratio"), (14, 0, 10), True),  # 14 > 1.3 · 10
        (GateSettings(kind="ratio"), (13, 0, 10), False),
        (GateSettings(kind="ratio"), (1, 19, 0), True),
        (GateSettings(kind="ratio"), (0, 20, 0), False),
        (GateSettings(kind="percentage"), (12, 0, 8), True),
        (GateSettings(kind="percentage"), (11, 1, 8), False),
        (GateSettings(kind="percentage"), (11, 2, 7), True),
    ],
)
def test_a_network_passes_with_enough_wins(settings: GateSettings, result: tuple[int, int, int], passed: bool) -> None:
    assert settings.is_passed(*result) is passed


def test_a_comparison_waits_after_a_promotion(tmp_path: Path) -> None:
    settings = settings_of("gate.kind=ratio", "gate.every=2", "gate.wait_minutes=1")
    gate = Gate(find_game("tictactoe"), settings, RunFolder(tmp_path), 1)
    assert not gate.is_due(1, Promotions(), 0)
    assert gate.is_due(2, Promotions(), 0)
    promoted = Promotions((2,), compared=2, seconds=100)
    assert not gate.is_due(2, promoted, 1000)
    assert not gate.is_due(4, promoted, 159)
    assert gate.is_due(4, promoted, 160)


# -- matches --------------------------------------------------------------------------------------------------------------
def test_a_match_has_each_opening_twice_and_different_games() -> None:
    game = find_game("connect4")
    sides = [NetworkSide(game, evaluator("connect4", value), 20, SearchSettings()) for value in (0.1, -0.1)]
    score = play_match(game, sides[0], sides[1], 12, seed=5)
    assert len(score.points) == 12
    assert score.total == score.by_colour[0] + score.by_colour[1]
    swapped = play_match(game, sides[1], sides[0], 12, seed=5)
    pairs = [(score.points[n], 1 - swapped.points[n + 1 - 2 * (n % 2)]) for n in range(12)]
    assert all(left == right for left, right in pairs)  # the very same games, seen from the other side


def test_games_of_a_match_are_those_that_are_played_alone() -> None:
    """What one game comes to does not depend on how many others are played with it."""
    game = find_game("connect4")
    sides = [
        NetworkSide(game, evaluator("connect4", value), 20, SearchSettings(), temperature=1, temperature_plies=8, seed=1)
        for value in (0.3, -0.3)
    ]
    many = play_match(game, sides[0], sides[1], 20, seed=5)
    few = play_match(game, sides[0], sides[1], 6, seed=5)
    assert many.points[:6] == few.points
    assert len(set(many.points)) > 1


def test_a_search_beats_random_play() -> None:
    game = find_game("connect4")
    own = NetworkSide(game, evaluator("connect4", 0.0), 100, SearchSettings())
    score = play_match(game, own, PlayerSide("random", game, 20, 1), 20, seed=1)
    assert score.total.wins >= 18
    low, high = score.interval
    assert 0.6 < low < high <= 1


def test_intervals_of_one_colour_count_each_game() -> None:
    score = MatchScore((1.0, 0.0) * 15)
    first, second = score.intervals_by_colour
    assert first == pytest.approx((0.796, 1.0), abs=0.002)  # Wilson, 15 of 15
    assert second == pytest.approx((0.0, 0.204), abs=0.002)


# -- runs -----------------------------------------------------------------------------------------------------------------
def test_self_play_goes_on_with_the_best_network(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *CLOSED, "keep_every=100", generations=4)
    events = comparisons(run(folder))
    assert [(event.generation, event.best, event.promoted) for event in events] == [(n, 0, False) for n in (1, 2, 3, 4)]
    assert {int(number) for games in games_on_disk(folder) for number in games.generations} == {0}
    assert folder.network_generations() == [0, 3, 4]
    assert checkpoint_of(folder)[0].games == len(game_numbers(folder))


def test_every_promoted_network_is_kept_and_plays(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *GATED, "keep_every=100", generations=4)
    events = comparisons(run(folder))
    assert [event.best for event in events] == [0, 1, 2, 3]
    assert all(event.promoted for event in events)
    assert folder.network_generations() == [0, 1, 2, 3, 4]
    assert {int(number) for games in games_on_disk(folder) for number in games.generations} == {0, 1, 2, 3}
    told = [event for event in folder.read_events() if event["event"] == "NetworksCompared"]
    assert [event["generation"] for event in told] == [1, 2, 3, 4]


@pytest.mark.parametrize("gate", [GATED, CLOSED])
def test_a_gated_run_is_repeatable(tmp_path: Path, gate: tuple[str, ...]) -> None:
    folders = [begin(tmp_path / name, *gate, "gate.temperature=1") for name in ("one", "two")]
    results = [[(event.wins, event.draws, event.losses) for event in comparisons(run(folder))] for folder in folders]
    assert results[0] == results[1]
    assert len(results[0]) == 3
    (_, state), (_, other) = (checkpoint_of(folder) for folder in folders)
    assert all(torch.equal(state[name], other[name]) for name in state)


def stop_at(folder: RunFolder, kind: type[TrainingEvent], number: int) -> None:
    """End as a kill would, when the event of this kind about this generation is told."""

    def listen(event: TrainingEvent) -> None:
        if isinstance(event, kind) and getattr(event, "generation", None) == number:
            raise InterruptedError

    with pytest.raises(InterruptedError), Training(folder, listen) as training:
        training.run()


def test_a_resumed_run_knows_the_best_and_the_newest_network(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *GATED, "gate.every=2", "keep_every=100", generations=4)
    stop_at(folder, NetworksCompared, 2)
    with Training(folder, lambda _: None) as training:
        assert (training.progress.generation, training.best) == (2, 2)
    with Training(folder, lambda _: None) as training:
        training.settings = training.settings.model_copy(update={"generations": 3})
        training.run()
        assert (training.progress.generation, training.best) == (3, 2)
    with Training(folder, lambda _: None) as training:
        assert (training.progress.generation, training.best) == (3, 2)
        own = training.learner.playing.state_dict()
        stored = load_network(folder.network(3)).network.state_dict()
        assert all(torch.equal(own[name], stored[name]) for name in stored)


def test_a_comparison_that_was_interrupted_is_made_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = (begin(tmp_path / name, *GATED, generations=1) for name in ("whole", "parts"))
    expected = comparisons(run(whole))

    def fail(*_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as patch:
        patch.setattr(Gate, "compare", fail)
        with pytest.raises(InterruptedError), Training(parts, lambda _: None) as training:
            training.run()
    assert checkpoint_of(parts)[0].generation == 1
    (event,) = comparisons(run(parts))
    assert (event.wins, event.draws, event.losses) == (expected[0].wins, expected[0].draws, expected[0].losses)
    assert json.loads(parts.promotions.read_text())["promoted"] == [1]


def test_a_damaged_best_network_gives_way_to_the_one_before(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *GATED, "gate.every=2", generations=3)
    run(folder)
    folder.network(2).write_bytes(b"nothing")
    sentences: list[str] = []
    with Training(folder, lambda event: sentences.append(getattr(event, "sentence", ""))) as training:
        assert training.best == 0
    assert "generation-00002" in sentences[0]


def test_damaged_promotions_are_set_aside(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *GATED, generations=2)
    run(folder)
    folder.promotions.write_text("{")
    sentences: list[str] = []
    with Training(folder, lambda event: sentences.append(getattr(event, "sentence", ""))) as training:
        assert training.best == 0
    assert "promotions" in sentences[0] and "damaged" in sentences[0]


# -- clearing on promotion --------------------------------------------------------------------------------------------------
CLEARING = (*GATED, "replay.window.clear_on_promotion=true", "replay.window.kind=all")


def test_a_promotion_clears_the_window_and_training_waits_for_it_to_fill(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *CLEARING, "training.first_positions=300", "training.positions=50", generations=3)
    run(folder)
    done = [event for event in folder.read_events() if event["event"] == "GenerationDone"]
    positions = [event["positions"] for event in done]
    assert all(after - before >= 300 for before, after in zip([0, *positions], positions, strict=False))
    assert all(
        event["window"] == after - before for event, before, after in zip(done, [0, *positions], positions, strict=False)
    )
    with Training(folder, lambda _: None) as training:
        assert training.replay.positions == 0


def test_a_kill_between_promotion_and_clearing_does_not_keep_the_old_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from boardzero.replay.replay import Replay

    folder = begin(tmp_path / "run", *CLEARING, generations=2)

    def fail(*_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as patch:
        patch.setattr(Replay, "clear", fail)
        with pytest.raises(InterruptedError), Training(folder, lambda _: None) as training:
            training.run()
    with Training(folder, lambda _: None) as training:
        assert training.best == 1
        assert training.replay.positions == 0
        assert training.quota.games == 0
        training.run()
    assert checkpoint_of(folder)[0].games == len(game_numbers(folder))


def test_a_damaged_ledger_costs_no_game_of_the_new_best_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Gate, "is_passed", lambda *_: True)
    folder = begin(tmp_path / "run", *CLEARING, generations=2)
    stop_at(folder, NetworksCompared, 1)
    with Training(folder, lambda _: None) as training:
        assert training.replay.positions == 0
        stop_after(training, games=20)
        training.run()
        positions = training.replay.positions
    (folder.games / "ledger.json").write_text("{")
    with Training(folder, lambda _: None) as training:
        assert training.replay.positions == positions > 0


def test_a_window_that_cannot_fill_again_is_refused() -> None:
    with pytest.raises(BadInput, match="clear_on_promotion needs a window"):
        settings_of("replay.window.clear_on_promotion=true", "replay.window.kind=games")


def test_networks_say_how_far_the_run_was(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *GATED, generations=2)
    run(folder)
    progress, _ = checkpoint_of(folder)
    details = read_header(folder.network(2)).details["progress"]
    assert (details["generation"], details["games"], details["positions"]) == (2, progress.games, progress.positions)
