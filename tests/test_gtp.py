"""boardzero as an engine that speaks GTP."""

import random
import re
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from engine_helpers import Talk, ThinkingThread
from hypothesis import given, settings
from hypothesis import strategies as st

from boardzero.engines.gtp import GAMES, GtpSession
from boardzero.engines.gtp_clock import GtpClock, TimeSettings
from boardzero.engines.mind import position_of
from boardzero.engines.position_thinking import told
from boardzero.engines.timing import time_for_move
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.protocols.gtp import action_of, parse_command, vertex_of

OTHELLO, GOMOKU = find_game("othello"), find_game("gomoku:size=13")


def engine(game: str = "othello", player: str = "random") -> Talk:
    return Talk(lambda answer: GtpSession(answer, ThinkingThread(player), find_game(game), seconds=0.2))


# -- vertices and commands ---------------------------------------------------------------------------------------------
def test_vertices_count_from_the_bottom_without_i_and_othellos_from_the_top() -> None:
    assert vertex_of(0, GOMOKU) == "A13" and vertex_of(8, GOMOKU) == "J13" and vertex_of(12 * 13, GOMOKU) == "A1"
    assert vertex_of(0, OTHELLO) == "A1" and vertex_of(64, OTHELLO) == "pass"
    assert vertex_of(3, find_game("connect4")) == "4"
    with pytest.raises(BadInput):
        action_of("I5", GOMOKU)
    with pytest.raises(BadInput):
        action_of("J9", OTHELLO)


@settings(deadline=None)
@given(st.integers(0, 168))
def test_vertices_are_read_as_they_are_written(action: int) -> None:
    assert action_of(vertex_of(action, GOMOKU), GOMOKU) == action
    assert action_of(vertex_of(action, GOMOKU).lower(), GOMOKU) == action


def test_identities_are_repeated_and_comments_passed_over() -> None:
    talk = engine()
    assert talk.say("12 name") == ["=12 boardzero\n"]
    assert talk.say("# nothing", "", "   ") == []
    assert talk.say("  protocol_version  # two") == ["= 2\n"]
    assert talk.say("7 nonsense") == ["?7 unknown command\n"]
    assert parse_command("3") is not None and talk.say("3") == ["?3 unknown command\n"]


def test_known_commands_are_those_that_are_listed() -> None:
    talk = engine()
    names = talk.last("list_commands").removeprefix("= ").split()
    assert {"play", "genmove", "boardsize", "clear_board", "showboard", "final_score", "set_game", "undo"} <= set(names)
    assert all(talk.last(f"known_command {name}") == "= true\n" for name in names)
    assert talk.last("known_command fly") == "= false\n"


# -- the engine --------------------------------------------------------------------------------------------------------
def test_games_and_sizes_are_chosen_as_gtp_rhino_has_it() -> None:
    talk = engine()
    assert "Othello" in talk.last("list_games").split("\n")[2]
    assert talk.last("set_game Othello") == "=\n"
    assert talk.last("set_game Chess") == "? unsupported game\n"
    assert talk.last("boardsize 7") == "? unacceptable size\n"
    assert talk.last("boardsize 6") == "=\n"
    assert talk.last("set_game Gomoku") == "=\n"
    assert talk.last("boardsize 19") == "=\n"
    assert talk.last("play black K10") == "=\n"


def test_a_whole_specification_is_a_game_and_a_title_leaves_the_rules_as_they_are() -> None:
    talk = engine("gomoku:rule=standard")
    session = talk.session
    assert isinstance(session, GtpSession)
    assert talk.last("set_game Gomoku") == "=\n" and session.position.game.specification == "gomoku:rule=standard"
    assert talk.last("set_game gomoku") == "=\n" and session.position.game.specification == "gomoku"
    assert talk.last("set_game othello:size=6,first=white") == "=\n" and session.position.game.rows == 6
    assert talk.last("play white d2") == "=\n"
    for refused in ("gomoku:size=1000", "latrunculi", "openspiel:chess", "/tmp/game.py"):
        assert talk.last(f"set_game {refused}") == "? unsupported game\n"


