"""Games as text, JSON lines, Parquet, SGF, GGF and PSQ: what is written is read back, and so is what others wrote."""

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from storage_helpers import GOOD_GGF, random_position, random_record, read_back

from boardzero.arena.game import record_of
from boardzero.errors import BadInput
from boardzero.events.games import GameRecord, Reason, Result
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.storage.entries import StoredGame, new_id
from boardzero.storage.game_files import Skipped, format_games, format_of, parse_games

GAMES = [
    "tictactoe",
    "connect4",
    "connect4:rows=5,columns=9",
    "othello",
    "othello:size=4,first=white",
    "othello:size=6",
    "gomoku:size=9",
    "gomoku:size=20,rule=standard",
    "latrunculi:size=4,start=random",
    "latrunculi:size=6",
]
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=20)
EARLY: list[tuple[Result, Reason]] = [
    ("first", "resignation"),
    ("second", "time"),
    ("first", "illegal move"),
    ("second", "failure"),
    ("unfinished", "stopped"),
    ("draw", "time"),
    ("draw", "failure"),
]


@st.composite
def records(draw: st.DrawFn, games: list[str], from_boards: bool = True) -> GameRecord:
    """Games by random players: over or not, from the usual start or from a position in the middle of a game."""
    specification, seed = draw(st.sampled_from(games)), draw(st.integers(0, 10_000))
    before = random_position(specification, seed, draw(st.integers(0, 6)) if from_boards and draw(st.booleans()) else 0)
    position = Position(before.game, board=before.board) if before.actions and not before.over else before
    longest = draw(st.none() | st.integers(0, 30)) if position.game.max_plies < 100 else 60
    chooser = random.Random(seed)
    while not position.over and (longest is None or len(position.actions) < longest):
        position.play(chooser.choice(position.legal_actions()))
    result, reason = draw(st.sampled_from(EARLY))
    if position.over:
        result, reason = "draw" if position.winner is None else ("first", "second")[position.winner], "rules"
    seconds = draw(st.tuples(st.integers(0, 5000), st.integers(0, 5000)))
    record = record_of(
        position,
        (draw(NAMES), draw(NAMES)),
        draw(st.integers(0, len(position.actions))),
        (seconds[0] / 1000, seconds[1] / 1000),
        result,
        reason,
        draw(st.sampled_from(["", "took 3.2 seconds: too long", "]\\ odd [remark"])),
    )
    return replace(record, ended=draw(st.sampled_from(["2031-01-31T12:00:00Z", "2031-01-31", "1999", ""])))


# -- what we write -----------------------------------------------------------------------------------------------------
@settings(deadline=None, max_examples=60)
@given(record=records(GAMES), form=st.sampled_from(["text", "json", "parquet"]), number=st.none() | st.integers(0, 9))
def test_our_own_formats_keep_everything(record: GameRecord, form: str, number: int | None) -> None:
    game = StoredGame(new_id(), record, "play", new_id(), number, new_id(), number, "ann@home")
    content, skipped = format_games([game], form)
    assert not skipped
    assert read_back(content, form) == game


@settings(deadline=None, max_examples=100)
@given(record=records(GAMES))
def test_sgf_keeps_every_game_as_it_was(record: GameRecord) -> None:
    game = StoredGame(new_id(), record)
    content, _ = format_games([game], "sgf")
    assert read_back(content, "sgf") == game


@settings(deadline=None, max_examples=60)
@given(record=records(["othello", "othello:size=4", "othello:size=6"]))
def test_ggf_keeps_moves_board_players_and_result(record: GameRecord) -> None:
    names = tuple(name.replace("[", "(").replace("]", ")") for name in record.players)
    record = replace(record, players=names, opening=0, remark="")  # type: ignore[arg-type]
    content, _ = format_games([StoredGame("", record)], "ggf")
    found = read_back(content, "ggf").record
    reason = "resignation" if record.reason in ("illegal move", "failure") else record.reason
    alternating = 2 * len(record.moves.split()) > 3  # each side has moved, so that its seconds have a place
    assert replace(found, seconds=record.seconds) == replace(record, reason=reason)
    assert not alternating or found.seconds == pytest.approx(record.seconds)


