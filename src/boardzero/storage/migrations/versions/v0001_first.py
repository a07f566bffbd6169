"""The first tables."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None

ID = MOMENT = NAME = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", ID, primary_key=True),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("game", NAME, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("begun", MOMENT, nullable=False),
        sa.Column("who", NAME, nullable=False),
    )
    op.create_table(
        "generations",
        sa.Column("run", ID, sa.ForeignKey("runs.id"), primary_key=True),
        sa.Column("generation", sa.Integer, primary_key=True),
        sa.Column("ended", MOMENT, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("positions", sa.Integer, nullable=False),
        sa.Column("policy_loss", sa.Float),
        sa.Column("value_loss", sa.Float),
        sa.Column("report", sa.JSON, nullable=False),
    )
    op.create_table(
        "evaluations",
        sa.Column("id", ID, primary_key=True),
        sa.Column("run", ID, sa.ForeignKey("runs.id"), nullable=False),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("kind", NAME, nullable=False),
        sa.Column("opponent", NAME, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("report", sa.JSON, nullable=False),
    )
    op.create_index("evaluations_of_a_run", "evaluations", ["run", "generation"])
    _create_matches_and_games()
    op.create_table(
        "ratings",
        sa.Column("fit", ID, primary_key=True),
        sa.Column("player", NAME, primary_key=True),
        sa.Column("game", NAME, nullable=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("low", sa.Float),
        sa.Column("high", sa.Float),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("scale", NAME, nullable=False),
        sa.Column("made", MOMENT, nullable=False),
        sa.Column("run", ID, sa.ForeignKey("runs.id")),
        sa.Column("who", NAME, nullable=False),
    )
    op.create_index("ratings_by_time", "ratings", ["game", "made"])


def _create_matches_and_games() -> None:
    op.create_table(
        "matches",
        sa.Column("id", ID, primary_key=True),
        sa.Column("game", NAME, nullable=False),
        sa.Column("player", NAME, nullable=False),
        sa.Column("opponent", NAME, nullable=False),
        sa.Column("planned", sa.Integer, nullable=False),
        sa.Column("source", NAME, nullable=False),
        sa.Column("begun", MOMENT, nullable=False),
        sa.Column("run", ID, sa.ForeignKey("runs.id")),
        sa.Column("who", NAME, nullable=False),
    )
    op.create_index("matches_by_time", "matches", ["begun", "id"])
    op.create_table(
        "games",
        sa.Column("id", ID, primary_key=True),
        sa.Column("game", NAME, nullable=False),
        sa.Column("first", NAME, nullable=False),
        sa.Column("second", NAME, nullable=False),
        sa.Column("result", NAME, nullable=False),
        sa.Column("reason", NAME, nullable=False),
        sa.Column("source", NAME, nullable=False),
        sa.Column("plies", sa.Integer, nullable=False),
        sa.Column("opening", sa.Integer, nullable=False),
        sa.Column("seconds_first", sa.Float, nullable=False),
        sa.Column("seconds_second", sa.Float, nullable=False),
        sa.Column("ended", MOMENT, nullable=False),
        sa.Column("match", ID, sa.ForeignKey("matches.id")),
        sa.Column("number", sa.Integer),
        sa.Column("run", ID, sa.ForeignKey("runs.id")),
        sa.Column("generation", sa.Integer),
        sa.Column("start", sa.Text, nullable=False),
        sa.Column("moves", sa.Text, nullable=False),
        sa.Column("remark", sa.Text, nullable=False),
    )
    op.create_index("games_by_time", "games", ["ended", "id"])
    op.create_index("games_by_run", "games", ["run", "generation"])
    op.create_index("games_by_match", "games", ["match", "number"])