def test_moves_are_played_generated_and_undone() -> None:
    talk = engine()
    assert talk.last("play black D3") == "=\n"
    assert talk.last("play white D3") == "? illegal move\n"
    assert talk.last("play black C3").startswith("? illegal move")
    assert talk.last("play green C3") == "? syntax error\n"
    assert talk.last("reg_genmove w") in ("= C3\n", "= E3\n", "= C5\n")
    assert re.fullmatch(r"= (C3|E3|C5)\n", talk.last("genmove w"))
    assert talk.say("undo", "undo", "undo") == ["=\n", "=\n", "? cannot undo\n"]
    assert talk.last("final_score") == "? cannot score\n"


def test_the_board_is_shown_in_columns() -> None:
    first, *rows, _, _ = engine().last("showboard").split("\n")
    assert first == "=" and len(rows) == 9
    assert len({row.index(cell) for row, cell in zip(rows, [*"........", "a"], strict=True)}) == 1


def forced_pass() -> Position:
    """A game of Othello until a side must pass."""
    moves = Position(OTHELLO)
    draw = random.Random(4)
    while OTHELLO.action_count - 1 not in moves.legal_actions():
        if moves.over:
            moves = Position(OTHELLO)
        moves.play(draw.choice(moves.legal_actions()))
    return moves


def test_passes_that_a_manager_leaves_out_are_made() -> None:
    moves = forced_pass()
    for is_told in (True, False):
        talk = engine()
        for ply, action in enumerate(moves.actions):
            assert talk.last(f"play {'bw'[ply % 2]} {vertex_of(action, OTHELLO)}") == "=\n"
        colour, other = "bw"[moves.turn], "bw"[1 - moves.turn]
        if is_told:
            assert talk.last(f"play {colour} pass") == "=\n"
        assert re.fullmatch(r"= [A-H][1-8]\n", talk.last(f"genmove {other}"))


def test_a_pass_that_nobody_told_is_undone_with_the_move_behind_it() -> None:
    moves = forced_pass()
    talk = engine()
    for ply, action in enumerate(moves.actions):
        talk.say(f"play {'bw'[ply % 2]} {vertex_of(action, OTHELLO)}")
    position = talk.session.position  # type: ignore[attr-defined]
    other = "bw"[1 - moves.turn]
    assert re.fullmatch(r"= [A-H][1-8]\n", talk.last(f"reg_genmove {other}"))
    assert talk.session.position.actions == moves.actions  # type: ignore[attr-defined]
    assert talk.last(f"play {other} A9").startswith("?") and position.actions == moves.actions
    assert talk.last(f"genmove {other}").startswith("= ")
    assert len(talk.session.position.actions) == len(moves.actions) + 2  # type: ignore[attr-defined]
    assert talk.last("undo") == "=\n"
    assert talk.session.position.actions == moves.actions  # type: ignore[attr-defined]
    told_pass = talk.say(f"play {'bw'[moves.turn]} pass", f"genmove {other}", "undo")
    assert told_pass[0] == "=\n" and told_pass[2] == "=\n"
    assert len(talk.session.position.actions) == len(moves.actions) + 1  # type: ignore[attr-defined]


def test_a_whole_game_is_scored_in_discs() -> None:
    talk = engine()
    for ply in range(200):
        if talk.session.position.over:  # type: ignore[attr-defined]
            break
        assert talk.last(f"genmove {'bw'[ply % 2]}").startswith("=")
    score = talk.last("final_score")
    assert re.fullmatch(r"= ([BW]\+\d+|0)\n", score)
    assert talk.last("genmove b") == "= pass\n"
    position = talk.session.position  # type: ignore[attr-defined]
    assert position.winner == {"B": 0, "W": 1}.get(score[2])


