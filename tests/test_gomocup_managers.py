"""Whole conversations as real tournament managers lead them, line by line, with a brain in this process."""

import re

import pytest
from engine_helpers import MOVE, brain

from boardzero.engines.gomocup import GomocupSession

# `> line` is what the manager says, `< pattern` what it is answered; {0}, {1}, … are the brain's moves so far.
# Piskvork waits for OK, tells all that it knows, and then before each move what is left of the time. A move that is taken back
# is taken back stone by stone. Boards come in the order of the moves.
PISKVORK = r"""
> ABOUT
< name="boardzero", .*
> START 20
< OK
> INFO max_memory 367001600
> INFO timeout_match 180000
> INFO timeout_turn 600000
> INFO game_type 2
> INFO rule 1
> INFO time_left 180000
> INFO folder C:\Program Files\Piskvork data\rule 0
> TURN 10,10
< MOVE
> INFO evaluate 3,4
> INFO time_left 171000
> TURN 0,19
< MOVE
> TAKEBACK {1}
< OK
> TAKEBACK 0,19
< OK
> INFO time_left 171000
> TURN 19,0
< MOVE
> RESTART
< OK
> INFO time_left 180000
> BOARD
> 10,10,1
> 19,0,2
> 11,11,1
> 0,19,2
> DONE
< MOVE
> INFO time_left -20
> TURN 0,0
< MOVE
> RECTSTART 15,19
< ERROR .*20.*
> END
"""
# c-gomoku-cli asks ABOUT first and starts every game anew in the same process. Without a limit for the match, what is left is
# told as half of the largest whole number; where it has the rules of renju, nothing else is known here.
BY_TURNS = """
> ABOUT
< name="boardzero", .*
> YXSHOWINFO
< UNKNOWN YXSHOWINFO
> START 15
< OK
> INFO rule 0
> INFO timeout_turn 600000
> INFO timeout_match 0
> INFO max_memory 350000000
> INFO thread_num 2
> INFO time_left 4611686018427387903
> BEGIN
< 7,7
> INFO time_left 4611686018427387903
> TURN 0,0
< MOVE
> START 15
< OK
> INFO rule 4
> INFO timeout_turn 600000
> INFO time_left 4611686018427387903
> TURN 0,14
< MESSAGE only free-style and standard rules .*
< MOVE
> YXSTOP
< UNKNOWN YXSTOP
> END
"""
BY_BOARDS = """
> ABOUT
< name="boardzero", .*
> START 15
< OK
> INFO rule 1
> INFO timeout_turn 600000
> INFO timeout_match 0
> INFO time_left 4611686018427387903
> BEGIN
< 7,7
> INFO time_left 4611686018427387903
> BOARD
> 7,7,1
> 0,0,2
> DONE
< MOVE
> INFO time_left 4611686018427387903
> BOARD
> 7,7,1
> 0,0,2
> {1},1
> 14,14,2
> DONE
< MOVE
> END
"""
# Yixin-Board says what is left of the time, then START, then the board; its words are small and its keys are large.
YIXIN_BOARD = """
> yxshowinfo
< UNKNOWN YXSHOWINFO
> INFO THREAD_NUM 2
> INFO RULE 0
> INFO TIMEOUT_MATCH 100000000
> INFO TIMEOUT_TURN 600000
> INFO TIME_LEFT 90000000
> start 15
< OK
> board
> 7,7,2
> INFO SHOW_DETAIL 2
> 7,8,1
> 8,8,2
> done
< MOVE
> end
"""
# The opening is settled by SWAP2BOARD; after it the game is told as a board.
SWAP2 = r"""
> START 15
< OK
> INFO timeout_turn 600000
> SWAP2BOARD
> DONE
< \d+,\d+ \d+,\d+ \d+,\d+
> START 15
< OK
> SWAP2BOARD
> 7,7
> 0,14
> 8,8
> DONE
< SWAP
> BOARD
> 7,7,1
> 0,14,2
> 8,8,1
> 9,9,2
> DONE
< MOVE
> TURN 0,0
< MOVE
> END
"""


def lead(transcript: str, player: str = "heuristic:sims=20") -> GomocupSession:
    """Say what the manager says, and hold the brain to the answers: these, and none besides.

    DEBUG, which every manager passes over, may be said: on a busy machine a move can be a plain one.
    """
    talk = brain(player)
    moves: list[str] = []
    waiting: list[str] = []
    for line in transcript.strip().splitlines():
        who, _, text = line.partition(" ")
        if who == ">":
            assert waiting == [], line
            waiting = [answer for answer in talk.say(text.format(*moves)) if not answer.startswith("DEBUG ")]
            continue
        assert waiting, line
        answer = waiting.pop(0)
        assert re.fullmatch(text.replace("MOVE", MOVE.pattern), answer), (line, answer)
        if MOVE.fullmatch(answer):
            moves.append(answer)
    assert waiting == [] and not talk.goes_on
    assert isinstance(talk.session, GomocupSession)
    return talk.session


@pytest.mark.parametrize(
    "transcript",
    [PISKVORK, BY_TURNS, BY_BOARDS, YIXIN_BOARD, SWAP2],
    ids=["Piskvork", "c-gomoku-cli by turns", "c-gomoku-cli by boards", "Yixin-Board", "swap2"],
)
def test_a_manager_gets_the_answers_that_it_waits_for_and_no_others(transcript: str) -> None:
    lead(transcript, "heuristic:sims=100" if transcript is SWAP2 else "heuristic:sims=20")


def test_half_of_the_largest_whole_number_is_no_limit() -> None:
    assert lead(BY_TURNS).limits.left is None


def test_what_is_left_is_known_from_before_the_game_that_it_is_told_for() -> None:
    left = lead(YIXIN_BOARD).limits.left
    assert left is not None and 80_000_000 < left <= 90_000_000


# -- what was found out by reading how managers behave -------------------------------------------------------------------
def test_every_game_has_the_time_of_a_match() -> None:
    """A manager that tells timeout_match once, and nothing more."""
    talk = brain()
    limits = talk.session.limits  # type: ignore[attr-defined]
    talk.say("INFO timeout_match 60000", "START 9")
    assert limits.left == 60_000
    talk.say("TURN 4,4")
    limits.left = 200  # most of it is used up
    talk.say("RESTART")
    assert limits.left == 60_000
    talk.say("INFO time_left 900", "RESTART")
    assert limits.left == 900  # told for the game that begins


def test_a_limit_of_ages_is_no_error() -> None:
    talk = brain()
    for limit in ("999999999999999", "4611686018427387903", "9" * 30):
        answers = talk.say("START 9", f"INFO timeout_turn {limit}", f"INFO timeout_match {limit}", "TURN 4,4")
        assert answers[0] == "OK" and MOVE.fullmatch(answers[1]) and len(answers) == 2


def test_info_does_not_end_a_board_that_is_being_told() -> None:
    talk = brain()
    answers = talk.say("START 9", "BOARD", "4,4,2", "INFO time_left 50000", "INFO evaluate 1,1", "5,5,1", "3,3,2", "DONE")
    assert answers[0] == "OK" and MOVE.fullmatch(answers[1]) and len(answers) == 2
    assert len(talk.session.board.stones) == 4  # type: ignore[attr-defined]


def test_a_board_that_no_game_leads_to_gets_a_plain_move_and_a_word_about_it() -> None:
    talk = brain()
    _, move, remark = talk.say("START 9", "BOARD", "1,1,2", "2,2,2", "3,3,2", "DONE")
    assert MOVE.fullmatch(move) and remark == "DEBUG the rules know no move on this board: a plain move"
