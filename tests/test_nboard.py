"""NBoard's protocol, both ways."""

import random
import re
import threading

import pytest
from engine_helpers import Script, SessionTransport, Talk, ThinkingThread
from hypothesis import given, settings
from hypothesis import strategies as st

from boardzero.arena.game import play_game
from boardzero.engines.nboard import NBoardSession
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.players.engine import EnginePlayer
from boardzero.players.engine_name import EngineParameters
from boardzero.players.engine_process import EngineFault
from boardzero.protocols.nboard import game_from_text, game_to_text

OTHELLO = find_game("othello")
SAMPLE = (  # as NBoard's own documentation has it
    "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]"
    "BO[8 ---------------------------O*------*O--------------------------- *]"
    "B[F5]W[F6]B[D3]W[C5]B[E6]W[F7]B[E7]W[F4];)"
)
ALLOWED = re.compile(r"set myname .+|status.*|pong.*|learned|=== ([A-H][1-8]|PA)(/-?[\d.]+/[\d.]+)?|search \S+ -?[\d.]+ 0 \d+")


def engine(player: str = "random") -> Talk:
    return Talk(lambda answer: NBoardSession(answer, ThinkingThread(player), seconds=0.1))


def played(seed: int, plies: int, game: str = "othello") -> Position:
    position = Position(find_game(game))
    draw = random.Random(seed)
    while not position.over and len(position.actions) < plies:
        position.play(draw.choice(position.legal_actions()))
    return position


def test_the_documented_game_is_read() -> None:
    position = game_from_text(SAMPLE)
    assert position.moves == "f5 f6 d3 c5 e6 f7 e7 f4" and position.turn == 0


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(0, 130), st.sampled_from(["othello", "othello:size=6"]))
def test_games_are_read_as_they_are_written(seed: int, plies: int, game: str) -> None:
    position = played(seed, plies, game)
    again = game_from_text(game_to_text(position))
    assert again.actions == position.actions and again.board == position.board


def test_passes_that_are_not_written_are_played() -> None:
    position = next(found for found in (played(seed, 130) for seed in range(50)) if " pass " in found.moves)
    assert game_from_text(game_to_text(position).replace("B[PA]", "").replace("W[PA]", "")).board == position.board


@pytest.mark.parametrize(
    "board", ["", "8", "8 --- *", "7 " + "-" * 49 + " *", "8 " + "-" * 63 + "x *", "8 " + "-" * 64 + " ?", "9" * 5000 + " - *"]
)
def test_damaged_boards_are_refused(board: str) -> None:
    with pytest.raises(BadInput):
        game_from_text(f"(;GM[Othello]BO[{board}];)")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "there is no game"),
        (SAMPLE[:90], "the game is cut short"),
        (SAMPLE.replace("Othello", "Go"), "only Othello is read"),
        (SAMPLE.replace("B[D3]", "W[D3]"), "wrong side"),
        (SAMPLE.replace("B[D3]", "B[A1]"), "Move 3, a1, is illegal"),
    ],
)
def test_damaged_games_are_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        game_from_text(text)


def test_a_result_that_the_rules_do_not_confirm_is_no_damage() -> None:
    position = played(3, 130)
    assert position.over
    assert game_from_text(game_to_text(position).replace("RE[?]", "RE[+64.000]")).board == position.board


def test_the_documented_session_is_answered() -> None:
    talk = engine("minimax:depth=2")
    answers = talk.say("nboard 2", f"set game {SAMPLE}", "set depth 6", "ping 1", "go")
    assert answers[0].startswith("set myname boardzero") and answers[1] == "pong 1"
    move = next(answer for answer in answers if answer.startswith("==="))
    assert ALLOWED.fullmatch(move) and move[4:6].lower() in game_from_text(SAMPLE).legal_moves()
    hints = [answer for answer in talk.say("hint 3") if answer.startswith("search")]
    assert len(hints) == 3 and all(ALLOWED.fullmatch(hint) for hint in hints)
    assert talk.last("learn") == "learned"


def test_a_forced_move_is_told_at_once_and_alone() -> None:
    positions = (played(seed, plies) for seed in range(50) for plies in range(20, 60))
    position = next(found for found in positions if found.legal_moves() == ["pass"])
    talk = engine()
    assert talk.say(f"set game {game_to_text(position)}", "go") == ["=== PA"]


