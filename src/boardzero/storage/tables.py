"""What is stored. Every row has an id that follows from what it is, so that writing it twice changes nothing.

Moments are text in UTC, `2031-01-31T12:00:00Z`, which sorts as time does; games from elsewhere may know only a day or a year.
"""

from sqlalchemy import JSON, Column, Float, ForeignKey, Index, Integer, MetaData, Table, Text
from sqlalchemy.dialects import postgresql

metadata = MetaData()

# PostgreSQL compares texts by its locale, where punctuation may not count; here it is by characters, as in SQLite.
PLAIN_TEXT = Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
ID = PLAIN_TEXT  # 32 hexadecimal digits
MOMENT = PLAIN_TEXT
NAME = PLAIN_TEXT  # a specification: `mcts:sims=1000`

runs = Table(
    "runs",
    metadata,
    Column("id", ID, primary_key=True),
    Column("folder", Text, nullable=False),  # where the run was when it was first logged
    Column("game", NAME, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("begun", MOMENT, nullable=False),
    Column("who", NAME, nullable=False),  # whose process wrote it: user@machine
)

generations = Table(
    "generations",
    metadata,
    Column("run", ID, ForeignKey("runs.id"), primary_key=True),
    Column("generation", Integer, primary_key=True),
    Column("ended", MOMENT, nullable=False),
    Column("seconds", Float, nullable=False),  # of the run so far
    Column("games", Integer, nullable=False),  # in all
    Column("positions", Integer, nullable=False),  # to learn from, in all
    Column("policy_loss", Float),
    Column("value_loss", Float),
    Column("report", JSON, nullable=False),  # all that the training said about it
)

evaluations = Table(
    "evaluations",
    metadata,
    Column("id", ID, primary_key=True),
    Column("run", ID, ForeignKey("runs.id"), nullable=False),
    Column("generation", Integer, nullable=False),
    Column("kind", NAME, nullable=False),  # the name of the event: PerfectPlayMeasured, …
    Column("opponent", NAME, nullable=False),  # `perfect`, or a player
    Column("seconds", Float, nullable=False),  # of the run so far
    Column("report", JSON, nullable=False),
    Index("evaluations_of_a_run", "run", "generation"),
)

matches = Table(
    "matches",
    metadata,
    Column("id", ID, primary_key=True),
    Column("game", NAME, nullable=False),
    Column("player", NAME, nullable=False),  # has the first side in games 1, 3, 5, …
    Column("opponent", NAME, nullable=False),
    Column("planned", Integer, nullable=False),  # games
    Column("source", NAME, nullable=False),
    Column("begun", MOMENT, nullable=False),
    Column("run", ID, ForeignKey("runs.id")),
    Column("who", NAME, nullable=False),
    Index("matches_by_time", "begun", "id"),
)

games = Table(
    "games",
    metadata,
    Column("id", ID, primary_key=True),
    Column("game", NAME, nullable=False),
    Column("first", NAME, nullable=False),  # who played the first side
    Column("second", NAME, nullable=False),
    Column("result", NAME, nullable=False),  # first, second, draw, unfinished
    Column("reason", NAME, nullable=False),  # rules, time, resignation, …
    Column("source", NAME, nullable=False),  # match, rating, play, page, engine:gtp, self-play, gate, evaluation, import, …
    Column("plies", Integer, nullable=False),
    Column("opening", Integer, nullable=False),  # moves that were given before the players began
    Column("seconds_first", Float, nullable=False),
    Column("seconds_second", Float, nullable=False),
    Column("ended", MOMENT, nullable=False),
    Column("match", ID, ForeignKey("matches.id")),
    Column("number", Integer),  # which game of its match or run it is
    Column("run", ID, ForeignKey("runs.id")),
    Column("generation", Integer),  # of the run's network (in matches: of the newer one)
    Column("start", Text, nullable=False),
    Column("moves", Text, nullable=False),
    Column("remark", Text, nullable=False),
    Column("who", NAME, nullable=False, server_default=""),
    # A list shows the newest first. This index has its order and all that a filter looks at, so that no question has to read
    # the games themselves, which are several times as large.
    Index("games_by_time", "ended", "id", "game", "first", "second", "result", "source", "plies", "run", "match"),
    Index("games_by_run", "run", "generation"),
    Index("games_by_match", "match", "number"),
)

ratings = Table(
    "ratings",
    metadata,
    Column("fit", ID, primary_key=True),  # all ratings that were fitted together
    Column("player", NAME, primary_key=True),  # a specification; a run's network: the run's name and the generation
    Column("game", NAME, nullable=False),
    Column("rating", Float, nullable=False),
    Column("low", Float),  # of the 95 % interval; none for the anchor, whose rating is fixed
    Column("high", Float),
    Column("games", Integer, nullable=False),
    Column("scale", NAME, nullable=False),  # `elo`: base 10; `wandhoven`: base e
    Column("made", MOMENT, nullable=False),
    Column("run", ID, ForeignKey("runs.id")),  # of a run's network
    Column("who", NAME, nullable=False),
    Index("ratings_by_time", "game", "made"),
)
