"""Runs: they learn, they are repeatable, and they say what happened."""

import itertools
from pathlib import Path

import pytest
import torch
from replay_records import same_games
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from training_runs import (
    assert_nothing_lost_or_twice,
    begin,
    checkpoint_of,
    game_numbers,
    games_on_disk,
    run,
    run_generations,
)

from boardzero.arena.match import Match, MatchSettings
from boardzero.cores import usable_cores
from boardzero.events.training import GenerationDone, TrainingEvent
from boardzero.games.catalogue import find_game
from boardzero.network.weights import read_header
from boardzero.players.catalogue import find_player
from boardzero.replay.replay import Replay
from boardzero.selfplay.source import LocalSelfPlay
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.training.learner import LossReport
from boardzero.training.loop import Training


# -- learning ---------------------------------------------------------------------------------------------------------
def test_a_run_learns_tic_tac_toe(tmp_path: Path) -> None:
    """The loss falls, and the network without any search beats random play clearly."""
    folder = begin(
        tmp_path / "run", "network.channels=16", "training.first_positions=600", "training.positions=600",
        "selfplay.cap.full_simulations=32", "training.learning_rate=0.01", "selfplay.games=64", generations=8,
    )  # fmt: skip
    done = [event for event in run(folder) if isinstance(event, GenerationDone)]
    assert [event.generation for event in done] == list(range(1, 9))
    assert done[-1].policy_loss + done[-1].value_loss < 0.75 * (done[0].policy_loss + done[0].value_loss)
    game = find_game("tictactoe")
    players = find_player(f"alphazero:network={folder.path},sims=1", game), find_player("random", game)
    score = Match(players, MatchSettings(games=60)).play().total.score
    assert score is not None and score > 0.8


def test_the_same_seed_gives_the_same_games_and_weights(tmp_path: Path) -> None:
    folders = [begin(tmp_path / name) for name in ("one", "two")]
    for folder in folders:
        run(folder)
    one, two = (games_on_disk(folder) for folder in folders)
    assert len(one) == len(two) > 1
    assert all(same_games(left, right) for left, right in zip(one, two, strict=True))
    (progress, state), (_, other) = (checkpoint_of(folder) for folder in folders)
    assert progress.generation == 3
    assert state.keys() == other.keys()
    assert all(torch.equal(state[name], other[name]) for name in state)
    networks = [read_header(folder.network(3)).checksum for folder in folders]
    assert networks[0] == networks[1]


