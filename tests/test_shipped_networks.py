"""The networks that come with the program: they are there, they fit, and they are as strong as their cards say."""

import re

import numpy as np
import pytest

from boardzero.arena.perfect_play import Chooser, search_chooser
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.network.evaluator import find_evaluator
from boardzero.network.shipped import ANY, FOLDER, shipped_name, shipped_network
from boardzero.network.weights import load_network, read_header
from boardzero.players.catalogue import find_player
from boardzero.settings.search import SearchSettings

MOST_BYTES = 25_000_000
OF_A_CARD = ("    boardzero train ", "blocks", "minutes", "seed", r"\d+ cores? of|two cores", "generations", "games")
NAMES = sorted(path.stem for path in FOLDER.glob("*.safetensors"))


def losses_against_everything(game: Game, choose: Chooser, side: int) -> int:
    """Every game that an opponent of this side can bring about, however he plays: how many does he win?"""
    losses, unfinished = 0, [Position(game)]
    while unfinished:
        own_turn = len(unfinished[0].actions) % 2 == side
        successors = []
        for position, action in zip(unfinished, choose(unfinished), strict=True):
            for reply in [action] if own_turn else position.legal_actions():
                successor = position.copy()
                successor.play(int(reply))
                successors.append(successor)
        losses += sum(position.over and game.winner(position.state) == 1 - side for position in successors)
        unfinished = [position for position in successors if not position.over]
    return losses


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_network_has_a_card_and_is_whole(name: str) -> None:
    stored = load_network(FOLDER / f"{name}.safetensors")
    assert name in (shipped_name(stored.game), f"{stored.game.name}_{ANY}")
    assert shipped_network(stored.game) in (FOLDER / f"{name}.safetensors", FOLDER / f"{shipped_name(stored.game)}.safetensors")
    card = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert card.lower().startswith(f"# {stored.game.title.lower()}")
    assert [pattern for pattern in OF_A_CARD if not re.search(pattern, card)] == []
    planes = np.stack([stored.game.encoded(stored.game.initial_state())])
    logits, values = find_evaluator(FOLDER / f"{name}.onnx", stored.game)(planes)
    assert logits.shape == (1, stored.game.action_count) and abs(values[0]) <= 1


def test_all_shipped_networks_together_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir() if path.is_file()) < MOST_BYTES


def test_every_card_is_of_a_network() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == {path.stem for path in FOLDER.glob("*.onnx")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_network_makes_its_first_move(name: str) -> None:
    path = FOLDER / f"{name}.safetensors"
    game = find_game(read_header(path).game)
    player = find_player(f"alphazero:sims=8,network={path}", game)
    assert player.choose(Position(game)) in Position(game).legal_actions()


def test_alphazero_without_a_network_takes_the_shipped_one() -> None:
    game = find_game("tictactoe")
    assert find_player("alphazero:sims=10", game).choose(Position(game)) in range(9)


@pytest.mark.parametrize("side", [0, 1])
def test_the_network_of_tic_tac_toe_never_loses(side: int) -> None:
    game = find_game("tictactoe")
    network = shipped_network(game)
    assert network is not None
    assert losses_against_everything(game, search_chooser(game, find_evaluator(network, game), 8, SearchSettings()), side) == 0
