"""`boardzero games-log`, and `--log` of the commands that play, as a user types them."""

import json
import re
import sys
from pathlib import Path

import pytest
from postgres_server import postgres_server
from storage_helpers import games_in

from boardzero.cli import games_log_files
from boardzero.cli.main import main


class Boardzero:
    """Runs commands in this process, with a game log of their own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capture = monkeypatch, capfd

    def __call__(self, *arguments: str, code: int = 0) -> tuple[str, str]:
        """What was said, on standard output and standard error."""
        self._monkeypatch.setattr(sys, "argv", ["boardzero", *arguments])
        with pytest.raises(SystemExit) as done:
            main()
        output, errors = self._capture.readouterr()
        assert (done.value.code or 0) == code, errors
        return output, errors

    def json(self, *arguments: str) -> "dict[str, object]":
        answer: dict[str, object] = json.loads(self(*arguments, "--json")[0])
        return answer


@pytest.fixture
def boardzero(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Boardzero:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("BOARDZERO_DATABASE", raising=False)
    monkeypatch.chdir(tmp_path)
    return Boardzero(monkeypatch, capfd)


@pytest.fixture
def played(boardzero: Boardzero) -> Boardzero:
    """A log with two games of Connect Four, two of Gomoku and three of Othello."""
    boardzero("match", "connect4", "random", "mcts:sims=5", "--games", "2", "--log", "--json")
    boardzero("match", "gomoku:size=5", "random", "random", "--games", "2", "--log", "--json")
    boardzero("tournament", "othello:size=4", "random", "random", "random", "--games", "1", "--log", "--json")
    return boardzero


def test_what_is_played_with_log_is_listed(played: Boardzero) -> None:
    output, _ = played("games-log")
    assert output.count("mcts:sims=5") == 2 and output.count("tournament") == 3 and output.endswith("7 games\n")
    assert played("games-log", "--game", "othello", "--limit", "1")[0].endswith("3 games, shown 1 to 1\n")
    assert played("games-log", "list", "--player", "nobody")[0] == "No game in the log fits.\n"
    answer = played.json("games-log", "--player", "mcts")
    assert answer["total"] == 2
    output, _ = played("games-log", "matches")
    assert len(output.splitlines()) == 6
    assert played("games-log", "runs")[0] == "There is no training run in the log.\n"


def test_without_being_asked_nothing_is_logged(boardzero: Boardzero, tmp_path: Path) -> None:
    boardzero("match", "tictactoe", "random", "random", "--games", "2", "--json")
    assert not list(tmp_path.rglob("*.sqlite"))


def test_a_game_in_the_terminal_is_logged_and_shown(boardzero: Boardzero, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDZERO_DATABASE", "mine.sqlite")
    output, _ = boardzero("play", "tictactoe", "--first", "random", "--second", "random", "--seed", "1", "--log")
    command = output.splitlines()[-1].partition("boardzero ")[2].split()
    output, _ = boardzero(*command)
    (game,) = games_in("mine.sqlite")
    assert game.id in output and game.record.moves in output and "source    play" in output
    boards = boardzero("games-log", "replay", game.id[:6])[0]
    assert boards.count(" to move") == game.record.plies
    assert f"{game.record.plies}. " in boards
    answer = boardzero.json("games-log", "show", game.id[:6])
    assert isinstance(answer["boards"], list) and len(answer["boards"]) == game.record.plies + 1
    assert "X to move" in boardzero("games-log", "show", game.id[:6], "--ply", "0")[0]
    for seconds in ("nan", "inf"):
        assert "Invalid value for '--seconds'" in boardzero("games-log", "replay", game.id, "--seconds", seconds, code=2)[1]


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.parquet", "a.sgf"])
def test_games_go_to_a_file_and_into_another_log(played: Boardzero, name: str) -> None:
    assert played("games-log", "export", name)[0] == f"7 games were written to {name}.\n"
    assert played("games-log", "import", name, "--database", "new.sqlite")[0] == "7 games were imported.\n"
    assert played("games-log", "import", name, "--database", "new.sqlite")[0] == (
        "0 games were imported; 7 more in the log already.\n"
    )
    old = {game.id: game.record for game in games_in(str(Path("data/boardzero/games.sqlite")))}
    assert {game.id: game.record for game in games_in("new.sqlite")} == old


def test_games_that_a_format_cannot_hold_are_counted(played: Boardzero) -> None:
    output, errors = played("games-log", "export", "a.ggf")
    assert output == "3 games were written to a.ggf.\n"
    assert played("games-log", "import", "a.ggf")[0] == "0 games were imported; 3 more in the log already.\n"
    assert "2 games were left out: GGF files hold games of Othello, not of connect4." in errors
    Path("psq").mkdir()
    assert played("games-log", "export", "psq", "--format", "psq", "--game", "gomoku")[0] == "2 games were written to psq.\n"
    files = sorted(str(path) for path in Path("psq").iterdir())
    assert played.json("games-log", "import", *files, "--database", "new.sqlite") == {"imported": 2, "known": 0, "skipped": []}
    output, errors = played("games-log", "export", "-", "--format", "text", "--game", "connect4")
    assert output.count("moves: ") == 2 and errors == "2 games were written to standard output.\n"


def test_the_same_games_in_two_formats_are_imported_once(played: Boardzero) -> None:
    for name in ("a.ggf", "a.sgf"):
        played("games-log", "export", name, "--game", "othello")
    assert played("games-log", "import", "a.ggf", "--database", "new.sqlite")[0] == "3 games were imported.\n"
    known = "0 games were imported; 3 more in the log already.\n"
    assert played("games-log", "import", "a.sgf", "--database", "new.sqlite")[0] == known
    together = ["a.sgf", "a.ggf", "--database", "newer.sqlite"]
    assert played("games-log", "import", *together)[0] == "3 games were imported; 3 more in the log already.\n"


def test_no_empty_file_is_written_where_no_game_is_left(played: Boardzero) -> None:
    Path("a.ggf").write_text("games of old")
    Path("psq").mkdir()
    for out, form, game in (("a.ggf", "ggf", "connect4"), ("-", "psq", "connect4"), ("psq", "psq", "connect4")):
        output, errors = played("games-log", "export", out, "--format", form, "--game", game, code=2)
        (line,) = errors.splitlines()
        assert output == "" and line.startswith("boardzero: Nothing was written") and line.endswith("not of connect4.")
    errors = played("games-log", "export", "a.ggf", "--player", "nobody", code=2)[1]
    assert errors == "boardzero: No game in the log fits, so nothing was written.\n"
    assert Path("a.ggf").read_text() == "games of old" and not list(Path("psq").iterdir())
    errors = played("games-log", "export", "missing/games.sgf", code=2)[1]
    assert "cannot be written to" in errors and len(errors.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.sgf", b"garbage", "There is no game in 'a.sgf', which was read as sgf."),
        ("a.ggf", b"hi", "There is no game in 'a.ggf', which was read as ggf."),
        ("a.txt", b"", "There is no game in 'a.txt', which was read as text."),
        ("a.psq", b"hi", "Game 1 of 'a.psq' was skipped: it does not begin like"),
        ("a.sgf", b"(;GM[4];B[hh", "Game 1 of 'a.sgf' was skipped: the game is cut short."),
        ("a.parquet", b"hi", "'a.parquet' is not a Parquet file"),
    ],
)
def test_files_that_nothing_can_be_read_from_are_refused(boardzero: Boardzero, name: str, content: bytes, said: str) -> None:
    Path(name).write_bytes(content)
    output, errors = boardzero("games-log", "import", name, code=2)
    assert output == "" and errors.startswith(f"boardzero: {said}") and len(errors.splitlines()) == 1
    output, errors = boardzero("games-log", "import", name, "--json", code=2)
    assert [answer.startswith(said) for answer in json.loads(output)["skipped"]] == [True]
    Path("b.ggf").write_text("nor here")
    lines = boardzero("games-log", "import", name, "b.ggf", code=2)[1].splitlines()
    assert lines[0].startswith(said) and "b.ggf" in lines[1] and lines[2:] == ["boardzero: No game could be imported."]
    Path("c.txt").write_text("game: connect4\nmoves: 11\n")
    output, errors = boardzero("games-log", "import", "c.txt", name, "b.ggf")
    assert output == "1 game was imported.\n" and errors.startswith(said) and len(errors.splitlines()) == 2


def test_commands_that_only_look_make_no_log_of_a_name_that_is_mistyped(
    boardzero: Boardzero, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOARDZERO_DATABASE", "typo.sqlite")
    for arguments in (["games-log"], ["games-log", "runs"], ["games-log", "export", "a.sgf"]):
        output, errors = boardzero(*arguments, code=2)
        assert output == "" and errors.startswith("boardzero: There is no game log '")
        assert errors.endswith("typo.sqlite', which BOARDZERO_DATABASE names.\n")
    assert not Path("typo.sqlite").exists()
    Path("a.txt").write_text("game: connect4\nmoves: 11\n")
    assert boardzero("games-log", "import", "a.txt")[0] == "1 game was imported.\n", "who brings games wants a log"
    assert boardzero("games-log")[0].endswith("1 game\n")


def test_damaged_games_are_named_and_the_others_imported(boardzero: Boardzero) -> None:
    Path("a.txt").write_text("game: connect4\nmoves: 11\n\ngame: connect4\nmoves: 99\n\ngame: connect4\nmoves: 12\n")
    output, errors = boardzero("games-log", "import", "a.txt")
    assert output == "2 games were imported.\n"
    assert errors.startswith("Game 2 of 'a.txt' was skipped: '9' is not a move of Connect Four")
    assert len(errors.splitlines()) == 1


def test_games_are_counted_on_a_terminal_while_they_are_read_and_written(
    boardzero: Boardzero, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.txt").write_text("\n".join(f"game: connect4\nmoves: {column}\n" for column in range(1, 7)))
    monkeypatch.setattr(games_log_files, "TOLD_EVERY", 3)
    assert boardzero("games-log", "import", "a.txt")[1] == ""
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal
    monkeypatch.setenv("TERM", "xterm")
    output, errors = boardzero("games-log", "import", "a.txt", "--database", "new.sqlite")
    assert output == "6 games were imported.\n" and "6 games read" in errors
    output, errors = boardzero("games-log", "export", "-", "--format", "sgf")
    assert output.count("XG[connect4]") == 6 and "6 games written" in errors and "6 games were written to" in errors


TRAINING = ["train", "tictactoe", "--generations", "2", "--run", "run"]
SMALL = ["network.blocks=1", "network.channels=8", "selfplay.games=16", "selfplay.workers=1", "training.first_positions=100",
         "training.positions=60", "training.batch=32", "selfplay.cap.full_simulations=8", "evaluation.games=2",
         "evaluation.opponents=random"]  # fmt: skip


def small_training(*more: str) -> list[str]:
    return [*TRAINING, *(part for change in SMALL for part in ("--set", change)), *more]


def test_a_training_is_logged_and_its_ratings_and_evaluations_are_shown(boardzero: Boardzero) -> None:
    boardzero(*small_training("--database", "mine.sqlite"))
    asked = ["--database", "mine.sqlite"]
    (run,) = json.loads(boardzero("games-log", "runs", "--json", *asked)[0])
    assert run["generation"] == 2 and run["games"] == len(games_in("mine.sqlite")) > 0
    output, _ = boardzero("games-log", "evaluations", run["id"][:6], *asked)
    (shown,) = (line for line in output.splitlines() if "random" in line)
    assert re.search(r"\d+% \(\d+% to \d+%\); moving first \d+% \(\d+% to \d+%\), second \d+% \(\d+% to \d+%\)$", shown.strip())
    assert json.loads(boardzero("games-log", "--source", "evaluation", "--player", "random", "--json", *asked)[0])["total"] == 2
    assert boardzero("games-log", "ratings", *asked)[0] == "There are no ratings in the log.\n"
    few = ["--sims", "4", "--networks", "2", "--no-anchors", "--games", "8"]
    boardzero("rate", "run", "random", *few, *asked)
    output, _ = boardzero("games-log", "ratings", *asked)
    assert output.startswith("tictactoe, elo, 2") and "run 2" in output and "fixed" in output
    rows = json.loads(boardzero("games-log", "ratings", "--game", "tictactoe", "--json", *asked)[0])
    assert {row["player"] for row in rows} == {"run 0", "run 2", "random"}
    boardzero("rate", "run", "random", *few, *asked)
    assert boardzero("games-log", "ratings", *asked)[0].count("tictactoe, elo, 2") == 1
    assert boardzero("games-log", "ratings", "--all", *asked)[0].count("tictactoe, elo, 2") == 2
    assert len(json.loads(boardzero("games-log", "ratings", "--all", "--json", *asked)[0])) == 2 * len(rows)


def test_while_the_database_is_down_a_training_goes_on_and_says_so(boardzero: Boardzero) -> None:
    with postgres_server() as server:
        url = server.new_database()
        server.stop()
        output, errors = boardzero(*small_training("--database", url))
        assert "Done: 2 generations" in output
        (sentence,) = [line for line in errors.splitlines() if "game log" in line]
        assert "does not answer" in sentence and "games are kept in" in sentence
        server.start()
        (run,) = json.loads(boardzero("games-log", "runs", "--json", "--database", url)[0])
        assert run["generation"] == 2 and run["games"] == len(games_in(url)) > 0


def test_while_the_database_is_down_a_match_goes_on_and_its_games_come_later(boardzero: Boardzero) -> None:
    with postgres_server() as server:
        url = server.new_database()
        server.stop()
        output, errors = boardzero("match", "tictactoe", "random", "random", "--games", "4", "--database", url, "--json")
        assert json.loads(output)["games"] == 4
        (sentence,) = errors.splitlines()
        assert sentence.startswith("The game log 'postgresql://") and "does not answer" in sentence
        _, errors = boardzero("games-log", "--database", url, code=2)
        assert len(errors.splitlines()) == 1 and "does not answer" in errors
        server.start()
        assert boardzero("games-log", "--database", url)[0].endswith("4 games\n")
        assert boardzero("games-log", "--database", url)[0].endswith("4 games\n"), "and not twice"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["games-log", "--database", "mysql://here/there"], "is not a database that boardzero writes to"),
        (["games-log", "--database", "postgresql://127.0.0.1:1/games"], "does not answer"),
        (["games-log", "--database", "missing/games.sqlite"], "there is no folder"),
        (["games-log", "--database", "typo.sqlite"], "There is no game log '"),
        (["games-log", "runs", "--database", "typo.sqlite"], "typo.sqlite'."),
        (["games-log", "--result", "won"], "There is no result 'won'"),
        (["games-log", "--game", "othello:sise=6"], "did you mean 'size'"),
        (["games-log", "--since", "tomorrow"], "'tomorrow' is not a date"),
        (["games-log", "show", "abc"], "There is no game 'abc' in the log."),
        (["games-log", "show", "xyz"], "'xyz' is not the id of a game"),
        (["games-log", "replay", "1"], "There is no game '1'"),
        (["games-log", "evaluations", "ffff"], "There is no training run 'ffff' in the log."),
        (["games-log", "--run", "runs/first"], "'runs/first' is not the id of a training run"),
        (["games-log", "evaluations", "runs/first"], "'runs/first' is not the id of a training run"),
        (["games-log", "--shortest", "9" * 30], "cannot be asked this"),
        (["games-log", "export", "games.pgn"], "does not tell the format"),
        (["games-log", "export", "games.sgf", "--format", "pgn"], "'pgn' is not a format"),
        (["games-log", "export", "-"], "say --format"),
        (["games-log", "export", "games.sgf"], "No game in the log fits, so nothing was written."),
        (["games-log", "import", "missing.sgf"], "There is no file 'missing.sgf'."),
        (["games-log", "import", "missing.xyz"], "does not tell the format"),
        (["games-log", "lst"], "lst"),
        (["match", "tictactoe", "random", "random", "--database", "oracle://x/y"], "is not a database that boardzero"),
        (["match", "tictactoe", "random", "random", "--database", "missing/games.sqlite"], "there is no folder"),
        (["play", "tictactoe", "--first", "random", "--second", "random", "--database", "."], "is a folder"),
        (["train", "tictactoe", "--run", "new", "--database", "mysql://here/there"], "is not a database that boardzero"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(boardzero: Boardzero, arguments: list[str], said: str) -> None:
    output, errors = boardzero(*arguments, code=2)
    assert output == ""
    (line,) = errors.splitlines()
    assert line.startswith("boardzero: ") and said in line
    assert not Path("typo.sqlite").exists() and not Path("new").exists()
