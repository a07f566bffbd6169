"""Who wrote a game, and an index for every filter of the list: 100,000 games are listed in well under a second."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"

INDEXES = {
    "games_by_game": "game",
    "games_by_first": "first",
    "games_by_second": "second",
    "games_by_source": "source",
    "games_by_result": "result",
    "games_by_length": "plies",
}


def upgrade() -> None:
    text = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
    op.add_column("games", sa.Column("who", text, nullable=False, server_default=""))
    for name, column in INDEXES.items():
        op.create_index(name, "games", [column, "ended", "id"])
