"""Ratings: batched games, the file of games, networks of runs, the command; test_rating_model.py has the fit."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from selfplay_helpers import opinionated
from training_runs import begin, run

from boardzero.arena.game import play_game
from boardzero.arena.openings import Openings
from boardzero.cli.main import app
from boardzero.errors import BadInput
from boardzero.evaluation.batched_games import PlannedGame, play_together
from boardzero.evaluation.entrants import gather, networks_of, player_named, run_labels, usual_anchors
from boardzero.evaluation.rating import Rating
from boardzero.evaluation.rating_games import RatingGames
from boardzero.evaluation.rating_scales import scale_named, wandhoven_difference
from boardzero.events.games import GameRecord
from boardzero.games.catalogue import find_game
from boardzero.network.weights import load_network, save_network
from boardzero.players.alphazero import AlphaZeroPlayer
from boardzero.players.catalogue import find_player
from boardzero.players.parameters import AlphaZeroParameters
from boardzero.players.player import Player
from boardzero.storage.database import Database
from boardzero.storage.queries import list_runs, newest_ratings
from boardzero.training.run_folder import Promotions, RunFolder

GAME = find_game("connect4:rows=5,columns=5")


# -- batched games ----------------------------------------------------------------------------------------------------------
def network_player(sims: int, temperature: float = 0, noise: bool = False) -> Player:
    parameters = AlphaZeroParameters(network="none", sims=sims, temperature=temperature, noise=noise)
    return AlphaZeroPlayer(GAME, parameters, evaluate=opinionated(GAME))


def test_games_played_together_are_those_played_alone() -> None:
    players = [
        network_player(30),
        network_player(12, 0.5, noise=True),
        find_player("mcts:sims=20", GAME),
        find_player("random", GAME),
    ]
    openings = Openings(GAME, 5)
    pairings = [(0, 1), (1, 0), (0, 2), (3, 1), (2, 3), (0, 0)]

    def planned() -> list[PlannedGame]:
        return [
            PlannedGame((players[a], players[b]), openings[number].position(GAME), seed=number)
            for number, (a, b) in enumerate(pairings * 2)
            if a != b
        ]

    together: dict[int, GameRecord] = {}
    play_together(planned(), together.__setitem__)
    alone = [play_game(game.players, game.position, seed=game.seed) for game in planned()]
    assert [together[number].moves for number in range(len(alone))] == [record.moves for record in alone]
    assert [together[number].result for number in range(len(alone))] == [record.result for record in alone]
    assert [together[number].opening for number in range(len(alone))] == [record.opening for record in alone]


def test_players_with_a_clock_play_alone() -> None:
    players = (find_player("mcts:seconds=0.001", GAME), find_player("random", GAME))
    played: dict[int, GameRecord] = {}
    play_together([PlannedGame(players, Openings(GAME, 1)[0].position(GAME), 3)], played.__setitem__)
    assert played[0].result in ("first", "second", "draw") and sum(played[0].seconds) > 0


# -- the file of games ------------------------------------------------------------------------------------------------------
def record(first: str, second: str, result: str, moves: str = "3333") -> GameRecord:
    return GameRecord("g", (first, second), "start X", moves, 2, len(moves), result, "rules", (0, 0), "")  # type: ignore[arg-type]


def test_games_are_kept_and_torn_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    RatingGames(path, "g").append([(("a", "b"), record("a", "b", "first")), (("b", "a"), record("b", "a", "draw"))])
    with path.open("a") as file:
        file.write('{"keys": ["a", "b"], "game":')
    again = RatingGames(path, "g")
    again.append([(("a", "c"), record("a", "c", "second", "1234"))])
    last = RatingGames(path, "g")
    assert last.damaged == {path: 1}
    assert last.played(["a", "b", "c"]) == {(0, 1): 2, (0, 2): 1}
    results = last.results(["a", "b"])
    assert results.counts.tolist() == [[1, 0, 0], [0, 1, 0]]
    players, points = last.pairs(["a", "b", "c"])
    assert (players.tolist(), points.tolist()) == ([[0, 1]], [1.5])
    other = RatingGames(path, "other game")
    assert (other.games, other.damaged) == ([], {path: 1})


def test_a_game_that_several_files_hold_counts_once_and_only_one_file_is_written(tmp_path: Path) -> None:
    path, other = tmp_path / "games.jsonl", tmp_path / "other.jsonl"
    shared, own = (("a", "b"), record("a", "b", "first", "1234")), (("a", "b"), record("a", "b", "first", "1243"))
    RatingGames(path, "g").append([shared])
    RatingGames(other, "g").append([shared, own])
    before = other.read_bytes()
    both = RatingGames(path, "g", [tmp_path / "nowhere.jsonl", other, tmp_path / "." / "games.jsonl"])
    assert both.played(["a", "b"]) == {(0, 1): 2}
    both.append([(("b", "a"), record("b", "a", "draw"))])
    assert both.played(["a", "b"]) == {(0, 1): 3}
    assert (len(path.read_text().splitlines()), other.read_bytes()) == (2, before)


def test_damaged_lines_are_counted_by_file_and_rubbish_is_only_refused_where_games_would_be_added(tmp_path: Path) -> None:
    path, other = tmp_path / "games.jsonl", tmp_path / "other.jsonl"
    RatingGames(path, "g").append([(("a", "b"), record("a", "b", "first"))])
    other.write_text('some text\n{"keys": [["a"], "b"]}\n')
    both = RatingGames(path, "g", [other])
    assert (both.damaged, len(both.games)) == ({other: 2}, 1)
    with pytest.raises(BadInput, match="something else than rated games"):
        RatingGames(other, "g", [path])


def test_pairs_share_their_openings(tmp_path: Path) -> None:
    games = RatingGames(tmp_path / "games.jsonl", "g")
    games.append([(("a", "b"), record("a", "b", "first", "1234")), (("b", "a"), record("b", "a", "first", "2134"))])
    assert len(games.pairs(["a", "b"])[1]) == 0


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("some text\n")
    with pytest.raises(BadInput, match="something else than rated games"):
        RatingGames(tmp_path / "other", "g")


# -- scales -------------------------------------------------------------------------------------------------------------------
def test_the_two_scales_have_their_bases() -> None:
    assert scale_named("elo").rating(math.log(10)) == pytest.approx(400)
    assert scale_named("wandhoven").rating(1.0) == pytest.approx(500)
    assert wandhoven_difference(1.3 / 2.3) == pytest.approx(400 * math.log(1.3))
    assert 1 / (1 + math.exp(-wandhoven_difference(0.7) / 400)) == pytest.approx(0.7)
    assert (wandhoven_difference(0), wandhoven_difference(1)) == (-math.inf, math.inf)
    assert f"{wandhoven_difference(0.5):+.0f}" == "+0"


# -- runs ---------------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = begin(tmp_path_factory.mktemp("rated") / "first", "keep_every=1", "evaluation.every=0", generations=3)
    run(folder)
    return folder.path


def test_networks_are_spread_over_a_run_and_known_by_their_weights(trained: Path) -> None:
    assert [one.generation for one in networks_of(trained, 10, 9, "run")] == [0, 1, 2, 3]
    assert [one.generation for one in networks_of(trained, 10, 2, "run")] == [0, 3]
    assert [one.generation for one in networks_of(trained, 10, 1, "run")] == [3]
    by_run, by_name = networks_of(trained, 10, 1, "run")[0], f"alphazero:network={trained},sims=10,precision=float"
    _, entrants = gather([str(trained), by_name], 10, 1, ["random"])
    assert [one.key for one in entrants] == [by_run.key, "random"]


def test_a_network_that_computes_otherwise_is_another_player(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_run = networks_of(trained, 10, 1, "run")[0]
    assert "precision=float" in by_run.specification
    by_name = {
        precision: player_named(f"alphazero:network={trained},sims=10,precision={precision}", find_game("tictactoe")).key
        for precision in ("float", "int8")
    }
    assert by_name["float"] == by_run.key != by_name["int8"]
    for fast, meant in ((True, "int8"), (False, "float")):
        monkeypatch.setattr("boardzero.evaluation.entrants.is_fast_with_bytes", lambda fast=fast: fast)
        assert player_named(f"alphazero:network={trained},sims=10", find_game("tictactoe")).key == by_name[meant]


def test_a_network_that_two_runs_have_is_rated_once_and_for_both(trained: Path, tmp_path: Path) -> None:
    """Runs of one seed begin with the same weights: the order stays, and each run's steps are its own."""
    other = tmp_path / "second"
    shutil.copytree(trained, other)
    for generation in (1, 2, 3):
        weights = load_network(other / "networks" / f"generation-{generation:05}.safetensors")
        for parameter in weights.network.parameters():
            parameter.data *= 1.01
        save_network(RunFolder(other).network(generation), weights.network, weights.game, weights.header.details)
    game, entrants = gather([str(trained), str(other)], 8, 9, ["random"])
    names = [one.name for one in entrants]
    assert names == ["first 0", *(f"first {n}" for n in (1, 2, 3)), *(f"second {n}" for n in (1, 2, 3)), "random"]
    assert entrants[0].places == ((str(trained.resolve()), 0), (str(other.resolve()), 0))
    rating = Rating(game, entrants, RatingGames(tmp_path / "games.jsonl", game.specification), anchor=0)
    rating.play(8, lambda _: None)
    steps = [(Path(step.run).name, step.before, step.after) for step in rating.ratings(scale_named("wandhoven"), 20).steps]
    assert steps == [("first", 0, 1), ("first", 1, 2), ("first", 2, 3), ("second", 0, 1), ("second", 1, 2), ("second", 2, 3)]