def test_white_begins_in_ggf_and_sgf() -> None:
    position = random_position("othello:first=white", 4)
    result: Result = "draw" if position.winner is None else ("first", "second")[position.winner]
    record = replace(record_of(position, ("snow", "coal"), 0, (0, 0), result, "rules"), ended="2031-01-31T12:00:00Z")
    for form in ("ggf", "sgf"):
        content, _ = format_games([StoredGame("", record)], form)
        assert b"PB[coal]PW[snow]" in content
        assert read_back(content, form).record == record


@settings(deadline=None, max_examples=60)
@given(record=records(["gomoku:size=9", "gomoku", "gomoku:size=20,rule=standard"], from_boards=False))
def test_psq_keeps_moves_players_and_result(record: GameRecord) -> None:
    names = tuple(f"p{name}" for name in record.players)  # not only digits, as error codes are
    record = replace(record, players=names, opening=0, remark="", ended="")  # type: ignore[arg-type]
    content, _ = format_games([StoredGame("", record)], "psq")
    if not record.moves and record.result == "unfinished":
        record = replace(record, seconds=(0.0, 0.0))
    found = read_back(content, "psq").record
    reason = record.reason if record.reason in ("rules", "stopped", "time") else "resignation"
    seconds = tuple(spent if record.plies > side else 0.0 for side, spent in enumerate(record.seconds))
    assert found == replace(record, reason=reason, seconds=seconds)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("form", "game", "board", "said"),
    [
        ("ggf", "connect4", None, "GGF files hold games of Othello, not of connect4."),
        ("psq", "othello", None, "PSQ files hold games of Gomoku, not of othello."),
        ("psq", "gomoku:size=5", "X..../...../...../...../..... O", "cannot hold a game that begins from a set-up board"),
    ],
)
def test_a_format_that_cannot_hold_a_game_says_so(form: str, game: str, board: str | None, said: str) -> None:
    record = record_of(Position(find_game(game), board=board), ("a", "b"))
    content, (skipped,) = format_games([StoredGame("", record)], form)
    assert content == b"" and said in skipped.sentence


def test_many_games_share_a_file() -> None:
    games = [StoredGame(new_id(), random_record("othello:size=4", seed)) for seed in range(5)]
    for form in ("text", "json", "parquet", "sgf", "ggf"):
        content, _ = format_games(games, form)
        found = [game.record.moves for game in parse_games(content, form, "file") if isinstance(game, StoredGame)]
        assert found == [game.record.moves for game in games]


def test_the_same_game_read_again_has_the_same_id_and_played_twice_has_two() -> None:
    game = StoredGame("", random_record("othello:size=4", 1))
    content, _ = format_games([game, game], "ggf")
    first, again = ([found.id for found in parse_games(content, "ggf", "f") if isinstance(found, StoredGame)] for _ in "12")
    assert first == again and len(set(first)) == 2


def test_what_is_written_is_sgf_as_its_definition_has_it() -> None:
    """DT holds days only and AP two values with a colon between them; Othello has the points that Edax reads."""
    othello = replace(record_of(Position(find_game("othello"), "f5 d6 c3"), ("a", "b")), ended="2031-01-31T12:00:00Z")
    gomoku = record_of(Position(find_game("gomoku"), "h8 g9"), ("a", "b"))
    text = format_games([StoredGame("", othello), StoredGame("", gomoku)], "sgf")[0].decode()
    assert text.count("FF[4]") == 2 and len(re.findall(r"AP\[boardzero:[^\]:]+\]", text)) == 2
    assert "DT[2031-01-31]" in text and "XD[2031-01-31T12:00:00Z]" in text
    assert "AB[e4][d5]AW[d4][e5]PL[B]" in text and ";B[f5];W[d6];B[c3])" in text
    assert ";B[hh];W[gg])" in text
    over = random_position("othello:size=4", 1)
    discs = over.board.split(" ")[0]
    lead = discs.count("X") - discs.count("O")
    ended = record_of(over, ("a", "b"), result="first" if lead > 0 else "second", reason="rules")
    assert f"RE[{'B' if lead > 0 else 'W'}+{abs(lead)}]".encode() in format_games([StoredGame("", ended)], "sgf")[0]


def test_no_name_is_taken_for_something_else_in_psq() -> None:
    """A move, a code of what went wrong, or the end."""
    for name in ("8,8", "-1", "15", "1,Freestyle", "6,5,", "3,14 digits of pi"):
        record = record_of(Position(find_game("gomoku:size=9"), "a1 b2"), (name, "b"))
        found = read_back(format_games([StoredGame("", record)], "psq")[0], "psq").record
        assert (found.players, found.moves, found.result) == ((f"player {name}", "b"), "a1 b2", "unfinished")


