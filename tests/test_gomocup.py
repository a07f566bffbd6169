"""boardzero as a brain of Gomocup: every command and whole games."""

import io
import re
import threading
import time

import pytest
from engine_helpers import FAR_TOO_LONG, MOVE, SessionTransport, Talk, ThinkingThread, brain, gomocup_session

from boardzero.arena.game import play_game
from boardzero.engines.brains import new_brain, with_memory
from boardzero.engines.conversation import converse
from boardzero.engines.game_reports import GameReport
from boardzero.engines.gomocup import GomocupSession
from boardzero.engines.mind import PlayerMind
from boardzero.engines.told_position import ToldPosition
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.players.alphazero import AlphaZeroPlayer
from boardzero.players.engine import EnginePlayer
from boardzero.players.engine_name import EngineParameters
from boardzero.players.forest_player import ForestPlayer
from boardzero.players.parameters import AlphaZeroParameters
from boardzero.protocols.gomocup import Point, parse_point
from boardzero.search.line_heuristic import LineHeuristic


def point(text: str) -> Point:
    found = parse_point(text)
    assert found is not None, text
    return found


# -- commands ----------------------------------------------------------------------------------------------------------
def test_boards_from_5_to_20_are_started() -> None:
    talk = brain()
    assert [talk.last(f"START {size}") for size in (5, 13, 20)] == ["OK"] * 3
    for size in ("4", "21", "x", "", "-1"):
        assert talk.last(f"START {size}").startswith("ERROR")
    assert talk.last("RECTSTART 7,7") == "OK"
    assert talk.last("RECTSTART 7,8").startswith("ERROR")


def test_about_names_the_program() -> None:
    assert re.fullmatch(r'name="boardzero", version="[^"]+", author="[^"]+", country="[^"]+"', brain().last("ABOUT"))


def test_unknown_commands_are_answered_so() -> None:
    assert brain().last("YXSHOWINFO") == "UNKNOWN YXSHOWINFO"


def test_moves_need_a_started_game_and_a_free_cell() -> None:
    talk = brain()
    assert talk.last("TURN 1,1").startswith("ERROR")
    assert talk.last("BEGIN").startswith("ERROR")
    talk.say("START 9")
    assert talk.last("TURN 9,0").startswith("ERROR")
    assert talk.last("TURN one").startswith("ERROR")
    answer = talk.last("TURN 4,4")
    assert MOVE.fullmatch(answer) and answer != "4,4"
    assert talk.last("TURN 4,4").startswith("ERROR")
    assert talk.last(f"TURN {answer}").startswith("ERROR")


def test_begin_is_answered_with_the_middle_at_once() -> None:
    talk = Talk(lambda answer: gomocup_session(answer, "nobody"))  # needs no player
    talk.say("START 15")
    assert talk.last("BEGIN") == "7,7"


def test_four_in_a_row_is_completed_and_blocked() -> None:
    talk = brain("heuristic:sims=200")
    talk.say("START 15")
    own = [f"{x},7,1" for x in range(3, 7)] + [f"{x},9,2" for x in range(3, 7)]
    assert talk.last("BOARD", *own, "DONE") in ("2,7", "7,7")
    talk.say("RESTART")
    stones = ["3,7,2", "0,0,1", "4,7,2", "0,2,1", "5,7,2", "2,7,1", "6,7,2"]
    assert talk.last("BOARD", *stones, "DONE") == "7,7"


def test_the_exact_five_bit_makes_six_worthless() -> None:
    talk = brain("heuristic:sims=100")
    talk.say("START 15", "INFO rule 1")
    row = ["3,7,1", "4,7,1", "5,7,1", "7,7,1", "8,7,1"]  # 6,7 would make six
    assert talk.last("BOARD", *row, "3,9,2", "0,0,2", "14,0,2", "14,14,2", "0,14,2", "DONE") != "6,7"
    talk.say("INFO rule 0", "RESTART")
    assert talk.last("BOARD", *row, "3,9,2", "0,0,2", "14,0,2", "14,14,2", "0,14,2", "DONE") == "6,7"


def test_takeback_removes_a_stone() -> None:
    talk = brain()
    talk.say("START 9")
    answer = talk.last("TURN 4,4")
    assert talk.last(f"TAKEBACK {answer}") == "OK"
    assert talk.last("TAKEBACK 4,4") == "OK"
    assert talk.last("TAKEBACK 4,4").startswith("ERROR")
    assert MOVE.fullmatch(talk.last("TURN 4,4"))


