"""How long to think: within every limit, with room for a busy machine. All times are in seconds."""

from dataclasses import dataclass

# Of a move's limit this share stays unused, but at least so many seconds (never more than half of it), so that a machine which
# lets us wait for some milliseconds costs no game. After the hard share what is known by then is played.
SOFT_MARGIN, SMALLEST_SOFT_MARGIN = 0.10, 0.120
HARD_MARGIN, SMALLEST_HARD_MARGIN = 0.055, 0.060
LATENESS_KEPT = 2.0  # times the lateness that was seen
FORGETTING = 0.98  # of it stays after a move
LEAST_SHARE = 0.1  # of a limit is thought, however late answers were
MOVES_AHEAD = 15  # a game's time is spread over at most this many moves to come
# Of a game's time one move that is held up takes at most so many times its share, or so many seconds more.
MOST_SHARES, MOST_EXTRA = 3.0, 0.5


class Lateness:
    """How late answers are given on this machine now: the worst of late, forgotten little by little.

    A player that gives none at all, because it is still being loaded, tells nothing of it: to think less would not help.
    """

    def __init__(self) -> None:
        self.seconds = 0.0

    def saw(self, planned: float, answered: float) -> None:
        """The moments (time.perf_counter) at which an answer should have come, and came."""
        self.seconds = max(answered - planned, FORGETTING * self.seconds)


@dataclass(frozen=True)
class Thinking:
    """When the search should end, and when an answer must be given whatever it found."""

    soft: float
    hard: float


# A limit of 0 means: as fast as possible. (Where all time is used up, so little more makes no difference.)
AT_ONCE = Thinking(soft=0.05, hard=0.25)


def time_for_move(turn: float | None, left: float | None, moves_to_come: int, usual: float, lateness: float = 0.0) -> Thinking:
    """turn: the limit of a move; left: what is left of the game's time (None: there is no such limit).

    usual: the limit where there is no other. lateness: how much later than planned answers have lately been given, because
    the machine was busy; twice that stays unused.
    """
    limits = [limit for limit in (turn, left) if limit is not None]
    limit = min(limits, default=usual)
    if limit <= 0:
        return AT_ONCE
    soft = limit - min(max(SMALLEST_SOFT_MARGIN, SOFT_MARGIN * limit), limit / 2)
    soft = min(soft, max(LEAST_SHARE * limit, limit - LATENESS_KEPT * lateness))
    hard = limit - min(max(SMALLEST_HARD_MARGIN, HARD_MARGIN * limit), 0.4 * limit)
    if left is not None:
        soft = min(soft, max(0.0, left) / max(2, min(MOVES_AHEAD, moves_to_come)))
        hard = min(hard, max(MOST_SHARES * soft, soft + MOST_EXTRA))
    return Thinking(soft, hard)
