/** Where the cells of a board lie in its drawing. One cell is UNIT wide and high. */

/** @typedef {import("../common/types.js").BoardInformation} BoardInformation */

export const UNIT = 100;
const EDGE = 16;
const NAMES = 46;

export class Geometry {
  /**
   * @param {BoardInformation} board
   * @param {boolean} flipped  seen from the other side: turned by half, or mirrored where stones fall
   */
  constructor(board, flipped) {
    this.board = board;
    this.flipped = flipped;
    this.falling = board.input === "columns";
    this.look = lookOf(board);
    this.side = this.falling ? EDGE : NAMES; // the strips beside the cells; names of files and ranks stand in them
    this.top = this.falling ? EDGE : NAMES;
    this.bottom = NAMES;
    this.width = board.columns * UNIT + 2 * this.side;
    this.height = board.rows * UNIT + this.top + this.bottom;
  }

  /** @param {number} column @returns {number} the middle of a column */
  columnMiddle(column) {
    return this.side + ((this.flipped ? this.board.columns - 1 - column : column) + 0.5) * UNIT;
  }

  /** @param {number} row @returns {number} the middle of a row */
  rowMiddle(row) {
    return this.top + ((this.flipped && !this.falling ? this.board.rows - 1 - row : row) + 0.5) * UNIT;
  }

  /** @param {number} cell @returns {[number, number]} */
  centre(cell) {
    return [this.columnMiddle(cell % this.board.columns), this.rowMiddle(Math.floor(cell / this.board.columns))];
  }
}

/**
 * How a board looks: rack (Connect Four), wood (Gomoku), felt (Othello), sandstone (Latrunculi) or paper (tic-tac-toe, others).
 * @param {BoardInformation} board
 */
export function lookOf(board) {
  if (board.surface === "squares") return board.input === "moves" ? "sandstone" : "paper";
  return { holes: "rack", points: "wood", felt: "felt" }[board.surface] ?? "paper";
}