def test_seconds_in_ggf_have_no_exponent() -> None:
    record = replace(record_of(Position(find_game("othello"), "f5 d6"), ("a", "b")), seconds=(0.00004, 2_500_000.0))
    assert b"B[f5//0.000]W[d6//2500000.000]" in format_games([StoredGame("", record)], "ggf")[0]


# -- what others write -------------------------------------------------------------------------------------------------
def test_ggf_of_a_game_server_is_read() -> None:
    """With ratings, evaluations, times, a pass, a time zone and several games on lines between other text."""
    text = """game 1
(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[ann]PW[bob]RB[2197.01]RW[2199.72]TI[05:00//02:00]TY[8]RE[?]
BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]
B[d3//0.01]W[c5/-1.50/2.5]B[D6/+2]W[e3];)
(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[]PW[chris]RE[+64:r]TI[15:00]TY[8]\
BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[F6];)
(;GM[Othello]PC[GGS/os]DT[1300000000]PB[x]PW[y]TY[s8r18]RE[+2.000]\
BO[8 -------- -------- --OOO*-- -O*OO*-- --O*OO-- --O***-- --O*---- -------- O]W[b5]B[e2]W[d8];)
"""
    first, second, third = (game.record for game in parse_games(text.encode(), "ggf", "f") if isinstance(game, StoredGame))
    assert (first.players, first.moves, first.seconds) == (("ann", "bob"), "d3 c5 d6 e3", (0.01, 2.5))
    assert (first.result, first.ended) == ("unfinished", "2003-12-15")  # MST is not our time
    assert (second.players, second.result, second.reason) == (("?", "chris"), "first", "resignation")
    assert second.ended == "2014-02-21T20:52:27Z"
    assert third.start.endswith("O") and third.moves == "b5 e2 d8" and third.result == "first"


def test_passes_that_a_file_leaves_out_are_put_in() -> None:
    position = next(p for p in (random_position("othello:size=6", seed) for seed in range(100)) if "pass" in p.moves)
    winner: Result = "draw" if position.winner is None else ("first", "second")[position.winner]
    game = StoredGame("", record_of(position, ("a", "b"), result=winner, reason="rules"))
    for form, passes in (("ggf", ("B[pass]", "W[pass]")), ("sgf", (";B[PA]", ";W[PA]"))):
        text = format_games([game], form)[0].decode()
        assert any(written in text for written in passes)
        for written in passes:
            text = text.replace(written, "")
        assert read_back(text.encode(), form).record.moves == position.moves


def test_sgf_of_othello_programs_is_read() -> None:
    """The first move in the root, points as `f5`, `;` before the end, game information of all kinds."""
    text = """(;FF[4]GM[2]AP[edax:4.5.5]
PC[Edax]DT[2026-10-07]
PB[?]PW[Ann \\[3 dan\\]]
SZ[8]AB[e4][d5]AW[d4][e5]PL[B]
RE[Void]
B[f5];W[d6];
B[c3];W[d3];
B[c4];)"""
    record = read_back(text.encode(), "sgf").record
    assert (record.game, record.moves, record.result) == ("othello", "f5 d6 c3 d3 c4", "unfinished")
    assert (record.players, record.ended) == (("?", "Ann [3 dan]"), "2026-10-07")


def test_sgf_of_gomoku_is_read_with_variations_comments_and_escapes() -> None:
    text = r"""Downloaded from somewhere
(;GM[4]FF[4]CA[UTF-8]SZ[15]PB[Ann: the \\ first]PW[Bob]RE[B+Resign]DT[2019-05-02,03]
C[(;not a node\] here)]
;B[hh]C[centre];W[gg]
 (;B[ig];W[hf]C[main line])
 (;B[aa];W[bb](;B[cc])))
(;GM[4]SZ[9]AB[aa][cc]AW[bb]PL[W];W[dd])"""
    first, second = (game.record for game in parse_games(text.encode(), "sgf", "f") if isinstance(game, StoredGame))
    assert (first.game, first.moves) == ("gomoku", "h8 g9 i9 h10")
    assert (first.players[0], first.result, first.reason, first.ended) == (
        "Ann: the \\ first",
        "first",
        "resignation",
        "2019-05-02",
    )
    assert second.start.startswith("X......../.O......./..X......") and second.moves == "d6"


