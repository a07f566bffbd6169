"""The clock of GTP: main time, then so many seconds for every so many stones (Canadian byo-yomi), over and over."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TimeSettings:
    """What `time_settings` says, in seconds; without it there is no limit."""

    main: float = 0.0
    period: float = 0.0
    stones: int = 0
    is_set: bool = False


class GtpClock:
    """One side's time: what is left of the main time, and then of a period and of its stones."""

    def __init__(self, settings: TimeSettings | None = None) -> None:
        self._settings = settings or TimeSettings()
        self._main = self._settings.main
        self._period, self._stones = self._settings.period, self._settings.stones

    def limits(self) -> tuple[float | None, float | None]:
        """The limit of a move, and what is left of the game's time; None: there is no such limit."""
        if not self.is_limited:
            return None, None
        per_stone = max(0.0, self._period) / self._stones if self._stones else 0.0
        return (None, self._main) if self._main > per_stone else (per_stone, None)

    @property
    def is_limited(self) -> bool:
        """A period for no stones means, in GTP, that there is no limit."""
        return self._settings.is_set and not (self._settings.period > 0 and self._settings.stones == 0)

    def spend(self, seconds: float) -> None:
        """A move took so long; what the main time has not paid for, the period does."""
        beyond = seconds - self._main
        self._main = max(0.0, -beyond)
        if beyond < 0 or not self._stones:
            return
        self._period, self._stones = self._period - beyond, self._stones - 1
        if not self._stones:
            self._period, self._stones = self._settings.period, self._settings.stones

    def put(self, seconds: float, stones: int) -> None:
        """What a manager says is left: of the main time, or of a period that lasts for so many more stones."""
        if stones:
            if not self._settings.stones:  # nothing else is known of the periods
                self._settings = TimeSettings(0.0, seconds, stones, is_set=True)
            self._main, self._period, self._stones = 0.0, seconds, stones
            return
        if not self.is_limited:
            self._settings = TimeSettings(seconds, is_set=True)
        self._main, self._period, self._stones = seconds, self._settings.period, self._settings.stones
