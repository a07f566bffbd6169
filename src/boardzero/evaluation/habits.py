"""Habits that perfect play does not have: a favourite move, wins that are not taken, threats that are not parried."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scipy.stats import norm

from boardzero.arena.perfect_play import Chooser
from boardzero.arena.solved_games import SolvedPosition
from boardzero.games.position import Position
from boardzero.games.rules import Game, State


@dataclass(frozen=True)
class Missed:
    """In how many positions there was something to find, in how many it was not found, and how often that cost something."""

    positions: int
    missed: int
    costly: int  # times that the move chosen instead has a worse value

    @property
    def share(self) -> float:
        return self.missed / self.positions if self.positions else 0.0

    def as_dict(self) -> dict[str, int]:
        return {"positions": self.positions, "missed": self.missed, "costly": self.costly}


@dataclass(frozen=True)
class Habits:
    """What a player did in a number of positions.

    positions  how many
    chosen     by action: the share of positions in which it was chosen
    perfect    the same of perfect play, which shares its choice evenly among the best moves
    errors     by action: how far that share of perfect play is off by luck (a standard deviation)
    """

    positions: int
    chosen: tuple[float, ...]
    perfect: tuple[float, ...]
    errors: tuple[float, ...]
    wins: Missed
    blocks: Missed

    @property
    def favourite(self) -> int:
        """The action that is chosen most often beyond what perfect play would."""
        return max(range(len(self.chosen)), key=lambda action: self.chosen[action] - self.perfect[action])

    @property
    def chance(self) -> float:
        """That perfect play would have any favourite like this one (normal approximation, for so many moves at once)."""
        excess, error = self.chosen[self.favourite] - self.perfect[self.favourite], self.errors[self.favourite]
        one = float(norm.sf((excess - 0.5 / self.positions) / error)) if error > 0 else float(excess <= 0)
        return min(1.0, one * sum(share > 0 for share in self.perfect))

    def as_dict(self, game: Game) -> dict[str, Any]:
        return {
            "moves": [game.action_to_text(action) for action in range(len(self.chosen))],
            "chosen": list(self.chosen),
            "perfect": list(self.perfect),
            "positions": self.positions,
            "favourite": game.action_to_text(self.favourite),
            "favourite_chance": self.chance,
            "missed_wins": self.wins.as_dict(),
            "missed_blocks": self.blocks.as_dict(),
        }


def observe_habits(choose: Chooser, entries: Sequence[SolvedPosition]) -> Habits:
    """Let a player choose in positions whose moves are solved."""
    actions = list(choose([entry.position for entry in entries]))
    count = entries[0].position.game.action_count
    chosen, perfect, variance = [0.0] * count, [0.0] * count, [0.0] * count
    wins, blocks = [0, 0, 0], [0, 0, 0]  # positions, missed, costly
    for entry, action in zip(entries, actions, strict=True):
        chosen[action] += 1 / len(entries)
        best = max(value for value in entry.values if value is not None)
        equal = [other for other, value in enumerate(entry.values) if value == best]
        for other in equal:
            perfect[other] += 1 / len(equal) / len(entries)
            variance[other] += (1 - 1 / len(equal)) / len(equal) / len(entries) ** 2
        found = wins_at_once(entry.position.game, entry.position.state)
        counted, wanted = (wins, found) if found else (blocks, blocks_of(entry.position))
        if wanted:
            missed = action not in wanted
            counted[0] += 1
            counted[1] += missed
            counted[2] += missed and entry.is_mistake(action)
    errors = tuple(value**0.5 for value in variance)
    return Habits(len(entries), tuple(chosen), tuple(perfect), errors, Missed(*wins), Missed(*blocks))


def wins_at_once(game: Game, state: State) -> list[int]:
    """Actions that win the game with this move."""
    turn = game.turn(state)
    return [action for action in game.legal_actions(state) if game.winner(game.next_state(state, action)) == turn]


def blocks_of(position: Position) -> list[int]:
    """Actions after which the other side cannot win at once, where it threatens to; otherwise, or if none does that, none.

    A reply that wins where the action itself was, like a stone on top of it in Connect Four, was no threat before.
    """
    game = position.game
    replies = {action: wins_at_once(game, game.next_state(position.state, action)) for action in position.legal_actions()}
    is_threatened = any(reply != action for action, wins in replies.items() for reply in wins)
    return [action for action, wins in replies.items() if not wins] if is_threatened else []
