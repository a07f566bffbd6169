"""When a game of an engine that knows it as a position (GTP, NBoard) is over, and what is reported of it."""

from boardzero.engines.game_reports import Reporter
from boardzero.games.position import Position


class PlayedGame:
    """The game that is being played, as far as it must be known for a report."""

    def __init__(self, report: Reporter) -> None:
        self._report = report
        self._own: set[int] = set()  # the sides that the engine has moved for
        self._advice: tuple[list[int], int] | None = None  # what it answered last, and the actions before that

    def moves_for(self, side: int) -> None:
        """The engine makes a move for this side."""
        self._own.add(side)

    def advises(self, position: Position, action: int) -> None:
        """The engine answers with a move, which the manager makes."""
        self._own.add(position.turn)
        self._advice = position.actions.copy(), action

    def ended(self, position: Position) -> None:
        """The game stands so, and is not gone on with; one that the engine has not moved in is not reported.

        If the engine's last answer was given here, it is taken to have been made: of a game's last move nobody need be told.
        """
        if not self._own:
            return
        played = position.copy()
        if self._advice is not None and self._advice[0] == played.actions and not played.over:
            played.play(self._advice[1])
        game, own = played.game, sorted(self._own)
        self._own, self._advice = set(), None
        self._report({"game": game.specification, "start": game.board_to_text(played.start), "moves": played.moves, "own": own})


def is_same_game(before: Position, after: Position) -> bool:
    """Has one been played on from the other, or moves been taken back, but not all of them?"""
    common = min(len(before.actions), len(after.actions))
    same_start = before.game.specification == after.game.specification and bool((before.start == after.start).all())
    return same_start and before.actions[:common] == after.actions[:common] and (common > 0 or not before.actions)
