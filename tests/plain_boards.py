"""Rules told a second time, in plain Python on lists of rows, for tests to compare the compiled ones with."""

Board = list[list[int]]  # [row][column], top row first: 0 empty, 1 the first player's, 2 the second player's


def line_lengths(board: Board, row: int, column: int) -> list[int]:
    """How long the four lines (—, |, \\, /) of equal stones through a stone are."""
    return [
        1 + _equal_stones(board, row, column, down, right) + _equal_stones(board, row, column, -down, -right)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    ]


def turned_discs(board: Board, row: int, column: int, player: int) -> list[tuple[int, int]]:
    """Othello: the discs that turn over when a player, 1 or 2, places on an empty cell; none where that is illegal."""
    turned = []
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            run = []
            r, c = row + down, column + right
            while _on_board(board, r, c) and board[r][c] == 3 - player:
                run.append((r, c))
                r, c = r + down, c + right
            if run and _on_board(board, r, c) and board[r][c] == player:
                turned += run
    return turned


def othello_placements(board: Board, player: int) -> list[tuple[int, int]]:
    """The cells where a player may place, row by row."""
    return [
        (row, column)
        for row in range(len(board))
        for column in range(len(board))
        if not board[row][column] and turned_discs(board, row, column, player)
    ]


def _on_board(board: Board, row: int, column: int) -> bool:
    return 0 <= row < len(board) and 0 <= column < len(board[0])


def _equal_stones(board: Board, row: int, column: int, down: int, right: int) -> int:
    count = 0
    stone = board[row][column]
    row, column = row + down, column + right
    while _on_board(board, row, column) and board[row][column] == stone:
        count += 1
        row, column = row + down, column + right
    return count
