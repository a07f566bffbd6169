"""Lines of Gomocup: parsing, and malformed ones."""

import io
import random
import re

import pytest
from engine_helpers import Talk, gomocup_session
from hypothesis import given, settings
from hypothesis import strategies as st

from boardzero.engines.conversation import converse
from boardzero.engines.gomocup import GomocupSession
from boardzero.protocols.gomocup import AnswerKind, Point, parse_answer, parse_limit, parse_point

ALLOWED = re.compile(r"OK|ERROR .+|UNKNOWN .+|MESSAGE .+|DEBUG .+|SWAP|\d+,\d+( \d+,\d+){0,2}|name=\".+")


# -- parsing -----------------------------------------------------------------------------------------------------------
def test_answers_of_other_brains_are_told_apart() -> None:
    assert [parse_answer(line)[0].name for line in ("OK", "ok fine", "3,4", "SWAP", "1,2 3,4", "ERROR x", "hello", "")] == [
        *("OK", "OK", "MOVE", "SWAP", "MOVE", "ERROR", "TALK", "TALK")
    ]
    assert parse_answer("SUGGEST 3,4")[:2] == (AnswerKind.SUGGEST, (Point(3, 4),))
    assert parse_answer("suggest something")[:2] == (AnswerKind.SUGGEST, ())


@settings(deadline=None)
@given(st.text())
def test_no_text_breaks_the_parsers(text: str) -> None:
    parse_answer(text)
    parse_limit(text)
    assert parse_point(text) is None or re.search(r"\d,", text.replace(" ", "")) is not None or "," in text


# -- fuzzing -----------------------------------------------------------------------------------------------------------
WORDS = [
    *("START", "RECTSTART", "RESTART", "BEGIN", "TURN", "PLAY", "BOARD", "SWAP2BOARD", "TAKEBACK", "INFO", "ABOUT", "DONE"),
    *("timeout_turn", "timeout_match", "time_left", "max_memory", "rule", "evaluate", "folder", "game_type", "END"),
    *(
        "5",
        "20",
        "9",
        "7,7",
        "0,0,1",
        "1,1,2",
        "8,8,3",
        "-1,3",
        "99,99",
        "1,",
        ",",
        "1e9",
        "9999999999",
        "٣,٣",
        "\x00",
        "é",
        "%s",
    ),
]


def malformed_line(draw: random.Random) -> str:
    kind = draw.random()
    if kind < 0.1:
        return "".join(chr(draw.randrange(1, 0x300)) for _ in range(draw.randrange(40)))
    if kind < 0.3:
        return f"TURN {draw.randrange(-1, 10)},{draw.randrange(-1, 10)}"
    line = " ".join(draw.choice(WORDS) for _ in range(draw.randrange(4)))
    if line and draw.random() < 0.3:
        place = draw.randrange(len(line))
        line = line[:place] + chr(draw.randrange(32, 127)) + line[place + 1 :]
    return line


def fuzz(lines: int, seed: int) -> None:
    draw = random.Random(seed)
    talk: Talk | None = None
    for _ in range(lines):
        if talk is None or not talk.goes_on:
            if talk is not None:
                talk.session.close()
            talk = Talk(lambda answer: gomocup_session(answer, "random", seconds=0.05))
            talk.say("START 9")
        line = malformed_line(draw)
        session = talk.session
        assert isinstance(session, GomocupSession)
        session.limits.turn = min(session.limits.turn or 50, 50)
        listing = session._listing is not None
        answers = talk.say(line)
        assert all(ALLOWED.fullmatch(answer) for answer in answers), (line, answers)
        real = [answer for answer in answers if not answer.startswith(("MESSAGE", "DEBUG"))]
        words = line.split()
        silent = not words or words[0].upper() in ("INFO", "END") or listing or session._listing is not None
        assert len(real) == 1 or (silent and len(real) <= 1), (line, answers)


def test_malformed_lines_get_answers_that_the_protocol_allows() -> None:
    fuzz(1500, seed=1)


@pytest.mark.slow
def test_a_hundred_thousand_malformed_lines_get_answers_that_the_protocol_allows() -> None:
    fuzz(100_000, seed=2)


def test_bytes_that_are_no_text_and_endless_lines_do_no_harm() -> None:
    draw = random.Random(3)
    noise = b"".join(draw.randbytes(draw.randrange(200)) + b"\n" for _ in range(200)) + b"X" * 300_000 + b"\nSTART 9\nABOUT\n"
    answers: list[str] = []
    converse(gomocup_session(answers.append, "random"), io.BytesIO(noise))
    assert answers[-2] == "OK" and answers[-1].startswith("name=")
    assert all(ALLOWED.fullmatch(answer) for answer in answers)