def test_gomoku_without_a_rule_is_read_by_the_one_that_fits() -> None:
    """Six in a row, and the game goes on: so it was not free-style."""
    row = ["1,1", "1,9", "2,1", "3,9", "3,1", "5,9", "5,1", "7,9", "6,1", "9,9", "4,1", "2,8"]
    text = "Piskvorky 9x9, 0:0, 1\n" + "\n".join(f"{move},1000" for move in row) + "\n-1\n"
    record = read_back(text.encode(), "psq").record
    assert record.game == "gomoku:size=9,rule=standard" and record.plies == 12 and record.result == "unfinished"
    assert record.seconds == (6.0, 6.0)


def test_psq_of_a_tournament_is_read() -> None:
    """Windows line ends, names of engines, who begins, moves without times."""
    text = "Piskvorky 15x15, 11:11, 1\r\n8,8,1250\r\n8,7\r\n9,8,30\r\npbrain-one.exe\r\npbrain-two.exe\r\n-1\r\n"
    record = read_back(text.encode(), "psq").record
    assert record.players == ("pbrain-two.exe", "pbrain-one.exe")
    assert (record.moves, record.seconds) == ("h8 h9 i8", (1.28, 0.0))


def test_a_game_that_was_lost_on_time_in_piskvork_is_lost_on_time() -> None:
    text = "Piskvorky 15x15, 11:11, 0\n8,8,1250\n8,7,90\n9,8,30\npbrain-one\npbrain-two\n15\n"
    record = read_back(text.encode(), "psq").record
    assert (record.result, record.reason) == ("first", "time")


@pytest.mark.parametrize("said", ["-127.000", "?", "", "nan", "resigned"])
def test_a_result_in_ggf_that_is_none_is_not_believed(said: str) -> None:
    """Edax writes −127 of games that are not over."""
    record = read_back(GOOD_GGF.replace("RE[?]", f"RE[{said}]").encode(), "ggf").record
    assert (record.result, record.reason) == ("unfinished", "stopped")


@pytest.mark.parametrize(
    ("said", "kept"), [("2000-4-16 11:13 EST", "2000-04-16"), ("2000.16.04", ""), ("2001", "2001"), ("long ago", "")]
)
def test_dates_of_old_servers_are_read_as_far_as_they_are_dates(said: str, kept: str) -> None:
    assert read_back(GOOD_GGF.replace("RE[?]", f"DT[{said}]RE[?]").encode(), "ggf").record.ended == kept


SGF_OF_GOMOKU = "(;GM[4]FF[4]SZ[15]PB[Jörg];B[hh]\n;W[gg])\n"


@pytest.mark.parametrize(
    "content",
    [
        SGF_OF_GOMOKU.encode(),
        SGF_OF_GOMOKU.encode("utf-8-sig"),
        SGF_OF_GOMOKU.encode("utf-16"),
        SGF_OF_GOMOKU.replace("\n", "\r\n").encode(),
        SGF_OF_GOMOKU.replace("\n", "\r").encode(),
        SGF_OF_GOMOKU.encode("iso-8859-1"),
        SGF_OF_GOMOKU.replace("SZ", "CA[ISO-8859-15]SZ").encode("iso-8859-15"),
        SGF_OF_GOMOKU.replace("SZ", "CA[big5]SZ").encode(),
        SGF_OF_GOMOKU.replace("SZ", "CA[of our own]SZ").encode(),
        SGF_OF_GOMOKU.replace("SZ", "CA[zip]SZ").encode(),
    ],
)
def test_a_file_is_read_whatever_its_characters_and_line_ends_are(content: bytes) -> None:
    record = read_back(content, "sgf").record
    assert record.moves == "h8 g9"
    assert record.players[0] == "Jörg" or b"big5" in content


def test_characters_that_an_sgf_names_are_its_characters() -> None:
    text = "(;GM[4]CA[Shift_JIS]SZ[15]PB[表];B[hh])"  # whose second byte is a backslash
    assert read_back(text.encode("shift_jis"), "sgf").record.players[0] == "表"


