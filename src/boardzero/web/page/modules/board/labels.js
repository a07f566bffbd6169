/** What a screen reader says of the cells and columns of a board. */

/** @typedef {import("../common/types.js").BoardInformation} BoardInformation */
/** @typedef {import("./board.js").Shown} Shown */

/**
 * `c4, black disc, last move`.
 * @param {BoardInformation} board
 * @param {Shown} shown
 * @param {number} cell
 * @param {boolean} choosing
 * @param {number | null} selected
 */
export function describeCell(board, shown, cell, choosing, selected) {
  const words = [board.cell_names[cell], board.pieces[shown.cells[cell]].name];
  if (shown.last?.target === cell) words.push("last move");
  if (shown.lines.some((line) => line.includes(cell))) words.push("in the winning line");
  if (choosing) words.push(...possibilities(shown, cell, selected));
  return words.join(", ");
}

/**
 * @param {Shown} shown
 * @param {number} cell
 * @param {number | null} selected
 */
function possibilities(shown, cell, selected) {
  if (cell === selected) return ["chosen"];
  const reached = shown.legal.filter((move) => move.target === cell);
  const direct = reached.find((move) => move.source === null || move.source === selected);
  if (direct?.kind === "remove") return ["can be removed"];
  if (direct?.kind === "move") return [direct.jump ? "jump here" : "move here"];
  if (direct) return ["legal"];
  return shown.legal.some((move) => move.source === cell) ? ["can move"] : [];
}

/**
 * `Column 4, from the bottom: red, yellow; 4 free`.
 * @param {BoardInformation} board
 * @param {Shown} shown
 * @param {number} column
 */
export function describeColumn(board, shown, column) {
  const stones = [];
  for (let row = board.rows - 1; row >= 0; row--) {
    const side = board.pieces[shown.cells[row * board.columns + column]].side;
    if (side !== null) stones.push(board.sides[side].name.toLowerCase());
  }
  const free = board.rows - stones.length;
  const held = stones.length ? `from the bottom: ${stones.join(", ")}; ${free ? `${free} free` : "full"}` : "empty";
  const last = shown.last?.column === column ? ", last move" : "";
  return `Column ${board.column_labels[column]}, ${held}${last}`;
}