def test_of_a_run_with_a_gate_those_are_rated_that_passed_it(trained: Path, tmp_path: Path) -> None:
    gated = tmp_path / "gated"
    shutil.copytree(trained, gated)
    settings = json.loads((gated / "settings.json").read_text())
    settings["gate"]["kind"] = "ratio"
    (gated / "settings.json").write_text(json.dumps(settings))
    assert [one.generation for one in networks_of(gated, 10, 9, "run")] == [0, 1, 2, 3]  # none has passed yet
    RunFolder(gated).save_promotions(Promotions(promoted=(2,), compared=3))
    assert [one.generation for one in networks_of(gated, 10, 9, "run")] == [0, 2]
    assert [one.generation for one in networks_of(gated, 10, 1, "run")] == [2]


def test_a_rating_goes_on_from_its_file_and_completes_a_matrix(trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"

    def rating() -> Rating:
        game, entrants = gather([str(trained)], 8, 3, ["random", "mcts:sims=10"])
        return Rating(game, entrants, RatingGames(path, game.specification), anchor=3)

    rating().play(24, lambda _: None)
    again = rating()
    assert 24 <= again.games <= 28
    again.complete_matrix(4, lambda _: None)
    matrix = again.matrix()
    off_diagonal = ~np.eye(3, dtype=bool)
    assert (matrix.games[off_diagonal] >= 4).all()
    assert (matrix.scores + matrix.scores.T)[off_diagonal] == pytest.approx(1)
    ratings = again.ratings(scale_named("elo"), replicates=50)
    (random,) = (one for one in ratings.rated if one.entrant.name == "random")
    assert [random.rating, *random.interval] == [0, 0, 0]
    assert sum(one.games for one in ratings.rated) == 2 * ratings.games == 2 * again.games


def test_every_pair_of_games_has_its_own_opening(trained: Path, tmp_path: Path) -> None:
    game, entrants = gather([str(trained)], 8, 1, ["random"])
    rating = Rating(game, entrants, RatingGames(tmp_path / "games.jsonl", game.specification), anchor=1)
    for _ in range(2):
        rating.play(8, lambda _: None)
    openings = [one.opening for one in rating.file.games]
    assert sorted(openings.count(one) for one in set(openings)) == [2] * 8


def test_an_interrupted_rating_repeats_no_opening(tmp_path: Path) -> None:
    """Of two batches only some games were kept, of either colour; going on plays those that are missing, and none twice."""
    entrants = [player_named("random", GAME), player_named("mcts:sims=2", GAME)]
    path = tmp_path / "games.jsonl"
    Rating(GAME, entrants, RatingGames(path, GAME.specification), anchor=0).play(12, lambda _: None)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for number, line in enumerate(lines) if number not in (0, 3, 4, 7)))
    again = Rating(GAME, entrants, RatingGames(path, GAME.specification), anchor=0)
    again.play(8, lambda _: None)
    played = [(game.opening, game.keys) for game in again.file.games]
    assert len(played) == len(set(played)) == 16
    assert len({opening for opening, _ in played}) == 8  # each with both colours again


