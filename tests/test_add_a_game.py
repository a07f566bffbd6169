"""The game that docs/add-a-game.md builds is a real one: its code is taken from the page, loaded, checked and played."""

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.conformance import check_game
from boardzero.games.counting import count_sequences
from boardzero.games.position import Position

PAGE = (Path(__file__).parents[1] / "docs" / "add-a-game.md").read_text(encoding="utf-8")
CODE = "\n\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def clobber(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of the game on the page: the path of its file."""
    path = tmp_path_factory.mktemp("page") / "clobber.py"
    path.write_text(CODE, encoding="utf-8")
    return str(path)


def test_page_builds_a_game_in_under_100_lines() -> None:
    assert 50 < len(CODE.splitlines()) < 100


@pytest.mark.parametrize("parameters", ["", ":rows=4,columns=4", ":rows=8,columns=8", ":rows=2,columns=7"])
def test_game_on_the_page_keeps_the_contract(clobber: str, parameters: str) -> None:
    check_game(find_game(clobber + parameters), seeds=range(5))


def test_numbers_on_the_page_are_those_of_the_game(clobber: str) -> None:
    game = find_game(f"{clobber}:rows=4,columns=4")
    command, *counts = re.search(r"^\$ (boardzero perft .*\n(?: .*\n)+)", PAGE, re.MULTILINE)[1].splitlines()  # type: ignore[index]
    assert command == "boardzero perft clobber.py:rows=4,columns=4 4"
    assert counts == [f"{ply:3} plies: {count_sequences(game, ply):,} sequences" for ply in range(5)]


def test_commands_on_the_page_work_time_after_time(clobber: str) -> None:
    """The second process finds the compiled rules in the cache, where the name of the file's module must be the same."""
    for hash_seed in ("1", "2"):
        checked = subprocess.run(
            [sys.executable, "-c", "from boardzero.cli.main import main; main()", "games", "--check", "clobber.py"],
            cwd=Path(clobber).parent,
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (checked.stdout, checked.stderr) == ("clobber.py keeps the contract (20 random games).\n", "")
        assert f"$ boardzero games --check clobber.py\n{checked.stdout}" in PAGE


def test_board_too_large_for_a_word_is_refused(clobber: str) -> None:
    with pytest.raises(BadInput, match=r"rows=9 is not allowed: rows should be less than or equal to 8"):
        find_game(f"{clobber}:rows=9")


def test_player_without_a_move_has_lost(clobber: str) -> None:
    position = Position(find_game(f"{clobber}:rows=2,columns=2"), board="X./.O X")
    assert position.winner == 1


# OpenSpiel colours from the bottom left corner and the page from the top left, which is the same where rows are odd.
@pytest.mark.parametrize(("rows", "columns"), [(5, 6), (3, 8), (7, 2)])
def test_game_on_the_page_is_the_clobber_of_openspiel(clobber: str, rows: int, columns: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, draw = find_game(f"{clobber}:rows={rows},columns={columns}"), random.Random(rows)
    for _ in range(20):
        position = Position(game)
        other = pyspiel.load_game("clobber", {"rows": rows, "columns": columns}).new_initial_state()
        while not position.over:
            theirs = {other.action_to_string(action): action for action in other.legal_actions()}
            move = draw.choice(position.legal_moves())
            assert {name.replace("-", "") for name in position.legal_moves()} == set(theirs)
            other.apply_action(theirs[move.replace("-", "")])
            position.play(move)
        assert other.is_terminal()
        assert position.winner == other.returns().index(1)
