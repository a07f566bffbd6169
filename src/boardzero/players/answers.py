"""What a player may answer instead of a move. They are raised from `choose`, and whoever leads the game catches them."""


class Answer(Exception):
    """Not an error: the player wants something else than to move."""


class Resigned(Answer):
    """The player gives the game up as lost."""


class TookBack(Answer):
    """The player wants its last move back, and the reply to it."""


class LeftGame(Answer):
    """The player goes away; the game stays unfinished."""
