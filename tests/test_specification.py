"""The grammar that names games and players."""

import pytest

from boardzero.settings.specification import split_specification


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("connect4", ("connect4", "")),
        (" connect4 : rows=5 ", ("connect4", "rows=5")),
        ("openspiel:go,board_size=5", ("openspiel", "go,board_size=5")),
        ("games/mine.py:size=5", ("games/mine.py", "size=5")),
        (r"C:\x\game.py", (r"C:\x\game.py", "")),
        (r"C:\x\game.py:size=5", (r"C:\x\game.py", "size=5")),
        ("d:/x/game.py:size=5", ("d:/x/game.py", "size=5")),
        (r"alphazero:network=C:\runs\one,sims=5", ("alphazero", r"network=C:\runs\one,sims=5")),
    ],
)
def test_a_specification_is_split_at_the_colon_that_is_not_a_drives(text: str, parts: tuple[str, str]) -> None:
    assert split_specification(text) == parts
