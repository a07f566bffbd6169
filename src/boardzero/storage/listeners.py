"""Games between players, on their way into the log."""

from boardzero.events.games import GamePlayed, GameRecord
from boardzero.storage.entries import Entry, StoredGame, game_entry, new_id, now, who
from boardzero.storage.log import GameLog


class MatchLog:
    """Hears the games of matches (`GameListener`): a match is known by the names of its two sides."""

    def __init__(self, log: GameLog, source: str, run: str | None = None) -> None:
        """source: what is being played, `match` or `tournament`; run: the id of the run that it belongs to."""
        self._log, self._source, self._run = log, source, run
        self._matches: dict[tuple[str, str], str] = {}

    def __call__(self, event: GamePlayed) -> None:
        entries = []
        if event.players not in self._matches:
            self._matches[event.players] = new_id()
            entries.append(self._match_entry(event))
        match = self._matches[event.players]
        game = StoredGame(new_id(), event.record, self._source, match, event.number, self._run, who=who())
        self._log.write([*entries, game_entry(game)])

    def _match_entry(self, event: GamePlayed) -> Entry:
        values = {
            "id": self._matches[event.players],
            "game": event.record.game,
            "player": event.players[0],
            "opponent": event.players[1],
            "planned": event.planned,
            "source": self._source,
            "begun": now(),
            "run": self._run,
            "who": who(),
        }
        return Entry("matches", values)


def log_game(log: GameLog, record: GameRecord, source: str) -> str:
    """One game on its own, as people play them; its id."""
    game = StoredGame(new_id(), record, source, who=who())
    log.write([game_entry(game)])
    return game.id
