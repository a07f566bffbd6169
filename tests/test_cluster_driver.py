"""The driver of a run on a cluster, with a Ray that does as the tests say: orders, answers, failures, and who plays where."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from replay_records import random_records
from training_runs import begin, settings_of

from boardzero.cluster import failures as failures_module
from boardzero.cluster import selfplay as selfplay_module
from boardzero.cluster import workforce as workforce_module
from boardzero.cluster.broadcast import KEPT, Broadcast
from boardzero.cluster.game_file import SentGame
from boardzero.cluster.orders import Answer, Failure, Lease, Order, SentNetwork
from boardzero.cluster.selfplay import ClusterSelfPlay
from boardzero.cluster.workforce import RESTARTS, Hand, Machine, Workforce, places
from boardzero.errors import BadInput
from boardzero.events.cluster import ClusterState
from boardzero.games.catalogue import find_game
from boardzero.network.build import build_network
from boardzero.network.evaluator import OnnxEvaluator, exported_bytes
from boardzero.network.weights import parse_header, save_network
from boardzero.replay.columns import GameColumns
from boardzero.replay.journal import frame_of
from boardzero.replay.record import SelfPlayGame
from boardzero.search.forest import SearchCounts
from boardzero.training.loop import Training

SEED = 7  # of random records


class RayError(Exception): ...


class RayTaskError(RayError): ...


class ActorDiedError(RayError): ...


class Reference:
    """To an answer, once somebody gives it."""

    def __init__(self, order: Order) -> None:
        self.order, self.content = order, None

    def answer(self, content: Any) -> None:
        self.content = content


class Actor:
    """A player that answers when the test does."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options, self.references = options, list[Reference]()
        self.play, self.hurry = SimpleNamespace(remote=self._play), SimpleNamespace(remote=lambda phase: None)

    def _play(self, order: Order) -> Reference:
        self.references.append(Reference(order))
        return self.references[-1]