def clock(main: float, period: float, stones: int) -> GtpClock:
    return GtpClock(TimeSettings(main, period, stones, is_set=True))


def test_time_settings_limit_a_move() -> None:
    assert GtpClock().limits() == (None, None)
    assert clock(0, 5, 1).limits() == (5, None)
    assert clock(60, 0, 0).limits() == (None, 60)
    assert clock(0, 30, 10).limits() == (3, None)
    assert clock(0, 5, 0).limits() == (None, None)  # GTP: this means no limit
    talk = engine()
    assert talk.last("time_settings 0 1 1") == "=\n" and talk.last("time_left b 0.5 1") == "=\n"
    assert talk.last("time_settings a b c") == "? syntax error\n"
    assert talk.last("genmove b").startswith("= ")


def test_main_time_is_used_up_and_periods_follow() -> None:
    played = clock(10, 30, 3)
    played.spend(8)
    assert played.limits() == (10, None)  # with 2 s of main time a period's share is more
    played.spend(5)  # 2 s of main time, 3 s of the period
    assert played.limits() == (27 / 2, None)
    played.spend(20)
    assert played.limits() == (7, None)
    played.spend(6)
    assert played.limits() == (10, None)  # a new period
    played.put(4, 2)
    assert played.limits() == (2, None)
    played.put(40, 0)
    assert played.limits() == (None, 40)
    for unlimited in (GtpClock(), clock(0, 5, 0)):
        unlimited.put(7, 0)
        assert unlimited.limits() == (None, 7)
    told = GtpClock()
    told.put(6, 3)
    for left in (2, 2.5, 4, 2):  # 1 s each: the last two stones have 5 s, then 4 s; then the same period again
        assert told.limits() == (left, None)
        told.spend(1)
    absolute = clock(10, 0, 0)
    absolute.spend(11)
    assert absolute.limits() == (0, None)


@pytest.mark.parametrize("stalls", [False, True])
def test_a_whole_game_fits_into_its_main_time(monkeypatch: pytest.MonkeyPatch, stalls: bool) -> None:
    """60 s for a game of Othello; a machine that stalls lets every fifth answer come as late as it may."""
    now, spent = [1000.0], {"b": 0.0, "w": 0.0}
    monkeypatch.setattr("boardzero.engines.gtp.time", SimpleNamespace(perf_counter=lambda: now[0]))
    talk = engine()
    session = talk.session
    assert isinstance(session, GtpSession)

    def choose(position: Position, soft: float, hard: float) -> int:
        is_late = stalls and len(position.actions) % 5 == 0
        now[0] = hard if is_late else soft
        return position.legal_actions()[0]

    monkeypatch.setattr(session._thinker, "choose", choose)
    for game in range(2):
        session.take("clear_board" if game else "time_settings 60 0 0", now[0])
        begun = dict(spent)
        while not session.position.over:
            colour = "bw"[session.position.turn]
            before = now[0]
            session.take(f"genmove {colour}", before)
            spent[colour] += now[0] - before
        assert all(30 < spent[colour] - begun[colour] < 60 for colour in "bw"), (spent, begun)


def test_a_stall_costs_no_more_than_a_few_moves() -> None:
    times = time_for_move(None, 60, 30, usual=5)
    assert times.soft == pytest.approx(4) and times.hard == pytest.approx(12)
    assert time_for_move(30, 60, 30, usual=5).hard == pytest.approx(12)
    assert time_for_move(30, None, 30, usual=5).hard > 28