def test_a_bad_board_is_refused_as_a_whole_and_the_old_one_stays() -> None:
    talk = brain()
    talk.say("START 9")
    for bad in ("9,9,1", "1,1", "1,1,4", "hello"):
        assert talk.last("BOARD", "2,2,2", bad, "DONE").startswith("ERROR")
    assert talk.last("BOARD", "2,2,2", "2,2,1", "DONE").startswith("ERROR")
    assert MOVE.fullmatch(talk.last("TURN 2,2"))


def test_a_command_ends_a_board_that_was_never_done() -> None:
    talk = brain()
    assert talk.last("START 9", "BOARD", "1,1,2", "START 10") == "OK"
    assert MOVE.fullmatch(talk.last("TURN 1,1"))


def test_odd_boards_still_get_a_move() -> None:
    talk = brain()
    talk.say("START 9")
    assert MOVE.fullmatch(talk.last("BOARD", "1,1,2", "2,2,2", "3,3,2", "DONE"))
    five = [f"{x},0,2" for x in range(5)] + [f"{x},2,1" for x in range(4)]
    assert MOVE.fullmatch(talk.last("BOARD", *five, "DONE"))  # the manager decides when a game is over


def test_a_full_board_is_an_error() -> None:
    talk = brain()
    talk.say("START 5")
    stones = [f"{x},{y},{1 + (x + 2 * y) // 2 % 2}" for y in range(5) for x in range(5)]
    assert talk.last("BOARD", *stones, "DONE") == "ERROR no cell is free"


def test_swap2_puts_three_stones_and_takes_the_better_colour() -> None:
    talk = brain("heuristic:sims=100")
    talk.say("START 15")
    opening = talk.last("SWAP2BOARD", "DONE").split()
    assert len({point(word) for word in opening}) == 3
    assert talk.last("SWAP2BOARD", "7,7", "0,14", "8,8", "DONE") == "SWAP"  # white is far away
    answer = talk.last("SWAP2BOARD", "0,0", "7,7", "14,14", "DONE")
    assert MOVE.fullmatch(answer)  # black has nothing
    assert talk.last("SWAP2BOARD", "0,0", "DONE").startswith("ERROR")


def test_info_is_never_answered() -> None:
    talk = brain()
    for line in (
        "INFO timeout_turn 100",
        "INFO timeout_match 0",
        "INFO time_left 2147483647",
        "INFO game_type 1",
        "INFO folder C:\\brains",
        "INFO flying_pigs 7",
        "INFO timeout_turn soon",
        "INFO",
        "INFO evaluate 3,3",
        "INFO rule 0",
        "INFO rule 1",
        "INFO rule 4",
        "",
    ):
        assert talk.say(line) == []
    assert talk.session.limits.left is None  # type: ignore[attr-defined]


def test_rules_that_are_not_known_are_told_once_before_the_next_answer() -> None:
    talk = brain()
    remark, answer = talk.say("INFO rule 4", "INFO rule 5", "START 9")
    assert remark.startswith("MESSAGE only free-style and standard rules") and answer == "OK"
    assert talk.say("RESTART") == ["OK"]
    assert talk.say("INFO rule 8", "INFO rule 0", "RESTART") == ["OK"]


def test_evaluations_are_not_answered_after_a_move_either() -> None:
    talk = brain("heuristic:sims=20")
    talk.say("START 9")
    assert talk.say(f"INFO evaluate {talk.last('TURN 4,4')}") == []


def test_what_info_changes_after_start_is_made_ready_without_waiting() -> None:
    process = ThinkingThread("heuristic:sims=20")
    asked: list[tuple[object, ...]] = []
    process.mind.get_ready = lambda *task: asked.append(task)  # type: ignore[method-assign]
    talk = Talk(lambda answer: GomocupSession(answer, process))
    talk.say("INFO max_memory 0", "START 9", "INFO rule 1", "INFO rule 1", "INFO max_memory 900000000", "INFO time_left 1000")
    process.ask(None, "get_ready")  # all before it are done
    games = [task[0].game for task in asked if task]  # type: ignore[attr-defined]
    free, standard = "gomoku:size=9,rule=freestyle", "gomoku:size=9,rule=standard"
    assert games == [free, standard, standard]
    assert [bool(task[1]) for task in asked if task] == [False, False, True]


