"""Which game each generation of a run plays, and which games it learns from."""

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.odds import has_odds
from boardzero.games.owners import owner_rule
from boardzero.games.rules import Game
from boardzero.network.fitting import misfit
from boardzero.settings.run import RunSettings


def learns_odds(settings: RunSettings) -> bool:
    """Does a run play games in which one side must win?"""
    games = (settings.game, *(game for stage in settings.curriculum for game in stage.games))
    return any(has_odds(find_game(game)) for game in games)


class Curriculum:
    """The stages of a run. One without any has a single stage, in which its own game is played.

    games    all games of the run, its own first
    learned  those that are learned from at the moment
    playing  the one that is played until the next generation
    coming   specifications of those that may be played from here on
    """

    def __init__(self, settings: RunSettings) -> None:
        """Games that are unknown, or that the run's network cannot play or learn, are refused (BadInput)."""
        own = find_game(settings.game)
        known = {own.specification: own}  # each game once, the run's own first
        self._ends, self._stages = [1.0], [[own]]
        if settings.curriculum:
            self._ends = [stage.until for stage in settings.curriculum]
            named = [[find_game(game) for game in stage.games] for stage in settings.curriculum]
            self._stages = [[known.setdefault(game.specification, game) for game in games] for games in named]
        if own not in self._stages[-1]:
            raise BadInput(f"The last stage of the curriculum should have the run's own game, {own.specification}.")
        for game in known.values():
            if sentence := misfit(settings.network, own, game):
                raise BadInput(f"A network for {own.specification} cannot learn {game.specification} on the way: {sentence}")
            if settings.network.final_board:
                owner_rule(game)
        self.games = list(known.values())
        self.begin_generation(0, 0)

    @property
    def has_stages(self) -> bool:
        return len(self.games) > 1

    def number(self, game: Game) -> int:
        """Of a game among all of the run."""
        return self.games.index(game)

    def begin_generation(self, share: float, generation: int) -> None:
        """This much of the run is over, and this generation has come; a run that is resumed there chooses the same."""
        stage = next((number for number, end in enumerate(self._ends) if share < end), len(self._ends) - 1)
        self.learned = self._stages[stage]
        self.playing = self.learned[generation % len(self.learned)]
        self.coming = {game.specification for games in self._stages[stage:] for game in games}