@pytest.mark.parametrize("first_thought", [None, "F5"])
def test_a_late_players_first_thought_or_a_plain_move_is_played_in_time(first_thought: str | None) -> None:
    process, is_over = ThinkingThread("random"), threading.Event()
    talk = Talk(lambda answer: GtpSession(answer, process, OTHELLO))
    process.ask(None, "tree")  # the player is ready

    def choose(*arguments: object) -> None:
        if first_thought is not None:
            process.mind.tell(action_of(first_thought, OTHELLO))
        is_over.wait(60)

    process.mind.choose = choose  # type: ignore[method-assign, assignment]
    begun = time.perf_counter()
    move = talk.last(f"time_left b {2 if first_thought else 0.4} 1", "genmove b")
    assert time.perf_counter() - begun < 30
    is_over.set()
    assert move == f"= {first_thought}\n" if first_thought else re.fullmatch(r"= (D3|C4|F5|E6)\n", move)


def test_a_player_that_is_still_being_compiled_is_not_waited_for_where_no_clock_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardzero.engines.position_thinking.LOADING_SECONDS", 0.3)
    process, is_over = ThinkingThread("random"), threading.Event()
    process.mind.get_ready = lambda *_: is_over.wait(60)  # type: ignore[method-assign, assignment]
    talk = Talk(lambda answer: GtpSession(answer, process, OTHELLO, seconds=0.1))
    begun = time.perf_counter()
    assert re.fullmatch(r"= (D3|C4|F5|E6)\n", talk.last("genmove b"))
    assert time.perf_counter() - begun < 30
    is_over.set()


def test_late_answers_leave_more_room_for_the_next_but_only_where_a_clock_runs() -> None:
    talk = engine(player="mcts:sims=5")
    session = talk.session
    assert isinstance(session, GtpSession)
    talk.say("genmove b")
    assert session._lateness.seconds == 0.0
    session._lateness.saw(planned=10.0, answered=10.25)
    talk.say("time_settings 0 1 1")
    session._moment = time.perf_counter() + 60  # however long this test may be kept waiting
    assert session._times(1).soft - session._moment == pytest.approx(0.5)


def test_a_player_that_cannot_think_about_the_game_is_told() -> None:
    assert engine(player="heuristic").last("genmove b").startswith("? The line heuristic cannot judge othello")


@pytest.mark.parametrize("game", [*GAMES, "othello:first=white", "gomoku:rule=standard,size=7"])
def test_positions_are_told_to_the_process_that_thinks_as_they_are(game: str) -> None:
    position, draw = Position(find_game(game)), random.Random(1)
    for _ in range(4):
        heard = position_of(told(position))
        assert heard is not None and heard.actions == position.actions and heard.board == position.board
        position.play(draw.choice(position.legal_actions()))
    set_up = Position(find_game(game), board=position.board)
    heard = position_of(told(set_up))
    assert heard is not None and heard.actions == [] and np.array_equal(heard.state, set_up.state)


def test_quit_is_answered_and_ends() -> None:
    talk = engine()
    assert talk.say("quit", "name") == ["=\n"]


def fuzz(lines: int, seed: int) -> None:
    draw = random.Random(seed)
    words = [
        *engine().last("list_commands")[2:].split(),
        "b",
        "white",
        "D3",
        "c5",
        "pass",
        "8",
        "99",
        "-1",
        "x",
        "1e400",
        "nan",
        "é",
    ]
    talk = engine()
    for _ in range(lines):
        line = " ".join(draw.choice(words) for _ in range(draw.randrange(5)))
        if draw.random() < 0.2:
            line = "".join(chr(draw.randrange(1, 500)) for _ in range(draw.randrange(30)))
        answers = talk.say(line)
        assert len(answers) == (parse_command(line) is not None), (line, answers)
        assert all(re.fullmatch(r"[=?]\d*([ \n][^\n]+(\n[^\n]+)*)?\n", answer) for answer in answers), (line, answers)
        if not talk.goes_on:
            talk.session.close()
            talk = engine()


def test_malformed_lines_get_one_answer_each() -> None:
    fuzz(1000, seed=1)


@pytest.mark.slow
def test_many_malformed_lines_get_one_answer_each() -> None:
    fuzz(30_000, seed=2)