def test_a_player_that_is_still_being_compiled_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardzero.engines.position_thinking.LOADING_SECONDS", 0.3)
    process, is_over = ThinkingThread("random"), threading.Event()
    process.mind.get_ready = lambda *_: is_over.wait(60)  # type: ignore[method-assign, assignment]
    talk = Talk(lambda answer: NBoardSession(answer, process, seconds=0.1))
    thinking, move, remark = talk.say("go")
    assert re.fullmatch(r"=== (D3|C4|F5|E6)/0\.00/\d\.\d\d", move)
    assert remark == "status boardzero is still being compiled, once after its installation, so this is a plain move"
    assert talk.say("hint 3") == [thinking, f"{remark.rpartition(',')[0]}, ask again in a minute"]
    is_over.set()
    assert process.ask(None, "tree") is None  # all before it is done
    assert talk.say("hint 3")[-1] == "status" and len(talk.say("go")) == 3


def test_go_does_not_change_the_board_but_move_does() -> None:
    talk = engine()
    talk.say("go", "go")
    position = talk.session.position  # type: ignore[attr-defined]
    assert position.actions == []
    talk.say("move F5/1.2/0.5", "D6")
    assert position.moves == "f5 d6"
    assert talk.say("move A1")[0].startswith("status Move 3, a1, is illegal")


def test_quit_ends() -> None:
    talk = engine()
    talk.say("quit", "ping 1")
    assert talk.answers == [] and not talk.goes_on


def fuzz(lines: int, seed: int) -> None:
    draw = random.Random(seed)
    words = [
        *[
            "nboard",
            "set",
            "depth",
            "game",
            "move",
            "go",
            "hint",
            "ping",
            "learn",
            "contempt",
            "quit",
            "F5",
            "D6",
            "PA",
            "3",
            "-1",
            "x",
            "é",
            "٣",
        ],
        SAMPLE,
        SAMPLE[:90],
        "BO[8",
    ]
    talk = engine()
    for _ in range(lines):
        line = " ".join(draw.choice(words) for _ in range(draw.randrange(4)))
        answers = talk.say(line)
        assert all(ALLOWED.fullmatch(answer) for answer in answers), (line, answers)
        assert answers or line.split()[:1] not in (["ping"], ["learn"], ["nboard"], ["go"], ["hint"]), line
        if not talk.goes_on:
            talk.session.close()
            talk = engine()


def test_malformed_lines_get_answers_that_the_protocol_allows() -> None:
    fuzz(600, seed=1)


@pytest.mark.slow
def test_many_malformed_lines_get_answers_that_the_protocol_allows() -> None:
    fuzz(20_000, seed=2)


# -- the client --------------------------------------------------------------------------------------------------------
def test_an_engine_is_asked_with_the_whole_game_and_its_chatter_passed_over() -> None:
    position = Position(OTHELLO, "f5")
    transport = Script(
        [
            "> nboard 2",
            "> set depth 12",
            "> ping 1",
            "< set myname Edax",
            "< pong 1",
            f"> set game {game_to_text(position)}",
            "> ping 2",
            "< status idle",
            "< pong 1",
            "< pong 2",
            "> go",
            "< nodestats 35805 0.00",
            "< === d6 -1.00 0.0",
        ]
    )
    player = EnginePlayer(OTHELLO, EngineParameters(), protocol="nboard", transport=transport)
    assert OTHELLO.action_to_text(player.choose(position)) == "d6"
    player.close()
    assert transport.closed == "quit"


def test_nonsense_is_a_fault() -> None:
    position = Position(OTHELLO)
    transport = Script(
        [
            "> nboard 2",
            "> set depth 12",
            "> ping 1",
            "< pong 1",
            f"> set game {game_to_text(position)}",
            "> ping 2",
            "< pong 2",
            "> go",
            "< === Z9",
        ]
    )
    player = EnginePlayer(OTHELLO, EngineParameters(), protocol="nboard", transport=transport)
    with pytest.raises(EngineFault, match="no move"):
        player.choose(position)


def test_two_engines_play_a_whole_game_through_the_client() -> None:
    first, second = (
        EnginePlayer(
            OTHELLO,
            EngineParameters(),
            protocol="nboard",
            transport=SessionTransport(lambda answer: NBoardSession(answer, ThinkingThread("random"))),
        )
        for _ in range(2)
    )
    record = play_game((first, second), Position(OTHELLO))
    assert record.reason == "rules", record.remark