def test_games_of_a_batch_are_on_the_disk_before_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch may take long, and nobody who is killed can write what is left."""
    monkeypatch.setattr("boardzero.evaluation.rating.DURABLE_SECONDS", -1.0)
    path, lines = tmp_path / "games.jsonl", []
    entrants = [player_named("random", GAME), player_named("mcts:sims=2", GAME)]
    rating = Rating(GAME, entrants, RatingGames(path, GAME.specification), anchor=0)
    rating.play(4, lambda _: lines.append(len(path.read_text().splitlines()) if path.exists() else 0))
    assert lines == [0, 1, 2, 3] and rating.games == 4 == len(path.read_text().splitlines())


def test_fewer_games_than_asked_for_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rating = ["rate", "--game", "tictactoe", "random", "minimax:depth=1", "--no-anchors", "--games", "9999"]
    app([*rating, "--file", str(tmp_path / "games.jsonl"), "--json"], standalone_mode=False)
    said = capsys.readouterr()
    assert f"have not played: {json.loads(said.out)['games']} of 9999 games were played." in said.err


def test_openings_run_out_and_it_is_said_how_far_that_led(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rating = ["rate", "--game", "tictactoe", "random", "minimax:depth=1", "--no-anchors"]
    app([*rating, "--file", str(tmp_path / "games.jsonl"), "--until", "1", "--json"], standalone_mode=False)
    said = capsys.readouterr()
    answer = json.loads(said.out)
    widest = max((one["interval"][1] - one["interval"][0]) / 2 for one in answer["players"])
    assert f"intervals are at most ± {widest:.0f} (" in said.err and "not ± 1." in said.err


def test_until_means_the_intervals_that_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rating = ["rate", "--game", GAME.specification, "random", "mcts:sims=3", "minimax:depth=1", "--no-anchors"]
    app([*rating, "--file", str(tmp_path / "games.jsonl"), "--until", "120", "--json"], standalone_mode=False)
    answer = json.loads(capsys.readouterr().out)
    assert all(one["interval"][1] - one["interval"][0] <= 240 for one in answer["players"])


@pytest.mark.parametrize(
    ("name", "is_anchor"),
    [("connect4", True), ("connect4:rows=4,columns=5", True), ("tictactoe", True), ("othello", False), ("gomoku", False),
     ("connect4:rows=7", False)],
)  # fmt: skip
def test_perfect_play_is_an_anchor_where_it_needs_no_minutes_for_a_move(name: str, is_anchor: bool) -> None:
    anchors = usual_anchors(find_game(name))
    assert anchors[0] == "random" and ("perfect" in anchors) is is_anchor


def test_runs_of_the_same_name_are_told_apart() -> None:
    assert run_labels([Path("/a/run"), Path("/b/run"), Path("/b/other")]) == ["a/run", "b/run", "b/other"]
    assert run_labels([Path("/a/one"), Path("/a/two")]) == ["one", "two"]


def test_the_command_prints_ratings_and_goes_on(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--sims", "8", "--networks", "2", "--no-anchors"]
    app(["rate", str(trained), "random", "--games", "16", "--json", *few], standalone_mode=False)
    answer = json.loads(capsys.readouterr().out)
    assert {one["name"] for one in answer["players"]} == {"first 0", "first 3", "random"}
    assert answer["games"] >= 16 and answer["scale"] == "elo"
    matrix = ["--scale", "wandhoven", "--matrix", "--matrix-games", "4"]
    app(["rate", str(trained), "random", "--games", "0", *few, *matrix], standalone_mode=False)
    shown = capsys.readouterr().out
    assert "Δr" in shown and "score of row against column" in shown and "above next" in shown
    kept = json.loads((trained / "ratings.json").read_text())["matrix"]
    assert kept["players"] == ["first 0", "first 3"] and kept["games"][0][1] == kept["games"][1][0] >= 4
    assert json.loads((trained / "ratings.json").read_text())["anchor"] == "first 0"


def test_logged_ratings_of_networks_belong_to_their_run(trained: Path, tmp_path: Path) -> None:
    few = ["--sims", "8", "--networks", "2", "--no-anchors", "--games", "8"]
    database = Database(str(tmp_path / "games.sqlite"))
    app(["rate", str(trained), "random", *few, "--json", "--database", database.name], standalone_mode=False)
    with database.reading() as connection:
        (run,) = list_runs(connection)
        rated = {row["player"]: row["run"] for row in newest_ratings(connection, "tictactoe")}
    database.close()
    assert run["folder"] == str(trained.absolute()) and run["game"] == "tictactoe"
    assert rated == {"first 0": run["id"], "first 3": run["id"], "random": None}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--game", "tictactoe", "nowhere"], "'nowhere' is neither the folder of a run nor a player"),
        (["runs/nowhere"], "'runs/nowhere' is neither the folder of a run nor a player"),
        (["random", "mcts:sims=5"], "Name at least one run's folder"),
        (["--game", "tictactoe", "random", "--no-anchors"], "at least two players"),
        (["--game", "tictactoe", "random", "human", "--no-anchors"], "needs a person"),
        (["--game", "tictactoe", "random", "minimax:depth=1", "--anchor", "perfect", "--no-anchors"], "cannot be the anchor"),
        (["--game", "tictactoe", "random", "minimax:depth=1", "--anchor", "random=high"], "is not a rating"),
        (["--game", "tictactoe", "random", "minimax:depth=1", "--anchor", "random=nan"], "is not a rating"),
        (["--game", "tictactoe", "random", "minimax:depth=1", "--scale", "wandhoven"], "untrained network"),
        (["--game", "tictactoe", "random", "minimax:depth=1", "--until", "-3"], "--until is -3"),
    ],
)
def test_what_cannot_be_rated_is_refused_in_one_sentence(arguments: list[str], said: str) -> None:
    with pytest.raises(BadInput) as refusal:
        app(["rate", *arguments], standalone_mode=False)
    assert said in str(refusal.value)
