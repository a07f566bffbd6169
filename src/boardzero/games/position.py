"""A game in progress: the simple, checked front over the compiled rules."""

from __future__ import annotations

from boardzero.errors import BadInput
from boardzero.games.rules import Game, Outcome, State


class Position:
    """A game, the moves played so far, and where they led. Moves that the rules do not allow are refused (BadInput)."""

    def __init__(self, game: Game, moves: str = "", *, board: str | None = None, seed: int | None = None) -> None:
        """Start from the game's own start (drawn from the seed, where starts vary) or from a board, then play the moves."""
        self.game = game
        self.actions: list[int] = []
        self._states: list[State] = [game.initial_state(seed) if board is None else game.board_from_text(board)]
        for action in game.moves_from_text(moves):
            self.play(action)

    @property
    def state(self) -> State:
        return self._states[-1]

    @property
    def start(self) -> State:
        """The state before the first move."""
        return self._states[0]

    @property
    def turn(self) -> int:
        """0 = the first player is to move, 1 = the second."""
        return self.game.turn(self.state)

    @property
    def outcome(self) -> Outcome:
        """How the last move left the game, for the player who made it."""
        return self.game.outcome(self.state)

    @property
    def over(self) -> bool:
        return self.outcome is not Outcome.GOING_ON

    @property
    def winner(self) -> int | None:
        """0 or 1 once one side has won, otherwise None."""
        return self.game.winner(self.state)

    @property
    def moves(self) -> str:
        """The moves so far, in the game's notation."""
        return self.game.moves_to_text(self.actions)

    @property
    def board(self) -> str:
        """The board as one line of text that `Position(game, board=…)` takes."""
        return self.game.board_to_text(self.state)

    @property
    def result_text(self) -> str:
        """`X won`, `drawn` or `X to move`."""
        if self.winner is not None:
            return f"{self.game.players[self.winner]} won"
        return "drawn" if self.over else f"{self.game.players[self.turn]} to move"

    def legal_actions(self) -> list[int]:
        return self.game.legal_actions(self.state)

    def legal_moves(self) -> list[str]:
        return [self.game.action_to_text(action) for action in self.legal_actions()]

    def play(self, move: int | str) -> None:
        """Play an action, or a move in the game's notation."""
        action = self.game.action_from_text(move) if isinstance(move, str) else int(move)
        legal = self.legal_actions()
        if action not in legal:
            raise BadInput(self._refusal(action, legal))
        self._states.append(self.game.next_state(self.state, action))
        self.actions.append(action)

    def undo(self) -> None:
        """Take back the last move."""
        if not self.actions:
            raise BadInput("There is no move to take back.")
        self.actions.pop()
        self._states.pop()

    def copy(self) -> Position:
        twin = object.__new__(Position)
        twin.game, twin.actions, twin._states = self.game, self.actions.copy(), self._states.copy()
        return twin

    def __str__(self) -> str:
        from boardzero.games.drawing import draw

        return draw(self).plain

    def _refusal(self, action: int, legal: list[int]) -> str:
        game = self.game
        if not 0 <= action < game.action_count:
            return f"Action {action} does not exist in {game.title}; actions are 0 to {game.action_count - 1}."
        move, number = game.action_to_text(action), len(self.actions) + 1
        if self.over:
            return f"Move {number}, {move}, comes after the end of the game ({self.result_text})."
        shown = ", ".join(game.action_to_text(other) for other in legal[:12])
        return (
            f"Move {number}, {move}, is illegal; {game.players[self.turn]} may play {shown}"
            f"{f' and {len(legal) - 12} more' if len(legal) > 12 else ''}."
        )