def test_a_player_keeps_what_it_has_loaded_where_only_the_memory_changes() -> None:
    mind = PlayerMind("heuristic")
    mind.get_ready(ToldPosition("gomoku:size=9", (40,)), 0)
    before = mind._player
    assert isinstance(before, ForestPlayer) and before.parameters.memory == 1024
    mind.get_ready(ToldPosition("gomoku:size=9", (40,)), 1)
    after = mind._player
    assert isinstance(after, ForestPlayer) and after.parameters.memory == 4 and after.parameters.seconds == 86_400

    game = find_game("gomoku:size=9")
    player = AlphaZeroPlayer(game, AlphaZeroParameters(network="x", seconds=5, memory=50), 0, LineHeuristic(game))
    smaller = with_memory(player, "alphazero:network=x", 1)
    assert isinstance(smaller, AlphaZeroPlayer) and smaller.evaluate is player.evaluate
    assert smaller.parameters == player.parameters.model_copy(update={"memory": 4})
    assert with_memory(smaller, "alphazero:network=x,memory=4", 0) is smaller  # it was said
    random_player = new_brain("random", game)
    assert with_memory(random_player, "random", 1) is random_player


def test_end_ends() -> None:
    talk = brain()
    talk.say("START 9", "END", "START 9")
    assert talk.answers == ["OK"] and not talk.goes_on


def test_nothing_is_sent_once_the_manager_has_said_end() -> None:
    reports: list[GameReport] = []
    answers: list[str] = []
    session = GomocupSession(answers.append, ThinkingThread("heuristic"), 60, reports.append)
    for line in ("START 9", "TURN 4,4"):
        session.overhear(line)
    session.take("START 9", time.perf_counter())
    session.overhear("END")
    for line in ("TURN 4,4", "TURN 0", "NONSENSE", "SWAP2BOARD", "DONE"):
        assert session.take(line, time.perf_counter())
    assert not session.take("END", time.perf_counter())
    session.close()
    assert answers == ["OK"] and reports == []  # a move that was not sent has not been made


