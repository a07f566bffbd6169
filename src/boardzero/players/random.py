"""Plays any legal move, each as likely as the others."""

from boardzero.games.position import Position
from boardzero.games.randomness import draw_below, new_stream
from boardzero.players.player import Analysis, MoveOpinion, Player


class RandomPlayer(Player):
    """Chooses evenly; the choice follows from the seed and the number of moves played."""

    name = "random"

    def analyse(self, position: Position, seconds: float | None = None) -> Analysis:
        legal = position.legal_actions()
        chosen = draw_below(new_stream(self.seed, len(position.actions)), len(legal))
        others = [action for action in legal if action != legal[chosen]]
        prior = 1 / len(legal)
        return Analysis(tuple(MoveOpinion(action, prior=prior, line=(action,)) for action in (legal[chosen], *others)))