def test_what_an_sgf_says_of_itself_is_believed_only_where_it_can_be() -> None:
    text = f"(;XG[connect4]RE[B+R]XE[sorcery]XT[nan 1e999]XO[{'9' * 5000}]DT[soon];B[4])"
    record = read_back(text.encode(), "sgf").record
    assert (record.reason, record.seconds, record.opening, record.ended) == ("resignation", (0.0, 0.0), 0, "")


def test_no_file_of_games_has_a_program_run(tmp_path: Path) -> None:
    program = tmp_path / "rules.py"
    program.write_text("raise SystemError('it was run')")
    for form, text in (("text", f"game: {program}:size=5\nmoves: 1\n"), ("sgf", f"(;XG[{program}];B[1])")):
        (skipped,) = parse_games(text.encode(), form, "file")
        assert isinstance(skipped, Skipped) and f"Its rules are a program, '{program}'" in skipped.sentence
        (skipped,) = parse_games(text.encode(), form, "file", find_game)
        assert isinstance(skipped, Skipped) and "it was run" in skipped.sentence


def test_an_id_that_is_not_ours_does_not_count() -> None:
    """Or two files that number their games would have the same ones."""
    first, second = (read_back(f"id: 1\ngame: connect4\nmoves: {move}\n".encode(), "text") for move in "12")
    assert len(first.id) == len(second.id) == 32 and first.id != second.id


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("2031-01-31T12:00:00Z", "2031-01-31T12:00:00Z"),
        ("2031-01-31T13:30:00+01:30", "2031-01-31T12:00:00Z"),
        ("2031-01-31 12:00:00.25", "2031-01-31T12:00:00Z"),
        ("2031-01-31", "2031-01-31"),
        ("1999", "1999"),
    ],
)
def test_moments_are_kept_in_utc(said: str, kept: str) -> None:
    assert read_back(f"game: connect4\nmoves: 1\nended: {said}\n".encode(), "text").record.ended == kept


@pytest.mark.parametrize("form", ["text", "json", "parquet", "sgf"])
def test_odd_line_ends_in_names_do_not_end_a_game(form: str) -> None:
    record = record_of(Position(find_game("connect4"), "12"), ("a\u2028b\x85c\x1cd", "\vx\f"))
    games = [StoredGame(new_id(), record), StoredGame(new_id(), record)]
    read = list(parse_games(format_games(games, form)[0], form, "file"))
    names = {" ".join(name.split()) for game in read if isinstance(game, StoredGame) for name in game.record.players}
    assert len(read) == 2 and names == {"a b c d", "x"}


def test_games_that_were_saved_with_save_are_read() -> None:
    line = (
        '{"game": "tictactoe", "players": ["human", "random"], "start": ".../.../... X", "moves": "a1 b2", "opening": 0,'
        ' "plies": 2, "result": "second", "reason": "resignation", "seconds": [1.5, 0.1], "ended": "2031-01-31T12:00:00Z",'
        ' "remark": ""}'
    )
    record = read_back(line.encode(), "json").record
    assert (record.players, record.seconds, record.result) == (("human", "random"), (1.5, 0.1), "second")


def test_what_no_database_can_hold_is_left_out_of_names() -> None:
    line = r'{"game": "connect4", "moves": "12", "first": "a\u0000b\ud800"}'
    assert read_back(line.encode(), "json").record.players[0] == "ab?"


def test_a_few_lines_of_text_are_a_game() -> None:
    text = "# from a book\ngame: connect4\nmoves: 44, 4 4\n\nGame: tictactoe\nFirst: Ann\nMoves: a1 b1 a2 b2 a3\n"
    first, second = parse_games(text.encode(), "text", "f")
    assert isinstance(first, StoredGame) and isinstance(second, StoredGame)
    assert (first.record.moves, first.record.result, first.record.players) == ("4444", "unfinished", ("?", "?"))
    assert (second.record.result, second.record.reason, second.record.players) == ("first", "rules", ("Ann", "?"))


def test_the_format_is_told_by_the_ending() -> None:
    assert (format_of("a.SGF", None), format_of("a.sgf", "text")) == ("sgf", "text")
    with pytest.raises(BadInput, match=r"The ending of 'games.pgn' does not tell the format; there are text, json"):
        format_of("games.pgn", None)
    with pytest.raises(BadInput, match="'pgn' is not a format"):
        format_of("games.sgf", "pgn")