@pytest.mark.parametrize("moment", ["before", "after"])
def test_end_is_not_lost_when_it_comes_just_as_a_search_begins(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    process, answers = ThinkingThread("heuristic"), list[str]()
    session = GomocupSession(answers.append, process, seconds=600)
    session.take("START 9", time.perf_counter())
    begin = process.begin

    def begin_beside(task: str, *arguments: object) -> None:
        """The other thread hears END just before, or just after, the task is sent."""
        if moment == "before":
            session.overhear("END")
        begin(task, *arguments)
        if moment == "after":
            session.overhear("END")

    monkeypatch.setattr(process, "begin", begin_beside)
    begun = time.perf_counter()
    session.take("TURN 4,4", begun)
    assert time.perf_counter() - begun < FAR_TOO_LONG and answers == ["OK"]
    session.close()


def test_an_interrupt_that_comes_between_two_searches_is_not_lost() -> None:
    """A player forgets at the beginning of a search what it was told before."""
    process, told_to_end, has_begun = ThinkingThread("random"), threading.Event(), threading.Event()

    def search_twice() -> bool:
        has_begun.set()
        told_to_end.wait(FAR_TOO_LONG)
        told_to_end.clear()
        return told_to_end.wait(FAR_TOO_LONG)

    def interrupt_it() -> None:
        has_begun.wait(FAR_TOO_LONG)
        process.interrupt()

    process.mind.interrupt = told_to_end.set  # type: ignore[method-assign]
    process.mind.search_twice = search_twice  # type: ignore[attr-defined]
    threading.Thread(target=interrupt_it, daemon=True).start()
    assert process.ask(None, "search_twice") is True
    process.close()


def test_a_task_that_was_interrupted_before_it_began_ends_at_once() -> None:
    process = ThinkingThread("heuristic")
    position = ToldPosition("gomoku:size=9", (40,))
    process.ask(None, "get_ready", position, 0)
    process._number += 1
    process.interrupt()  # for the task that is just being sent
    process._number -= 1
    begun = time.perf_counter()
    assert process.ask(None, "choose", position, 0, begun + 600) is not None
    assert time.perf_counter() - begun < FAR_TOO_LONG
    process.close()


def test_closed_input_ends_a_search_with_its_best_move() -> None:
    answers: list[str] = []
    session = gomocup_session(answers.append, "heuristic", seconds=600)
    begun = time.perf_counter()
    converse(session, io.BytesIO(b"START 9\r\nTURN 4,4\r\n"))
    assert answers[0] == "OK" and MOVE.fullmatch(answers[-1])
    assert time.perf_counter() - begun < FAR_TOO_LONG


# -- whole games -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("size", "rule"), [(9, "freestyle"), (8, "standard")])
def test_two_brains_play_whole_games_through_the_client(size: int, rule: str) -> None:
    game = find_game(f"gomoku:size={size},rule={rule}")
    transports = [SessionTransport(lambda answer: gomocup_session(answer, "heuristic:sims=30")) for _ in range(2)]
    first, second = (EnginePlayer(game, EngineParameters(), protocol="gomocup", transport=one) for one in transports)
    record = play_game((first, second), Position(game))
    assert record.reason == "rules", record.remark
    transcript = transports[0].transcript
    assert transcript[0] == f"> START {size}" and transcript[1] == "< OK"
    assert f"> INFO rule {int(rule == 'standard')}" in transcript
    assert "> BEGIN" in transcript and any(line.startswith("> TURN") for line in transcript)
    assert not any("ERROR" in line for one in transports for line in one.transcript)


def test_a_tournament_manager_leads_a_brain_through_two_games_in_its_own_order() -> None:
    """START, OK, all INFO at once, then time_left before each move; an opening by BOARD; a move taken back; RESTART."""
    talk = brain("heuristic:sims=20")
    assert talk.say("START 13") == ["OK"]
    told = ("timeout_turn 30000", "timeout_match 180000", "max_memory 350000000", "game_type 1", "rule 1", "folder /tmp")
    assert talk.say(*(f"INFO {line}" for line in told)) == []
    session = talk.session
    assert isinstance(session, GomocupSession) and (session.limits.turn, session.limits.memory) == (30_000, 350_000_000)
    opening = ("BOARD", "6,6,2", "7,7,1", "6,7,2", "DONE")
    for game in range(2):
        moves = [talk.last("INFO time_left 180000", *opening)]
        for turn in range(3):
            left = 170_000 - 10_000 * turn
            assert talk.say(f"INFO time_left {left}") == [] and session.limits.left == left
            free = next(f"{x},0" for x in range(13) if f"{x},0" not in moves and point(f"{x},0") not in session._game().stones)
            moves.append(talk.last(f"TURN {free}"))
        assert all(MOVE.fullmatch(move) for move in moves) and len(set(moves)) == 4
        assert talk.say(f"TAKEBACK {moves[-1]}", f"TAKEBACK {free}") == ["OK", "OK"]
        again = talk.last("INFO time_left 100000", f"TURN {free}")
        assert MOVE.fullmatch(again) and len(session._game().stones) == 3 + 1 + 6
        assert talk.last("RESTART") == "OK", game
    assert talk.say("END") == []


def test_games_from_an_opening_are_told_as_a_board() -> None:
    game = find_game("gomoku:size=9")
    transport = SessionTransport(lambda answer: gomocup_session(answer, "heuristic:sims=30"))
    player = EnginePlayer(game, EngineParameters(), transport=transport)
    position = Position(game, "e5 d4 f6")
    action = player.choose(position)
    assert action in position.legal_actions()
    assert [line for line in transport.transcript if line.startswith(">") and "INFO" not in line and "START" not in line] == [
        "> BOARD",
        "> 4,4,2",
        "> 3,5,1",
        "> 5,3,2",
        "> DONE",
    ]


def test_the_tree_is_kept_between_moves() -> None:
    mind = PlayerMind("heuristic:sims=300")
    far = time.perf_counter() + 3600
    played = [40]
    reply = mind.choose(ToldPosition("gomoku:size=9", tuple(played)), 0, far)
    player = mind._player
    assert reply is not None and isinstance(player, ForestPlayer) and len(player._actions) == 1
    played += player.forest.line(0, reply, 2)  # the reply, and what is expected next
    before = player.forest.counts().simulations
    mind.choose(ToldPosition("gomoku:size=9", tuple(played)), 0, far)
    assert player is mind._player and len(player._actions) == 3
    done = player.forest.counts().simulations - before
    assert sum(edge.visits for edge in player.forest.root_edges(0)) > done
