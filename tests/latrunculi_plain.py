"""Latrunculi a second time: slow, set-based and told in the words of the rules, to hold the compiled rules against."""

from dataclasses import dataclass, field, replace

Square = tuple[int, int]  # column from the left, row from the bottom; a1 is (0, 0)
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def name(square: Square) -> str:
    return "abcdefgh"[square[0]] + str(square[1] + 1)


def beside(square: Square, direction: Square, distance: int = 1) -> Square:
    return square[0] + distance * direction[0], square[1] + distance * direction[1]


@dataclass
class PlainLatrunculi:
    """A position; `men` and `captured` hold the squares of the first side and of the second."""

    size: int
    men: tuple[set[Square], set[Square]]
    captured: tuple[set[Square], set[Square]] = field(default_factory=lambda: (set(), set()))
    turn: int = 0
    in_hand: int = 0
    quiet: int = 0
    moves: int = 0
    most_quiet: int = 100
    most_moves: int = 500
    least: int = 1
    draws: str = "shared"
    result: str = ""  # "" while the game goes on, "draw", or the winner: "0", "1"

    @classmethod
    def from_board(cls, text: str, most_quiet: int, most_moves: int, least: int, draws: str) -> "PlainLatrunculi":
        """From a board as `board` writes it; whether it is finished is not looked at."""
        rows, side, *counters = text.split()
        lines = rows.split("/")
        found: dict[str, set[Square]] = {letter: set() for letter in ".XOxo"}
        for row, line in enumerate(reversed(lines)):
            for column, letter in enumerate(line):
                found[letter].add((column, row))
        counted = {key: int(value) for key, value in (counter.split("=") for counter in counters)}
        return cls(
            size=len(lines),
            men=(found["X"] | found["x"], found["O"] | found["o"]),
            captured=(found["x"], found["o"]),
            turn="XO".index(side),
            in_hand=counted.get("hand", 0),
            quiet=counted.get("quiet", 0),
            moves=counted.get("ply", 0),
            most_quiet=most_quiet,
            most_moves=most_moves,
            least=least,
            draws=draws,
        )

    def copy(self) -> "PlainLatrunculi":
        men, captured = self.men, self.captured
        return replace(self, men=(set(men[0]), set(men[1])), captured=(set(captured[0]), set(captured[1])))

    # -- looking at the board ------------------------------------------------------------------------------------------
    def squares(self) -> set[Square]:
        return {(column, row) for column in range(self.size) for row in range(self.size)}

    def empty(self, square: Square) -> bool:
        on_board = 0 <= square[0] < self.size and 0 <= square[1] < self.size
        return on_board and square not in self.men[0] and square not in self.men[1]

    def is_free_man(self, square: Square, side: int) -> bool:
        return square in self.men[side] and square not in self.captured[side]

    def stands_between_captors(self, square: Square, side: int) -> bool:
        """Would a man of this side on the square have free enemies on two opposite sides?"""
        left, right, up, down = (self.is_free_man(beside(square, d), 1 - side) for d in ((-1, 0), (1, 0), (0, 1), (0, -1)))
        return (left and right) or (up and down)

    # -- legal moves ---------------------------------------------------------------------------------------------------
    def destinations(self, source: Square) -> set[Square]:
        found = {beside(source, direction) for direction in DIRECTIONS if self.empty(beside(source, direction))}
        board = self.copy()
        board.men[self.turn].remove(source)
        path = [source]
        seen = {source}
        while path:
            square = path.pop()
            for direction in DIRECTIONS:
                over, landing = beside(square, direction), beside(square, direction, 2)
                if (over in board.men[0] or over in board.men[1]) and board.empty(landing) and landing not in seen:
                    seen.add(landing)
                    path.append(landing)
        return found | (seen - {source})

    def is_suicide(self, source: Square, target: Square) -> bool:
        after = self.copy()
        after.move(source, target)
        return after.stands_between_captors(target, self.turn)

    def legal(self) -> set[str]:
        if self.result:
            return set()
        if self.in_hand:
            return {f"@{name(square)}" for square in self.squares() if self.empty(square)}
        found = {f"x{name(square)}" for square in self.captured[1 - self.turn]}
        for source in self.men[self.turn] - self.captured[self.turn]:
            for target in self.destinations(source):
                if not self.is_suicide(source, target):
                    found.add(f"{name(source)}-{name(target)}")
        return found or {"pass"}

    def prospects(self, side: int) -> tuple[set[Square], set[Square], set[Square]]:
        """If it were this side's turn: squares its men may go to, those where they would capture, and whom."""
        board = replace(self.copy(), turn=side)
        reached, catching, caught = set(), set(), set()
        for source in board.men[side] - board.captured[side]:
            for target in board.destinations(source):
                if board.is_suicide(source, target):
                    continue
                after = board.copy()
                after.move(source, target)
                reached.add(target)
                if taken := after.captured[1 - side] - board.captured[1 - side]:
                    catching.add(target)
                    caught |= taken
        return reached, catching, caught

    # -- playing -------------------------------------------------------------------------------------------------------
    def release(self, side: int) -> None:
        """Captured men of a side without two opposite captors are free."""
        self.captured[side].intersection_update({man for man in self.captured[side] if self.stands_between_captors(man, side)})

    def move(self, source: Square, target: Square) -> None:
        """Leave, land, capture, release; whose turn it is stays."""
        mover, enemy = self.turn, 1 - self.turn
        self.men[mover].remove(source)
        self.release(enemy)
        caught = set()
        for direction in DIRECTIONS:
            neighbour, partner = beside(target, direction), beside(target, direction, 2)
            if neighbour in self.men[enemy] and self.is_free_man(partner, mover):
                caught.add(neighbour)
        self.men[mover].add(target)
        self.captured[enemy].update(caught)
        self.release(mover)

    def play(self, text: str) -> "PlainLatrunculi":
        after = self.copy()
        after.turn = 1 - self.turn
        squares = {name(square): square for square in self.squares()}
        if text.startswith("@"):
            after.men[self.turn].add(squares[text[1:]])
            after.in_hand -= 1
            return after
        after.moves += 1
        after.quiet += 1
        if text.startswith("x"):
            after.men[after.turn].remove(squares[text[1:]])
            after.captured[after.turn].remove(squares[text[1:]])
            after.quiet = 0
        elif text != "pass":
            source, target = text.split("-")
            after.turn = self.turn
            after.move(squares[source], squares[target])
            after.turn = 1 - self.turn
        if len(after.men[after.turn]) <= self.least:
            after.result = str(self.turn)
        elif after.quiet == after.most_quiet or after.moves == after.most_moves:
            after.result = {"shared": "draw", "first": "0", "second": "1"}[self.draws]
        return after

    def board(self) -> str:
        """As boards are written: rows from the top, side to move, counters that are not 0."""
        rows = []
        for row in reversed(range(self.size)):
            letters = ""
            for square in ((column, row) for column in range(self.size)):
                side = 0 if square in self.men[0] else 1 if square in self.men[1] else None
                letters += "." if side is None else "XO"[side] if square not in self.captured[side] else "xo"[side]
            rows.append(letters)
        counters = (("hand", self.in_hand), ("quiet", self.quiet), ("ply", self.moves))
        return f"{'/'.join(rows)} {'XO'[self.turn]}" + "".join(f" {key}={value}" for key, value in counters if value)
