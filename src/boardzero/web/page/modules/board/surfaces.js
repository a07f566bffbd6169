/** What lies under the pieces (and, in Connect Four, in front of them): fields, lines and the names of files and ranks. */

import { svg } from "../common/elements.js";
import { UNIT } from "./geometry.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */

const HOLE = 41; // radius
const CORNER = 34;
const STAR = 9;

/**
 * @param {Geometry} geometry
 * @returns {SVGElement} drawn before the pieces
 */
export function drawUnder(geometry) {
  const { look, width, height } = geometry;
  const group = svg("g", { class: `surface ${look}` });
  group.append(rectangle("ground", 0, 0, width, height, look === "rack" ? CORNER : 20));
  if (look === "felt") group.append(drawField(geometry), ...drawGrid(geometry, 0), ...drawOthelloDots(geometry));
  else if (look === "wood") group.append(...drawGrid(geometry, 0.5), ...drawStarPoints(geometry));
  else if (look === "sandstone") group.append(drawField(geometry), ...drawChequers(geometry));
  else if (look === "paper") group.append(...drawInnerLines(geometry));
  if (look !== "rack") group.append(...drawNames(geometry));
  return group;
}

/**
 * The plate with holes that stones fall behind.
 * @param {Geometry} geometry
 * @returns {SVGElement | null} drawn in front of the pieces and behind the marks
 */
export function drawOver(geometry) {
  if (geometry.look !== "rack") return null;
  const { width, height, board } = geometry;
  const centres = board.cell_names.map((_, cell) => geometry.centre(cell));
  const holes = centres.map(
    ([x, y]) => `M${x - HOLE} ${y}a${HOLE} ${HOLE} 0 1 0 ${2 * HOLE} 0a${HOLE} ${HOLE} 0 1 0 ${-2 * HOLE} 0z`,
  );
  const quarter = (/** @type {string} */ end) => `a${CORNER} ${CORNER} 0 0 1 ${end}`;
  const outline =
    `M${CORNER} 0H${width - CORNER}${quarter(`${CORNER} ${CORNER}`)}V${height - CORNER}${quarter(`${-CORNER} ${CORNER}`)}` +
    `H${CORNER}${quarter(`${-CORNER} ${-CORNER}`)}V${CORNER}${quarter(`${CORNER} ${-CORNER}`)}z`;
  return svg(
    "g",
    { class: "surface rack" },
    svg("path", { class: "plate", "fill-rule": "evenodd", d: outline + holes.join("") }),
    centres.map(([cx, cy]) => svg("circle", { class: "rim", cx, cy, r: HOLE })),
    board.column_labels.map((label, column) => name(geometry.columnMiddle(column), height - 21, label)),
  );
}

/** @param {Geometry} geometry */
function drawField({ side, top, board }) {
  return rectangle("field", side, top, board.columns * UNIT, board.rows * UNIT, 4);
}

/**
 * Lines around every cell (inset 0), or through the middles of cells (inset ½).
 * @param {Geometry} geometry
 * @param {number} inset
 */
function drawGrid({ side, top, board }, inset) {
  const lines = [];
  const [left, upper] = [side + inset * UNIT, top + inset * UNIT];
  const [right, lower] = [side + (board.columns - inset) * UNIT, top + (board.rows - inset) * UNIT];
  for (let x = left; x <= right; x += UNIT) lines.push(line(x, upper, x, lower));
  for (let y = upper; y <= lower; y += UNIT) lines.push(line(left, y, right, y));
  return lines;
}

/** @param {Geometry} geometry */
function drawInnerLines({ side, top, board }) {
  const [right, lower] = [side + board.columns * UNIT, top + board.rows * UNIT];
  const upright = Array.from({ length: board.columns - 1 }, (_, column) => side + (column + 1) * UNIT);
  const level = Array.from({ length: board.rows - 1 }, (_, row) => top + (row + 1) * UNIT);
  return [...upright.map((x) => line(x, top + 6, x, lower - 6)), ...level.map((y) => line(side + 6, y, right - 6, y))];
}

/** @param {Geometry} geometry */
function drawOthelloDots({ side, top, board }) {
  if (board.columns < 8) return [];
  const corners = [2, board.columns - 2];
  return corners.flatMap((column) => corners.map((row) => dot(side + column * UNIT, top + row * UNIT)));
}

/** @param {Geometry} geometry */
function drawStarPoints({ side, top, board }) {
  const size = board.columns;
  const inset = size >= 13 ? 3 : 2;
  const corners = size < 9 ? [] : [inset, size - 1 - inset];
  const points = corners.flatMap((column) => corners.map((row) => [column, row]));
  if (size % 2) points.push([(size - 1) / 2, (size - 1) / 2]);
  return points.map(([column, row]) => dot(side + (column + 0.5) * UNIT, top + (row + 0.5) * UNIT));
}

/** @param {Geometry} geometry */
function drawChequers({ side, top, board }) {
  const dark = board.cell_names.map((_, cell) => [Math.floor(cell / board.columns), cell % board.columns]);
  return dark
    .filter(([row, column]) => (row + column) % 2 === 0)
    .map(([row, column]) => rectangle("chequer", side + column * UNIT, top + row * UNIT, UNIT, UNIT, 0));
}

/** @param {Geometry} geometry */
function drawNames(geometry) {
  const { side, top, height, bottom, board } = geometry;
  const onTop = (board.row_labels[0] === "1") !== geometry.flipped;
  const files = board.column_labels.map((label, column) =>
    name(geometry.columnMiddle(column), onTop ? top / 2 : height - bottom / 2, label),
  );
  return [...files, ...board.row_labels.map((label, row) => name(side / 2, geometry.rowMiddle(row), label))];
}

/** @param {number} x @param {number} y @param {string} text */
function name(x, y, text) {
  return svg("text", { class: "name", x, y }, text);
}

/** @param {number} cx @param {number} cy */
function dot(cx, cy) {
  return svg("circle", { class: "dot", cx, cy, r: STAR });
}

/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 */
function line(x1, y1, x2, y2) {
  return svg("line", { x1, y1, x2, y2 });
}

/**
 * @param {string} kind
 * @param {number} x @param {number} y @param {number} width @param {number} height @param {number} corner
 */
function rectangle(kind, x, y, width, height, corner) {
  return svg("rect", { class: kind, x, y, width, height, rx: corner });
}
