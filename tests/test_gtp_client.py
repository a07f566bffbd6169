"""Engines that speak GTP, led by boardzero; Debian's gtp-rhino where it is installed."""

import shutil

import pytest
from engine_helpers import Script, SessionTransport, ThinkingThread

from boardzero.arena.game import play_game
from boardzero.arena.match import Match, MatchSettings
from boardzero.engines.gtp import GtpSession
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.players.answers import Resigned
from boardzero.players.catalogue import find_player
from boardzero.players.engine import EnginePlayer
from boardzero.players.engine_gtp import GtpDialogue
from boardzero.players.engine_name import EngineParameters
from boardzero.players.engine_process import EngineFault, ProcessTransport
from boardzero.protocols.gtp import vertex_of

OTHELLO = find_game("othello")
RHINO = shutil.which("gtp-rhino") or shutil.which("/usr/games/gtp-rhino")
HELLO = ["> list_commands", "< = play", "< genmove", "< ", "> boardsize 8", "< =", "< ", "> clear_board", "< =", "< "]
CLEAR = ["> clear_board", "< =", "< "]


def led(dialogue: list[str]) -> EnginePlayer:
    return EnginePlayer(OTHELLO, EngineParameters(), protocol="gtp", transport=Script(dialogue))


# -- the client --------------------------------------------------------------------------------------------------------
def test_only_new_moves_are_told() -> None:
    position = Position(OTHELLO, "d3")
    player = led(
        [
            *HELLO,
            *CLEAR,
            "> play black D3",
            "< =",
            "< ",
            "> genmove white",
            "< = C3",
            "< ",
            "> play black C4",
            "< =",
            "< ",
            "> genmove white",
            "< = C5",
            "< ",
        ]
    )
    player.start_game(0)
    assert OTHELLO.action_to_text(player.choose(position)) == "c3"
    for move in ("c3", "c4"):
        position.play(move)
    assert OTHELLO.action_to_text(player.choose(position)) == "c5"


def test_a_pass_that_the_engine_does_not_know_is_no_fault() -> None:
    transport = Script(["> play black pass", "< ? syntax error", "< "])
    GtpDialogue(OTHELLO, transport, 1)._play(64, 0)
    assert not transport.dialogue


@pytest.mark.parametrize("answer", ["= Z99", "= hello", "? I will not"])
def test_nonsense_is_a_fault(answer: str) -> None:
    player = led([*HELLO, *CLEAR, "> genmove black", f"< {answer}", "< "])
    player.start_game(0)
    with pytest.raises(EngineFault):
        player.choose(Position(OTHELLO))


def test_resignation_is_understood() -> None:
    player = led([*HELLO, *CLEAR, "> genmove black", "< = resign", "< "])
    player.start_game(0)
    with pytest.raises(Resigned):
        player.choose(Position(OTHELLO))


def test_an_engine_that_cannot_play_the_size_is_refused() -> None:
    player = led([*HELLO[:5], "< ? unacceptable size", "< "])
    with pytest.raises(BadInput, match="does not play othello"):
        player.start_game(0)


RULES_ENGINE = ["> list_commands", "< = set_game", "< name", "< play", "< ", "> name"]


@pytest.mark.parametrize("hello", [["> list_commands", "< = play", "< "], [*RULES_ENGINE, "< = Rhino", "< "]])
def test_an_engine_that_cannot_be_told_the_rules_is_refused(hello: list[str]) -> None:
    player = EnginePlayer(find_game("gomoku:rule=standard"), EngineParameters(), protocol="gtp", transport=Script(hello))
    with pytest.raises(BadInput, match="GTP cannot tell an engine of rule=standard"):
        player.start_game(0)


@pytest.mark.parametrize(
    "game", ["othello:size=6", "gomoku:size=7", "tictactoe", "othello:size=4,first=white", "gomoku:size=7,rule=standard"]
)
def test_two_engines_play_a_whole_game_through_the_client(game: str) -> None:
    rules = find_game(game)
    other = find_game("gomoku:size=9,rule=standard")  # what it is started with does not matter
    transports = [SessionTransport(lambda answer: GtpSession(answer, ThinkingThread("random"), other)) for _ in range(2)]
    first, second = (EnginePlayer(rules, EngineParameters(), protocol="gtp", transport=one) for one in transports)
    record = play_game((first, second), Position(rules))
    assert record.reason == "rules", record.remark
    assert not any(line.startswith("< ?") for one in transports for line in one.transcript)


# -- Debian's gtp-rhino ------------------------------------------------------------------------------------------------
@pytest.mark.skipif(RHINO is None, reason="gtp-rhino is not installed (Debian: grhino)")
def test_gtp_rhino_plays_whole_games_as_an_opponent() -> None:
    players = (find_player(f"engine:gtp,patience=60:{RHINO} -l 1", OTHELLO), find_player("random", OTHELLO))
    try:
        result = Match(players, MatchSettings(games=6, seed=3)).play()
    finally:
        players[0].close()
    assert result.faults == [] and result.total.wins >= 5


@pytest.mark.skipif(RHINO is None, reason="gtp-rhino is not installed (Debian: grhino)")
def test_gtp_rhino_and_our_engine_keep_the_same_game_and_score() -> None:
    """Rhino follows, by its own rules, the game that it plays with our engine, and counts the same discs at the end.

    Where cells stay empty it gives them to the winner; then only the winner is compared.
    """
    rhino = EnginePlayer(OTHELLO, EngineParameters(patience=60), protocol="gtp", command=f"{RHINO} -l 1")
    ours = SessionTransport(lambda answer: GtpSession(answer, ThinkingThread("minimax:depth=1"), OTHELLO))
    engine_player = EnginePlayer(OTHELLO, EngineParameters(), protocol="gtp", transport=ours)
    position = Position(OTHELLO)
    record = play_game((engine_player, rhino), position)
    assert record.reason == "rules", record.remark
    transport = ProcessTransport(f"{RHINO} -l 1")
    for ply, action in enumerate(position.actions):
        if (vertex := vertex_of(action, OTHELLO)) != "pass":
            transport.send(f"play {'bw'[ply % 2]} {vertex}")
            assert transport.receive(60) == "=" and transport.receive(60) == ""
    transport.send("final_score")
    score = transport.receive(60)
    transport.close("quit")
    rhino.close()
    ours.talk.session.take("clear_board", 0)
    for ply, action in enumerate(position.actions):
        ours.talk.say(f"play {'bw'[ply % 2]} {vertex_of(action, OTHELLO)}")
    discs = sum(vertex_of(action, OTHELLO) != "pass" for action in position.actions) + 4
    compared = slice(None) if discs == 64 else slice(len("= B"))
    assert ours.talk.last("final_score").strip()[compared] == score.strip()[compared]