def test_networks_note_how_far_apart_their_values_are(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", "search.value_spread=0.6", generations=1)
    run(folder)
    assert read_header(folder.network(1)).value_spread == 0.6


def test_another_seed_gives_other_games(tmp_path: Path) -> None:
    folders = [begin(tmp_path / str(seed), seed=seed, generations=1) for seed in (1, 2)]
    for folder in folders:
        run(folder)
    assert not same_games(games_on_disk(folders[0])[0], games_on_disk(folders[1])[0])


def test_several_workers_share_a_run(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", "selfplay.workers=3")
    run(folder)
    assert_nothing_lost_or_twice(folder)


def test_a_generation_is_completed_though_nobody_is_left_who_plays(tmp_path: Path) -> None:
    """All players of a cluster may have died while it trained."""
    folder = begin(tmp_path / "run", generations=1)
    with Training(folder, lambda _: None) as training:
        training.run()
        training.selfplay = LocalSelfPlay([], lambda _: pytest.fail("nobody plays"))
        training.quota.begin_training()
        training.complete_generation(LossReport(1, 0.5, 0.5, 0.1), training.speeds.since_restart(), 1.0)
    progress, _ = checkpoint_of(folder)
    assert progress.generation == 2
    assert progress.next_number > max(game_numbers(folder))


def test_training_has_all_cores_unless_the_run_is_to_be_repeatable(tmp_path: Path) -> None:
    run(begin(tmp_path / "many", "selfplay.workers=2", generations=1))
    assert torch.get_num_threads() == len(usable_cores())
    run(begin(tmp_path / "one", generations=1))
    assert torch.get_num_threads() == 1


def test_a_run_tells_how_often_resigning_would_have_been_wrong(tmp_path: Path) -> None:
    resigning = ("selfplay.resign_below=-0.02", "selfplay.resign_checked_share=0.5", "search.exact=false")
    folder = begin(tmp_path / "run", *resigning, generations=2)
    done: list[TrainingEvent] = []
    with Training(folder, done.append) as training:
        training.run()
        (worker,) = training.workers
        assert isinstance(worker, SelfPlayWorker)
    told = [event for event in done if isinstance(event, GenerationDone)]
    assert sum(event.resignable for event in told) == worker.counts.resignable > 0
    assert sum(event.wrongly_resignable for event in told) == worker.counts.wrongly_resignable


# -- how long a generation and its training are ------------------------------------------------------------------------
def test_a_generation_may_be_counted_in_games_and_its_training_in_steps(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", "training.games=5", "training.steps=2", generations=3)
    done = [event for event in run(folder) if isinstance(event, GenerationDone)]
    assert [event.steps for event in done] == [2, 4, 6]
    assert all(5 <= after.games - before.games < 25 for before, after in itertools.pairwise(done))


def test_a_run_in_epochs_is_repeatable_and_tells_the_loss_of_what_was_held_out(tmp_path: Path) -> None:
    changes = ("training.epochs=2", "training.held_out=0.2", "training.legal_only=true")
    folders = [begin(tmp_path / name, *changes, generations=2) for name in ("one", "two")]
    runs = [[event for event in run(folder) if isinstance(event, GenerationDone)] for folder in folders]
    assert [event.validation_loss for event in runs[0]] == [event.validation_loss for event in runs[1]]
    assert all(event.validation_loss is not None for event in runs[0])
    assert read_header(folders[0].network(2)).checksum == read_header(folders[1].network(2)).checksum


# -- what happened ----------------------------------------------------------------------------------------------------
def test_tensorboard_shows_the_events(tmp_path: Path) -> None:
    begun = begin(tmp_path / "run")
    run_generations(begun, 2)
    run(begun)
    log = EventAccumulator(str(begun.path / "tensorboard"))
    log.Reload()
    losses = {point.step: point.value for point in log.Scalars("loss/policy_loss")}
    told = {event["generation"]: event["policy_loss"] for event in begun.read_events()}
    assert losses == pytest.approx(told, rel=1e-6)
    assert set(losses) == {1, 2, 3}
    totals = {event["generation"]: event["policy_loss"] + event["value_loss"] for event in begun.read_events()}
    assert {point.step: point.value for point in log.Scalars("loss/total_loss")} == pytest.approx(totals, rel=1e-6)


def test_a_run_may_learn_how_many_plies_are_left(tmp_path: Path) -> None:
    """The head is there to be learned from, grows with the network, and plays no part in play."""
    growth = ("growth.share=0.5", "growth.blocks=2", "growth.channels=12")
    folder = begin(tmp_path / "run", "network.plies_left=true", *growth, generations=2)
    done = [event for event in run(folder) if isinstance(event, GenerationDone)]
    assert all(event.plies_left_loss is not None and event.plies_left_loss > 0 for event in done)
    assert read_header(folder.network(2)).settings.plies_left
    log = EventAccumulator(str(folder.path / "tensorboard"))
    log.Reload()
    assert [point.step for point in log.Scalars("loss/plies_left_loss")] == [1, 2]


def test_totals_count_the_games_of_later_generations(tmp_path: Path) -> None:
    begun = begin(tmp_path / "run")
    run_generations(begun, 2)
    replay = Replay(find_game("tictactoe"), begun.settings().replay, begun.games)
    replay.load()
    every, later = replay.totals(), replay.totals(1)
    assert every.games == len(game_numbers(begun))
    assert every.next_number == max(game_numbers(begun)) + 1
    assert 0 < later.games < every.games
    assert replay.totals(99).games == 0