class FakeRay:
    """As much of Ray as the driver uses."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError, ActorDiedError=ActorDiedError)

    def __init__(self, **cores: int) -> None:
        """A machine for each name, with so many cores."""
        self.cores, self.gpus = cores, dict[str, int]()
        self.actors, self.killed, self.kept = list[Actor](), list[Actor](), list[bytes]()
        self.actor_options: dict[str, Any] = {}

    def nodes(self) -> list[dict[str, Any]]:
        return [
            {"NodeID": name, "Alive": True, "NodeManagerHostname": name, "NodeManagerAddress": "", "Resources": {"CPU": count}}
            for name, count in self.cores.items()
        ]

    def remote(self, **options: Any) -> Callable[[Any], Any]:
        self.actor_options = options
        return lambda _: SimpleNamespace(options=lambda **placed: SimpleNamespace(remote=lambda *_: self._start(placed)))

    def _start(self, options: dict[str, Any]) -> Actor:
        self.actors.append(Actor(options))
        return self.actors[-1]

    def method(self, **_: Any) -> Callable[[Any], Any]:
        return lambda function: function

    def put(self, content: bytes) -> bytes:
        self.kept.append(content)
        return content

    def kill(self, actor: Actor) -> None:
        self.killed.append(actor)

    def wait(self, references: list[Reference], num_returns: int, timeout: float) -> tuple[list[Reference], list[Reference]]:
        ready = [reference for reference in references if reference.content is not None][:num_returns]
        return ready, [reference for reference in references if reference not in ready]

    def get(self, reference: Reference) -> Any:
        if isinstance(reference.content, Exception):
            raise reference.content
        return reference.content


class Driver:
    """Self-play of a run on a fake cluster."""

    def __init__(self, ray: FakeRay, wanted: int = 0) -> None:
        self.ray, self.said, self.states = ray, list[str](), list[ClusterState]()
        self.workforce = Workforce(ray, settings_of(), wanted, self.said.append, spare_cores=0)
        broadcast: Any = SimpleNamespace(network=lambda generation: SentNetwork(generation, "sum", None, None))
        self.play = ClusterSelfPlay(ray, self.workforce, SEED, 0, broadcast, self.states.append, self.said.append)
        self.play.begin(0, 0.0)

    def actors(self) -> list[Actor]:
        return [actor for actor in self.ray.actors if actor not in self.ray.killed]

    def fail_everywhere(self, node: str) -> None:
        """Every order of players that have not answered fails, as if they were on this machine."""
        for actor in self.actors():
            for reference in actor.references:
                if reference.content is None:
                    reference.answer(Failure(node, "no room on the disk"))
        self.play.finished()


def answer(reference: Reference, games: list[SelfPlayGame], lease: Lease | None, **changes: Any) -> Answer:
    usual = Answer(
        order=reference.order.number,
        phase=reference.order.phase,
        node="one",
        lease=lease,
        next_number=lease.first + len(games) if lease else 0,
        generation=0,
        checksum="sum",
        frame=frame_of(GameColumns.from_games(games)) if games else b"",
        games=len(games),
        counts=SearchCounts(10, 10, 0, 0),
    )
    return replace(usual, **changes)


# -- when the learner has enough ---------------------------------------------------------------------------------------------
def test_players_are_not_held_while_a_cleared_window_is_too_small_to_learn_from(tmp_path: Path) -> None:
    changes = ("training.first_positions=400", "training.positions=20", "replay.window.clear_on_promotion=true")
    number, held = 0, False
    with Training(begin(tmp_path / "run", *changes), lambda _: None) as training:
        training.progress = replace(training.progress, generation=1)
        for _ in range(40):
            games = [] if held else random_records("tictactoe", 5, first=number)
            number += len(games)
            training.take_in(games)
            held = training.quota.is_far_passed
        assert training.quota.is_reached() and held


# -- acknowledgement ---------------------------------------------------------------------------------------------------------
def test_games_are_acknowledged_only_when_the_training_has_had_time_to_write_them() -> None:
    driver = Driver(FakeRay(one=1))
    actor = driver.actors()[0]
    first = actor.references[0]
    first.answer(answer(first, random_records("tictactoe", 3), first.order.lease))
    assert [game.number for game in driver.play.finished()] == [0, 1, 2]
    assert actor.references[-1].order.acknowledged == 0
    second = actor.references[1]
    second.answer(answer(second, [], first.order.lease))
    driver.play.finished()
    assert actor.references[-1].order.acknowledged == 1


def test_only_games_that_count_are_in_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfplay_module, "TOLD_EVERY", -1.0)
    driver = Driver(FakeRay(one=1))
    references = driver.actors()[0].references
    for reference in references[:2]:
        reference.answer(answer(reference, random_records("tictactoe", 3), references[0].order.lease))
    assert len(driver.play.finished()) == 3
    assert (driver.states[-1].games, driver.play.counts().simulations) == (3, 20)


def test_a_player_that_was_started_anew_gets_other_numbers_after_a_renewal() -> None:
    driver = Driver(FakeRay(one=1))
    actor = driver.actors()[0]
    first = actor.references[0]
    lease = first.order.lease
    assert lease is not None and not first.order.renews
    first.answer(answer(first, [], lease, next_number=lease.end - 1))
    driver.play.finished()
    renewing = actor.references[-1]
    assert renewing.order.renews and renewing.order.lease is not None
    for reference in actor.references[1:]:
        reference.answer(answer(reference, [], None))
    driver.play.finished()
    newest = actor.references[-2].order
    assert newest.lease is not None and not newest.renews
    assert newest.lease.holder != lease.holder and newest.lease.first >= renewing.order.lease.end


# -- failures ----------------------------------------------------------------------------------------------------------------
def test_a_player_whose_orders_fail_together_is_replaced_once() -> None:
    driver = Driver(FakeRay(one=1, two=1))
    actor = driver.actors()[0]
    for reference in actor.references:
        reference.answer(ActorDiedError("it is gone"))
    driver.play.finished()
    assert len(driver.ray.actors) == 3 and driver.ray.killed == [actor]
    assert driver.said == ["A player on a machine that Ray does not name failed: it is gone"]


def test_one_failing_player_does_not_end_the_run_and_its_machine_is_named() -> None:
    driver = Driver(FakeRay(one=2))
    driver.actors()[0].references[0].answer(Failure("one", "no room on the disk"))
    driver.play.finished()
    assert driver.said == ["A player on one () failed: no room on the disk"]
    assert len(driver.actors()) == 2


def test_what_fails_again_and_again_on_every_machine_ends_the_run() -> None:
    driver = Driver(FakeRay(one=1))
    for _ in range(failures_module.MOST_FAILURES - 1):
        driver.fail_everywhere("one")
    with pytest.raises(BadInput, match="fail again and again: no room on the disk"):
        driver.fail_everywhere("one")


def test_a_machine_that_players_fail_on_is_left_out_while_others_play_and_tried_again_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    driver = Driver(FakeRay(bad=1, good=1))
    healthy = driver.actors()[1].references[0]
    healthy.answer(answer(healthy, [], healthy.order.lease, node="good"))
    driver.play.finished()
    for _ in range(failures_module.MOST_FAILURES):
        newest = driver.ray.actors[-1] if len(driver.ray.actors) > 2 else driver.ray.actors[0]
        newest.references[0].answer(Failure("bad", "another version"))
        driver.play.finished()
    assert len(driver.said) == failures_module.MOST_FAILURES
    assert driver.said[-1] == "A player on bad () failed; no more are started there for 10 minutes: another version"
    assert len(driver.actors()) == 1  # there is room for one only
    driver.ray.cores["new"] = 1
    monkeypatch.setattr(workforce_module, "LOOK_SECONDS", -1.0)
    driver.play.finished()
    assert driver.ray.actors[-1].options["label_selector"] == {"ray.io/node-id": "!in(bad)"}
    monkeypatch.setattr(failures_module, "SPAN", -1.0)
    driver.play.finished()
    assert len(driver.actors()) == 3 and "label_selector" not in driver.ray.actors[-1].options


def test_a_player_whose_machine_is_gone_has_not_failed() -> None:
    driver = Driver(FakeRay(one=1, two=1))
    hand = driver.workforce.hands[0]
    hand.node = "three"
    driver.actors()[0].references[0].answer(ActorDiedError("its machine died"))
    driver.play.finished()
    assert driver.said == [] and len(driver.actors()) == 2


def test_games_that_arrive_damaged_cost_the_player_and_not_the_run() -> None:
    driver = Driver(FakeRay(one=2))
    reference = driver.actors()[0].references[0]
    whole = answer(reference, random_records("tictactoe", 3), reference.order.lease)
    reference.answer(replace(whole, frame=whole.frame[:-5]))
    assert driver.play.finished() == []
    assert driver.said == ["A player on one () failed: its games arrived damaged."]


def test_ray_does_not_restart_a_player_for_ever() -> None:
    ray = FakeRay(one=1)
    Driver(ray)
    assert ray.actor_options["max_restarts"] == RESTARTS > 0


def test_somebody_hears_when_nobody_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfplay_module, "SILENCE_SECONDS", -1.0)
    driver = Driver(FakeRay(one=1))
    driver.play.finished()
    assert len(driver.said) == 1 and "Ray has no core left" in driver.said[0]


# -- who plays where ---------------------------------------------------------------------------------------------------------
def test_machines_without_a_gpu_play_beside_those_that_have_one() -> None:
    grid = [Machine("gpu", "", 16, 1), Machine("cpu", "", 8, 0)]
    assert places(grid, {}, spare_cores=1) == (4, 7)
    assert places([Machine("gpu", "", 2, 4)], {}, 1) == (2, 0)  # every player needs a core, too


def test_the_gpus_of_the_learner_are_not_for_players() -> None:
    here, there = Machine("here", "", 8, 2), Machine("there", "", 8, 2)
    assert places([here, there], {"here": 2}, spare_cores=1) == (8, 7)
    assert places([here, there], {"here": 1}, spare_cores=1) == (12, 0)


def test_hands_remember_what_was_acknowledged_out_of_turn() -> None:
    hand = Hand(None, False)
    hand.acknowledge(2)
    assert hand.acknowledged == 0
    hand.acknowledge(1)
    assert hand.acknowledged == 2


# -- what is sent ------------------------------------------------------------------------------------------------------------
def test_a_network_is_put_into_the_store_once_until_its_weights_change(tmp_path: Path) -> None:
    ray, path, game = FakeRay(), tmp_path / "network.safetensors", find_game("tictactoe")
    networks = [build_network(settings_of().network, game, seed).eval() for seed in (1, 2)]
    broadcast = Broadcast(ray, lambda generation: path)
    save_network(path, networks[0], game)
    first = broadcast.network(0)
    assert broadcast.network(0) is first and len(ray.kept) == 2
    save_network(path, networks[1], game)
    assert broadcast.network(0).checksum != first.checksum and len(ray.kept) == 4
    for generation in range(1, KEPT + 1):
        broadcast.network(generation)
    assert len(broadcast._sent) == KEPT and 0 not in broadcast._sent


def test_a_network_that_is_exported_anew_says_whose_weights_it_has(tmp_path: Path) -> None:
    path, game = tmp_path / "network.safetensors", find_game("tictactoe")
    header = save_network(path, build_network(settings_of().network, game, 1).eval(), game)
    path.with_suffix(".onnx").unlink()
    assert parse_header(OnnxEvaluator(exported_bytes(path)).labels, "").checksum == header.checksum


def test_a_game_of_a_file_is_played_where_the_file_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setattr(Path, "home", lambda: home)
    source = Path(__file__).parents[1] / "src" / "boardzero" / "games" / "tictactoe.py"
    file = tmp_path / "mine.py"
    file.write_bytes(source.read_bytes())
    sent = SentGame.of(str(file))
    file.unlink()
    assert (sent.find().action_count, sent.find().specification) == (9, str(file))
    assert SentGame.of("tictactoe").text is None
