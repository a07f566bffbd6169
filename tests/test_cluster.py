"""Self-play on a cluster, as far as it needs no Ray: addresses, numbers of games, and a player that carries out orders."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_records import same_games
from training_runs import settings_of

from boardzero.cluster.connection import ClusterAddress
from boardzero.cluster.game_file import SentGame
from boardzero.cluster.leases import Leases
from boardzero.cluster.orders import Lease, Order, SentNetwork
from boardzero.cluster.player import Player
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.network.build import build_network
from boardzero.network.weights import save_network
from boardzero.replay.columns import GameColumns
from boardzero.replay.journal import parse_journal
from boardzero.selfplay.source import Goal

NETWORK = ("network.onnx", "network.safetensors")


def numbers(*values: int) -> Any:
    return np.array(values, np.int64)


# -- addresses ---------------------------------------------------------------------------------------------------------------
def test_an_address_names_workers_here_or_a_cluster() -> None:
    assert ClusterAddress.parse("local:3").local_workers == 3
    for text in ("auto", "10.0.0.7:6379", "head.example:6379"):
        assert ClusterAddress.parse(text).local_workers is None


@pytest.mark.parametrize("text", ["", "local", "local:", "local:0", "local:two", "local:5000", "head", "head:", "head:x", ":1"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is no cluster"):
        ClusterAddress.parse(text)


# -- numbers of games --------------------------------------------------------------------------------------------------------
def test_a_game_counts_once_and_only_for_the_player_that_has_its_number() -> None:
    leases = Leases(100, size=10)
    one, other = leases.grant(), leases.grant()
    assert (one.first, other.first) == (100, 110)
    assert leases.accept(one.holder, numbers(100, 101, 100, 110, 99)).tolist() == [True, True, False, False, False]
    assert leases.accept(one.holder, numbers(101, 102)).tolist() == [False, True]
    assert leases.accept(other.holder, numbers(110, 102)).tolist() == [True, False]


def test_a_player_that_is_alone_counts_on_without_a_gap() -> None:
    leases = Leases(0, size=10)
    lease = leases.renew(leases.renew(leases.grant()))
    assert (lease.first, lease.end) == (0, 30)
    assert leases.accept(lease.holder, numbers(29, 30)).tolist() == [True, False]


def test_games_that_were_begun_with_earlier_numbers_still_count_after_a_renewal() -> None:
    leases = Leases(0, size=10)
    lease, _ = leases.grant(), leases.grant()
    later = leases.renew(lease)
    assert (later.first, later.holder) == (20, lease.holder)
    assert leases.accept(lease.holder, numbers(3, 20, 3)).tolist() == [True, True, False]


def test_nothing_counts_of_a_player_that_is_gone() -> None:
    leases = Leases(0, size=10)
    lease = leases.grant()
    leases.end(lease.holder)
    assert not leases.accept(lease.holder, numbers(0)).any()
    assert leases.grant().first == 10


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(["grant", "renew", "end", "play"]), st.integers(0, 5), st.integers(0, 60)), max_size=40)
)
def test_whatever_happens_no_number_counts_twice(steps: list[tuple[str, int, int]]) -> None:
    leases = Leases(7, size=4)
    held: list[Lease] = []
    counted: list[int] = []
    for kind, which, number in steps:
        if kind == "grant" or not held:
            held.append(leases.grant())
        elif kind == "renew":
            held.append(leases.renew(held[which % len(held)]))
        elif kind == "end":
            leases.end(held[which % len(held)].holder)
        elif leases.accept(held[which % len(held)].holder, numbers(number))[0]:
            counted.append(number)
    assert len(counted) == len(set(counted))
    starts = sorted({lease.first for lease in held})
    assert all((start - 7) % 4 == 0 for start in starts)


# -- a player ----------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> SentNetwork:
    """A network whose references are the paths of its files."""
    path = tmp_path_factory.mktemp("networks") / NETWORK[1]
    run, game = settings_of(), find_game("tictactoe")
    header = save_network(path, build_network(run.network, game, seed=1).eval(), game)
    return SentNetwork(0, header.checksum, path.with_name(NETWORK[0]), path)


def a_player() -> Player:
    return Player(settings_of().model_dump_json(), SentGame("tictactoe"), version("boardzero"), Path.read_bytes, "here")


def order(number: int, network: SentNetwork, **changes: Any) -> Order:
    usual: dict[str, Any] = {"acknowledged": 0, "phase": 1, "share_done": 0.0, "seconds": 60.0, "most_games": 5}
    return Order(number=number, network=network, **(usual | changes))


def games_of(frame: bytes) -> GameColumns:
    games = parse_journal(frame).games
    assert games is not None
    return games


def test_a_player_without_numbers_plays_nothing(sent: SentNetwork) -> None:
    answer = a_player().play(order(1, sent))
    assert (answer.lease, answer.games, answer.frame) == (None, 0, b"")


def test_a_player_that_was_started_anew_does_not_play_the_numbers_of_its_life_before(sent: SentNetwork) -> None:
    answer = a_player().play(order(7, sent, lease=Lease(1, 0), renews=True))
    assert (answer.lease, answer.games) == (None, 0)


def test_an_order_that_comes_twice_is_answered_from_memory(sent: SentNetwork) -> None:
    player = a_player()
    first = player.play(order(1, sent, lease=Lease(1, 0)))
    again = player.play(order(1, sent, lease=Lease(1, 0)))
    second = player.play(order(2, sent, acknowledged=1))
    assert again is first
    assert first.games >= 5
    assert not set(games_of(first.frame).numbers) & set(games_of(second.frame).numbers)


def test_orders_of_any_length_give_the_games_of_one_long_order(sent: SentNetwork) -> None:
    whole, parts = a_player(), a_player()
    long = whole.play(order(1, sent, lease=Lease(1, 0), most_games=10_000, goal=Goal(positions=120)))
    frames, number, at_goal = b"", 0, False
    while not at_goal:
        number += 1
        answer = parts.play(order(number, sent, lease=Lease(1, 0), most_games=1, goal=Goal(positions=120)))
        frames, at_goal = frames + answer.frame, answer.at_goal
    assert number > 5
    assert same_games(games_of(long.frame), games_of(frames))
    assert parts.play(order(number + 1, sent, goal=Goal(positions=120))).games == 0


def test_a_player_that_is_told_to_hurry_answers_and_goes_on_in_the_next_phase(sent: SentNetwork) -> None:
    player = a_player()
    player.hurry(1)
    assert player.play(order(1, sent, lease=Lease(1, 0))).games == 0
    assert player.play(order(2, sent, phase=2)).games >= 5
    assert player.play(order(3, sent, phase=1)).games == 0


def test_another_network_than_was_announced_is_refused(sent: SentNetwork) -> None:
    wrong = SentNetwork(1, "0" * 64, sent.onnx, sent.weights)
    with pytest.raises(BadInput, match="other weights than were sent"):
        a_player().play(order(1, wrong, lease=Lease(1, 0)))


def test_another_version_of_the_program_is_refused() -> None:
    with pytest.raises(BadInput, match="install the same version"):
        Player(settings_of().model_dump_json(), SentGame("tictactoe"), "0.0.0", Path.read_bytes, "here")
