/** Rows of moves, as a search expects them: which cells they touch. */

/** @typedef {import("../common/types.js").BoardInformation} BoardInformation */

/**
 * @typedef {Object} LineMove
 * @property {string} move
 * @property {number} number  from 1
 * @property {0 | 1} side  who makes it
 * @property {number | undefined} source
 * @property {number | undefined} target  undefined for a pass
 */

/**
 * @param {BoardInformation} board
 * @param {number[]} cells  before the first move
 * @param {0 | 1} turn  who makes the first move
 * @param {string[]} moves
 * @returns {LineMove[]}
 */
export function traceLine(board, cells, turn, moves) {
  const filled = [...cells];
  return moves.map((move, index) => {
    const [source, target] = endsOf(board, filled, move);
    if (target !== undefined) filled[target] ||= 1; // only whether it is free matters to stones that fall
    return { move, number: index + 1, side: /** @type {0 | 1} */ ((turn + index) % 2), source, target };
  });
}

/**
 * @param {BoardInformation} board
 * @param {number[]} cells
 * @param {string} move
 * @returns {[number | undefined, number | undefined]} source and target
 */
function endsOf(board, cells, move) {
  const cellNamed = (/** @type {string} */ name) => {
    const cell = board.cell_names.indexOf(name);
    return cell < 0 ? undefined : cell;
  };
  if (board.input === "columns") {
    const column = board.column_labels.indexOf(move);
    for (let row = board.rows - 1; row >= 0 && column >= 0; row--) {
      if (!cells[row * board.columns + column]) return [undefined, row * board.columns + column];
    }
    return [undefined, undefined];
  }
  const [source, target] = move.split("-");
  if (target) return [cellNamed(source), cellNamed(target)];
  return [undefined, cellNamed(move.replace(/^[x@]/, ""))];
}

/**
 * A game's moves, one by one.
 * @param {BoardInformation} board
 * @param {string} moves
 * @returns {string[]}
 */
export function splitMoves(board, moves) {
  return moves ? moves.split(board.move_separator) : [];
}
