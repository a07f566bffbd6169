"""Latrunculi on bitboards: where a man may go, what it captures there, who stays captured, and what a side could do next.

A set of squares is one word: the square in row r and column c, counted from the top left, is bit r · size + c. So +1 is to
the right and +size is down; the tables of columns below keep rows from running into one another. All arguments are uint64.
"""

import numpy as np
import numpy.typing as npt

from boardzero.games.compiled import compiled

Squares = np.uint64
Landings = tuple[Squares, Squares, Squares, Squares]
ONE, TWO, NOTHING = np.uint64(1), np.uint64(2), np.uint64(0)

SIZES = (4, 6, 8)


def _columns(skipped_left: int, skipped_right: int) -> npt.NDArray[np.uint64]:
    """For each size of board (the index): the squares of all columns but some at the left and right edges."""
    table = np.zeros(max(SIZES) + 1, np.uint64)
    for size in SIZES:
        squares = [r * size + c for r in range(size) for c in range(skipped_left, size - skipped_right)]
        table[size] = sum(1 << square for square in squares)
    return table


BOARD = _columns(0, 0)
INNER = _columns(1, 1)
ONE_FROM_LEFT, TWO_FROM_LEFT = _columns(1, 0), _columns(2, 0)
ONE_FROM_RIGHT, TWO_FROM_RIGHT = _columns(0, 1), _columns(0, 2)


@compiled()
def between(men: Squares, size: Squares) -> Squares:
    """The squares, free or not, that have one of these men on both sides in a row or in a column."""
    return (men << ONE & men >> ONE & INNER[size]) | (men << size & men >> size)


@compiled()
def steps(man: Squares, free: Squares, size: Squares) -> Squares:
    """The free neighbours of a square."""
    sideways = (man << ONE & ONE_FROM_LEFT[size]) | (man >> ONE & ONE_FROM_RIGHT[size])
    return (sideways | man << size | man >> size) & free


@compiled()
def landings(men: Squares, free: Squares, size: Squares) -> Landings:
    """The free squares behind a man, where a jump to the right, left, down or up over it may end."""
    return (
        men << ONE & free & TWO_FROM_LEFT[size],
        men >> ONE & free & TWO_FROM_RIGHT[size],
        men << size & free,
        men >> size & free,
    )


@compiled()
def jumps(man: Squares, landings: Landings, size: Squares) -> Squares:
    """The squares that a man reaches by one or more jumps.

    Every landing is an even number of squares from where the man stood, every square jumped over is not: so that the man
    has left its own square never matters on the way, and the landings of the whole board serve all men.
    """
    right, left, down, up = landings
    reached, newest = NOTHING, man
    while newest != NOTHING:
        newest = (newest << TWO & right) | (newest >> TWO & left) | (newest << TWO * size & down) | (newest >> TWO * size & up)
        newest &= ~reached
        reached |= newest
    return reached


@compiled()
def caught_from(target: Squares, partners: Squares, other: Squares, size: Squares) -> Squares:
    """The other side's men that a man who lands on the target (or on any of several) catches between itself and a partner."""
    return other & (
        ((target & TWO_FROM_RIGHT[size]) << ONE & partners >> ONE)
        | ((target & TWO_FROM_LEFT[size]) >> ONE & partners << ONE)
        | (target << size & partners >> size)
        | (target >> size & partners << size)
    )


@compiled()
def forbidden(partners: Squares, captors: Squares, size: Squares) -> Squares:
    """Where a man may not land, for it would stand between two captors and catch neither (the suicide rule).

    partners  the mover's free men without the one that moves: it is no partner for what it jumped over
    captors   the other side's free men. Those set free by the man's leaving need not be added: a man never lands beside
              one that it held, since all squares around that one are diagonal to where it stood, or its partner's.
    """
    saved_in_row = (partners >> TWO & TWO_FROM_RIGHT[size]) | (partners << TWO & TWO_FROM_LEFT[size])
    saved_in_column = partners >> TWO * size | partners << TWO * size
    return (captors << ONE & captors >> ONE & INNER[size] & ~saved_in_row) | (
        captors << size & captors >> size & ~saved_in_column
    )


@compiled()
def targets_of(
    man: Squares, own_free: Squares, captors: Squares, empty: Squares, landing: Landings, dangerous: Squares, size: Squares
) -> Squares:
    """Where a free man may go. landing: the `landings` of the board; dangerous: what lies between two captors."""
    targets = steps(man, empty, size) | jumps(man, landing, size)
    if targets & dangerous != NOTHING:  # forbidden, unless the man captures there: that takes longer to tell
        targets &= ~forbidden(own_free ^ man, captors, size)
    return targets


@compiled()
def catching_squares(partners: Squares, enemies: Squares, size: Squares) -> Squares:
    """Where a man would have to land to catch one of the enemies between itself and a partner."""
    return (
        (enemies >> ONE & partners >> TWO & TWO_FROM_RIGHT[size])
        | (enemies << ONE & partners << TWO & TWO_FROM_LEFT[size])
        | (enemies >> size & partners >> TWO * size)
        | (enemies << size & partners << TWO * size)
    )


@compiled()
def prospects(own: Squares, other: Squares, captured: Squares, size: Squares) -> tuple[Squares, Squares, Squares]:
    """What a side could do if it were its turn: squares its men may go to, those where they would capture, and whom."""
    men = own | other
    empty = BOARD[size] ^ men
    landing = landings(men, empty, size)
    own_free, captors = own & ~captured, other & ~captured
    dangerous = between(captors, size)
    reached, catching, caught = NOTHING, NOTHING, NOTHING
    movers = own_free
    while movers != NOTHING:
        man = movers & (~movers + ONE)
        movers ^= man
        targets = targets_of(man, own_free, captors, empty, landing, dangerous, size)
        spots = targets & catching_squares(own_free ^ man, captors, size)
        reached |= targets
        catching |= spots
        caught |= caught_from(spots, own_free ^ man, captors, size)
    return reached, catching, caught
