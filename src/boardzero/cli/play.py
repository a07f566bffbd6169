"""`boardzero play`: a game in the terminal, between people, machines, or one of each."""

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from boardzero.cli.arena_options import INTERRUPTED, USUAL_PLAYER, GameName, tell_caution, usual_player
from boardzero.cli.log_option import LogDatabase, LogGames, game_log

if TYPE_CHECKING:
    from boardzero.events.games import GameRecord
    from boardzero.games.position import Position
    from boardzero.players.player import Player
    from boardzero.storage.log import GameLog


def play(
    game: GameName,
    first: Annotated[str, typer.Option(help="Who moves first: human, or a player like mcts:sims=1000.")] = "human",
    second: Annotated[str | None, typer.Option(help=f"Who moves second ({USUAL_PLAYER}, a second a move).")] = None,
    moves: Annotated[str, typer.Option(help="Begin after these moves.")] = "",
    board: Annotated[str | None, typer.Option(help="Begin from this board, like '.../.X./... O'.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Random starts and choices follow from it (drawn if not given).")
    ] = None,
    save: Annotated[str | None, typer.Option("--save", metavar="FILE", help="Append the game to a file at its end.")] = None,
    log: LogGames = False,
    database: LogDatabase = None,
) -> None:
    """Play a game in the terminal; at your turn type a move, or help."""
    from boardzero.arena.game import play_game, record_of
    from boardzero.arena.saved_games import SavedGames
    from boardzero.errors import BadInput
    from boardzero.games.catalogue import find_game
    from boardzero.games.position import Position
    from boardzero.players.catalogue import find_player

    rules = find_game(game)
    position = Position(rules, moves, board=board, seed=seed)
    if position.over:
        raise BadInput(f"The game is over there ({position.result_text}).")
    number = _drawn_seed() if seed is None else seed
    with ExitStack() as stack:
        players = (find_player(first, rules, number), find_player(second or usual_player(rules), rules, number))
        for player in players:
            stack.callback(player.close)
            tell_caution(player)
        names = [player.specification for player in players]
        saved = SavedGames(save) if save else None
        logged = stack.enter_context(game_log(log, database))
        _help_people(players, stack, number)
        watching = not any(player.needs_person for player in players)
        if watching:
            _draw(position)
        opening = len(position.actions)
        try:
            on_move = partial(_tell, players, watching)
            record = play_game(players, position, seed=number, on_move=on_move, is_first=True)
        except KeyboardInterrupt:
            print()
            record = record_of(position, names, opening)
            code = INTERRUPTED
        else:
            code = 0
        _tell_end(position, record, watching)
        if saved:
            saved.append(record)
            print(f"The game was saved to {saved.path}.")
        if logged:
            _log(logged, record, database is not None)
    if code:
        raise typer.Exit(code)


def _log(log: "GameLog", record: "GameRecord", elsewhere: bool) -> None:
    """elsewhere: in a database that was named, and that has to be named again to look into it."""
    import shlex

    from boardzero.storage.listeners import log_game

    where = f" --database {shlex.quote(log.database.name)}" if elsewhere else ""
    print(f"The game was logged; see it with: boardzero games-log show {log_game(log, record, 'play')[:8]}{where}")


def _drawn_seed() -> int:
    import secrets

    return secrets.randbits(31)


def _help_people(players: "tuple[Player, Player]", stack: ExitStack, seed: int) -> None:
    """Give the people among the players someone to ask for a hint, and a way to save the game."""
    from boardzero.arena.game import record_of
    from boardzero.arena.saved_games import SavedGames
    from boardzero.players.catalogue import find_player
    from boardzero.players.human import HumanPlayer

    names = [player.specification for player in players]

    def save(position: "Position", path: str) -> str:
        SavedGames(path).append(record_of(position, names))
        return f"The game so far was saved to {path}; to go on with it later: {_to_go_on(position)}"

    for player in players:
        if isinstance(player, HumanPlayer):
            player.save = save
            player.adviser = find_player(usual_player(player.game), player.game, seed)
            stack.callback(player.adviser.close)


def _to_go_on(position: "Position") -> str:
    """The command that begins where this game is now."""
    import shlex

    game = position.game
    usual_start = bool((position.start == game.initial_state()).all())
    board = [] if usual_start else ["--board", game.board_to_text(position.start)]
    moves = ["--moves", position.moves] if position.actions else []
    return shlex.join(["boardzero", "play", game.specification, *board, *moves])


def _draw(position: "Position") -> None:
    from rich.console import Console

    from boardzero.games.drawing import draw

    Console().print(draw(position), crop=False, overflow="ignore", no_wrap=True)


def _tell(players: "tuple[Player, Player]", watching: bool, position: "Position", _: float) -> None:
    """After a move: what a machine played; the board where only machines play (a person sees it at each turn)."""
    mover = 1 - position.turn
    game = position.game
    if not players[mover].needs_person:
        move = game.action_to_text(position.actions[-1])
        print(f"{game.players[mover]} ({players[mover].specification}) plays {move}", flush=True)
    if watching:
        _draw(position)


def _tell_end(position: "Position", record: "GameRecord", watching: bool) -> None:
    if position.over and not watching:
        _draw(position)
    winner = None if record.winner is None else f"{position.game.players[record.winner]} ({record.players[record.winner]}) won"
    match record.reason:
        case "rules":
            print(f"{winner}." if winner else "The game is drawn.")
        case "stopped":
            print(f"The game stays unfinished after {record.plies} moves{f': {record.moves}' if record.moves else ''}.")
        case "resignation":
            print(f"{winner}: the other side resigned.")
        case _:
            print(f"{winner}: {record.remark}.")
