"""One index that holds all that games are asked for, in the order of lists, instead of one for every filter.

An index of a single filter leads to every game that it finds, one by one, as soon as anything else is asked about them.
"""

from alembic import op

revision = "0003"
down_revision = "0002"

REPLACED = ("time", "game", "first", "second", "source", "result", "length")
ASKED_FOR = ["game", "first", "second", "result", "source", "plies", "run", "match"]


def upgrade() -> None:
    for name in REPLACED:
        op.drop_index(f"games_by_{name}", "games")
    op.create_index("games_by_time", "games", ["ended", "id", *ASKED_FOR])
