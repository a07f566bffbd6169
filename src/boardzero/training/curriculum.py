"""Which game each generation of a run plays, and which games it learns from."""

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game
from boardzero.network.fitting import misfit
from boardzero.settings.run import RunSettings


class Curriculum:
    """The stages of a run. One without any has a single stage, in which its own game is played."""

    def __init__(self, settings: RunSettings) -> None:
        """Games that are unknown, or that the run's network cannot play, are refused (BadInput)."""
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
        self.games = list(known.values())

    @property
    def has_stages(self) -> bool:
        return len(self.games) > 1

    def number(self, game: Game) -> int:
        """Of a game among all of the run."""
        return self.games.index(game)

    def stage(self, share: float) -> list[Game]:
        """The games that are played, and learned from, when this much of the run is over."""
        return next((games for end, games in zip(self._ends, self._stages, strict=True) if share < end), self._stages[-1])

    def game(self, share: float, generation: int) -> Game:
        """The one that is played after this generation."""
        games = self.stage(share)
        return games[generation % len(games)]

    def coming(self, share: float) -> set[str]:
        """Specifications of the games that are played from here on."""
        first = self._stages.index(self.stage(share))
        return {game.specification for stage in self._stages[first:] for game in stage}
