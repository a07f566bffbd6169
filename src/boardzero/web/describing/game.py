"""A game as the page draws it and offers it: the board, the pieces, the players."""

from typing import Any, Literal, get_args, get_origin

from boardzero.games.catalogue import game_class
from boardzero.games.notation import COLUMN_NAMES, FILE_NAMES, cell_to_text
from boardzero.games.rules import Game
from boardzero.settings.specification import describe_field
from boardzero.web import limits
from boardzero.web.describing.looks import LOOKS, find_page_game, looks_of, side_colours, side_names
from boardzero.web.describing.models import (
    Catalogue,
    GameDescription,
    GameSummary,
    Limits,
    NetworkName,
    ParameterDescription,
    PieceDescription,
    Side,
    SizeDescription,
)
from boardzero.web.networks import Network, NetworkShelf, no_network
from boardzero.web.players import analyst_of, levels, offers, solver_of


def describe_catalogue(shelf: NetworkShelf, version: str, training: bool) -> Catalogue:
    return Catalogue(
        version=version,
        training=training,
        limits=Limits(
            simulations=limits.MOST_SIMULATIONS,
            rollouts=limits.MOST_ROLLOUTS,
            seconds=limits.MOST_SECONDS,
            depth=limits.MOST_DEPTH,
            analysis_seconds=limits.MOST_ANALYSIS_SECONDS,
            review_simulations=limits.MOST_REVIEW_SIMULATIONS,
            tree_simulations=limits.MOST_TREE_SIMULATIONS,
        ),
        games=[_summary(name, shelf) for name in LOOKS],
    )


def describe_game(game: Game, shelf: NetworkShelf) -> GameDescription:
    looks = looks_of(game)
    by_column = game.policy.parts[0].kind == "columns"
    shipped = shelf.shipped_for(game)
    input_kind: Literal["columns", "cells", "moves"] = (
        "columns" if by_column else "moves" if game.policy.parts[0].kind == "moves" else "cells"
    )
    solver: Any = solver_of(game)
    cells = range(game.rows * game.columns)
    return GameDescription(
        game=game.specification,
        name=game.name,
        title=_title(game),
        rows=game.rows,
        columns=game.columns,
        surface=looks.surface,
        input=input_kind,
        sides=_sides(game),
        pieces=_pieces(game),
        column_labels=list((COLUMN_NAMES if by_column else FILE_NAMES)[: game.columns]),
        row_labels=[] if by_column else _row_labels(game),
        cell_names=[cell_to_text(cell, game.rows, game.columns, game.rank_one_on_top) for cell in cells],
        notation=game.notation_hint,
        move_separator=game.move_separator,
        start=game.board_to_text(game.initial_state()),
        network=None if shipped is None else _name(shipped),
        network_remark=shipped.caution(game) if shipped else no_network(game),
        networks=[_name(network) for network in shelf.fitting(game)],
        players=offers(game, shelf),
        levels=levels(game, shelf),
        analyst=analyst_of(game, shelf),
        solver=solver,
    )


def _summary(name: str, shelf: NetworkShelf) -> GameSummary:
    game = find_page_game(name)
    shipped = shelf.shipped_for(game)
    kind = game_class(name)
    return GameSummary(
        name=name,
        title=_title(game),
        about=(kind.__doc__ or "").split("\n")[0],
        network=None if shipped is None else shipped.id,
        sizes=[SizeDescription(title=title, game=specification) for title, specification in LOOKS[name].sizes],
        parameters=[_parameter(key, field) for key, field in kind.Parameters.model_fields.items()],
    )


def _parameter(name: str, field: Any) -> ParameterDescription:
    described = describe_field(name, field)
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    return ParameterDescription(
        name=name,
        default=str(described["default"]),
        allowed=described["allowed"],
        meaning=described["meaning"],
        choices=list(map(str, choices)),
    )


def _title(game: Game) -> str:
    return game.title[:1].upper() + game.title[1:]


def _name(network: Network) -> NetworkName:
    return NetworkName(id=network.id, title=network.title, run=network.run, generation=network.generation)


def _sides(game: Game) -> tuple[Side, Side]:
    first, second = (
        Side(letter=letter, name=name, colour=colour)
        for letter, name, colour in zip(game.players, side_names(game), side_colours(game), strict=True)
    )
    return first, second


def _pieces(game: Game) -> list[PieceDescription]:
    """Numbers 1 and 2 are the two sides' pieces; 3 and 4, where there are such, the same but captured."""
    names, stone = side_names(game), looks_of(game).stone
    pieces = [PieceDescription(index=0, letter=game.pieces[0].letter, name="empty", side=None)]
    for index in range(1, len(game.pieces)):
        side, captured = (index - 1) % 2, index > 2
        name = f"{'captured ' if captured else ''}{names[side] if game.name == 'tictactoe' else names[side].lower()} {stone}"
        pieces.append(PieceDescription(index=index, letter=game.pieces[index].letter, name=name, side=side, captured=captured))
    return pieces


def _row_labels(game: Game) -> list[str]:
    return [str(row + 1 if game.rank_one_on_top else game.rows - row) for row in range(game.rows)]
