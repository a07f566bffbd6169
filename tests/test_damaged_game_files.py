"""Files of games that are damaged, illegal or rubbish: what is wrong is named, and the rest is read."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from storage_helpers import GOOD_GGF, random_record, read_back

from boardzero.errors import BadInput
from boardzero.storage.entries import StoredGame
from boardzero.storage.game_files import Skipped, format_games, parse_games


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("text", "game: connect4\nmoves: 1111111", "Move 7, 1, is illegal"),
        ("text", "game: conect4\nmoves: 1", "did you mean 'connect4'"),
        ("text", "moves: 1", "it has no 'game'"),
        ("text", "game: connect4\nmoves: 1\ncolour: red", "'colour' is unknown"),
        ("text", "nothing to see here", "is not of the form 'name: value'"),
        ("text", "game: tictactoe\nmoves: a1 b1 a2 b2 a3\nresult: second", "by the rules it is 'first'"),
        ("text", "game: tictactoe\nmoves: a1\nresult: first\nreason: rules", "after 1 moves it goes on"),
        ("text", "game: tictactoe\nmoves: a1\nopening: 2", "said to be the opening"),
        ("text", "game: tictactoe\nmoves: a1\nresult: victory", "'victory' is not one of"),
        ("text", "game: tictactoe\nmoves: a1\nplies: many", "a number is not one"),
        ("text", "game: tictactoe\nmoves: a1\nstart: rubbish", "The board has rows of"),
        ("json", '{"game": "connect4", "moves": "1', "the line is not a game"),
        ("json", "[1, 2]", "the line is not a game"),
        ("json", '{"game": "connect4", "moves": "12", "number": 1e30}', "is not between 0 and"),
        ("json", '{"game": "connect4", "moves": "12", "seconds": [NaN, 1]}', "is not between 0 and"),
        ("json", '{"game": "connect4", "moves": "12", "seconds": [-1, 1]}', "is not between 0 and"),
        ("json", '{"game": "connect4", "moves": "12", "ended": "yesterday"}', "'yesterday' is not a date"),
        ("json", '{"game": "connect4", "moves": "12", "ended": "2031-02-30"}', "'2031-02-30' is not a date"),
        ("json", "[" * 100_000, "the line is not a game"),
        ("json", '{"game": "connect4", "moves": "12", "opening": Infinity}', "a number is not one"),
        ("json", '{"game": "connect4", "moves": "12", "players": ["alone"]}', "the line is not a game"),
        ("sgf", "(;GM[4]SZ[15];B[hh];W[hh])", "Move 2, h8, is illegal"),
        ("sgf", "(;GM[4]SZ[15];B[hh];B[hi])", "is by the wrong side"),
        ("sgf", "(;GM[4]SZ[15];B[zz])", "'zz' is not a point"),
        ("sgf", "(;GM[4]SZ[15:9];B[hh])", "only square boards"),
        ("sgf", "(;GM[4]SZ[15]RU[renju];B[hh])", "its rule 'renju' is unknown"),
        ("sgf", "(;GM[1]SZ[19];B[hh])", "it is of game number 1"),
        ("sgf", "(;GM[4]SZ[15];B[hh", "the game is cut short"),
        ("sgf", "(;GM[4]SZ[15];B[hh];W[hi]", "the game is cut short"),
        ("sgf", "(;GM[4]SZ[99];B[hh])", "size"),
        ("sgf", "(;XG[connect4];B[9])", "'9' is not a move"),
        ("sgf", "(;GM[4]=;B[hh])", "is not a property"),
        ("ggf", GOOD_GGF.replace("d3", "a1"), "Move 1, a1, is illegal"),
        ("ggf", GOOD_GGF.replace("B[d3]", "W[d3]"), "is by the wrong side"),
        ("ggf", GOOD_GGF.replace("Othello", "Amazons"), "only Othello is read"),
        ("ggf", GOOD_GGF.replace("BO[8 -", "BO[8 "), "is not a board"),
        ("ggf", GOOD_GGF[:-3], "the game is cut short"),
        ("ggf", GOOD_GGF.replace("PB[a]", "TY[8a]"), "anti-Othello"),
        ("psq", "Piskvorky 15x15, 11:11, 0\n16,1,0\n-1", "is not on a board"),
        ("psq", "Piskvorky 15x15, 11:11, 0\n8,8,0\n8,8,0\n-1", "is illegal"),
        ("psq", "Piskvorky 15x20, 11:11, 0\n8,8,0\n-1", "only square boards"),
        ("psq", "Piskvorky 15x15, 11:11, 0\n8,8,0\n-1\n1,Renju", "its rule 'renju' is unknown"),
        ("psq", "Piskvorky 15x15, 11:11, 0\n", "cut short"),
        ("psq", "Piskvorky 15x15, 11:11, 0\n8,8,0\n6,5,", "the game is cut short or damaged: '6,5,' is not a move"),
        ("psq", "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,x9,0\n7,7,0\n-1\n", "'9,x9,0' is not a move"),
        ("psq", "Piskvorky 15x15, 11:11, 0\n8,8,0\n6,1", "the game is cut short"),
        ("psq", "Piskvorky 15x15, 11:11, 0\n8,8,0\n15", "the game is cut short"),
        ("psq", "something else", "does not begin like"),
        ("psq", f"Piskvorky {'9' * 5000}x15, 0:0, 0", "does not begin like"),
    ],
)
def test_a_damaged_or_illegal_game_is_named_and_the_next_is_read(form: str, text: str, said: str) -> None:
    (skipped,) = (game for game in parse_games(text.encode(), form, "file") if isinstance(game, Skipped))
    assert skipped.sentence.startswith("Game 1 of 'file' was skipped: ") and said in skipped.sentence, skipped
    game = "gomoku:size=9" if form == "psq" else "othello:size=4"
    good, _ = format_games([StoredGame("", random_record(game, 2))], form)
    if "cut short" not in said and form != "psq":
        content = text.encode() + (b"\n\n" if form == "text" else b"\n") + good
        kinds = [type(game) for game in parse_games(content, form, "file")]
        assert kinds == [Skipped, StoredGame]


def test_a_psq_that_is_cut_anywhere_is_never_taken_for_another_game() -> None:
    """Half a move would be another move, a name, or the code of a loss on time; half a name another name."""
    record = random_record("gomoku:size=12", 2, players=("pbrain-one", "pbrain-two"))
    content, _ = format_games([StoredGame("", record)], "psq")
    found = (game for cut in range(len(content)) for game in parse_games(content[:cut], "psq", "file"))
    read = [game.record for game in found if isinstance(game, StoredGame)]
    assert len(read) > record.plies, "where a line ends, the game is read as far as it goes"
    for part in read:
        assert part.moves.split() == record.moves.split()[: part.plies] and part.plies
        assert set(part.players) <= {"pbrain-one", "pbrain-two", "?"} and part.result in (record.result, "unfinished")


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("text", b"# only a comment\n"),
        ("json", b"\n"),
        ("parquet", format_games([], "parquet")[0]),
        ("sgf", b"garbage"),
        ("ggf", b"hi (you)"),
        ("psq", b""),
    ],
)
def test_a_file_without_any_game_is_named(form: str, content: bytes) -> None:
    assert list(parse_games(content, form, "file")) == [Skipped(f"There is no game in 'file', which was read as {form}.")]


@settings(deadline=None, max_examples=200)
@given(form=st.sampled_from(["text", "json", "sgf", "ggf", "psq"]), noise=st.binary(max_size=200))
def test_no_rubbish_does_more_than_be_skipped(form: str, noise: bytes) -> None:
    assert all(isinstance(game, Skipped) for game in parse_games(noise, form, "file"))


@settings(deadline=None, max_examples=100)
@given(data=st.data(), form=st.sampled_from(["text", "json", "sgf", "ggf", "psq"]))
def test_a_game_with_bytes_changed_is_read_or_skipped(data: st.DataObject, form: str) -> None:
    record = random_record("gomoku:size=5" if form == "psq" else "othello:size=4", 7)
    content = bytearray(format_games([StoredGame("", record)], form)[0])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    for game in parse_games(bytes(content), form, "file"):
        assert isinstance(game, Skipped | StoredGame)


PIECES = (
    *(b"nan", b"-1", b"1e999", b"9" * 5000, b"9999-99-99", b"\0", b"\xff", b"\n", b"\r\n", b"\xe2\x80\xa8"),
    *b'[ ] ( ) ; \\ " {} tt SZ[0] PL[W] AB[aa:cc] XG[connect4] XB[x] XO[5] BO[] TY[88] KM[3] CA[utf-7]'.split(),
    *(b"Piskvorky 5x5, 0:0, 0\n", b"15\n", b"2,Standard\n", b"ended: 9999-99-99\n", b"first: \n"),
)


@settings(deadline=None, max_examples=150)
@given(data=st.data(), form=st.sampled_from(["text", "json", "sgf", "ggf", "psq"]))
def test_whatever_is_read_from_a_damaged_file_can_be_written_and_read_again(data: st.DataObject, form: str) -> None:
    record = random_record("gomoku:size=5" if form == "psq" else "othello:size=4", 7)
    content = bytearray(format_games([StoredGame("", record)], form)[0])
    for _ in range(data.draw(st.integers(1, 4))):
        place, length = data.draw(st.integers(0, len(content))), data.draw(st.integers(0, 4))
        content[place : place + length] = data.draw(st.sampled_from(PIECES))
    for game in parse_games(bytes(content), form, "file"):
        if isinstance(game, StoredGame):
            names = tuple(" ".join(name.split()) or "?" for name in game.record.players)  # SGF has no line ends in names
            again = read_back(format_games([game], "sgf")[0], "sgf").record
            remark = " ".join(game.record.remark.split())
            assert again == replace(game.record, players=names, remark=remark)  # type: ignore[arg-type]


def test_a_file_that_is_no_parquet_is_refused() -> None:
    with pytest.raises(BadInput, match=r"^'file' is not a Parquet file .*[^.]\.$"):
        list(parse_games(b"PAR1 or so", "parquet", "file"))
