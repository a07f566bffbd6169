/** A small picture of each game, for where games are chosen. */

import { svg } from "../common/elements.js";

/** Those of Connect Four's picture. @type {Record<number, string>} */
const STONES = { 9: "red", 12: "red", 13: "yellow", 14: "yellow", 15: "red" };

/** @type {Record<string, () => SVGElement[]>} */
const PICTURES = {
  connect4: () => [
    ground("rack-colour"),
    ...grid(4, 4).map(([x, y], index) => stone(x, y, 3.6, STONES[index] ?? "hole")),
  ],
  othello: () => [
    ground("felt-colour"),
    stone(15, 15, 6, "white"),
    stone(29, 15, 6, "black"),
    stone(15, 29, 6, "black"),
    stone(29, 29, 6, "white"),
  ],
  gomoku: () => [
    ground("wood-colour"),
    svg("path", { class: "thin", d: "M10 2V42M22 2V42M34 2V42M2 10H42M2 22H42M2 34H42" }),
    stone(10, 34, 5.4, "black"),
    stone(22, 22, 5.4, "black"),
    stone(34, 10, 5.4, "black"),
    stone(22, 10, 5.4, "white"),
    stone(34, 22, 5.4, "white"),
  ],
  latrunculi: () => [
    ground("sandstone-colour"),
    svg("path", { class: "dark-field", d: "M2 2H22V22H2zM22 22H42V42H22z" }),
    stone(12, 22, 6, "white"), stone(22, 22, 5, "black"), stone(32, 22, 6, "white"), stone(32, 35, 5, "black"),
  ],
  tictactoe: () => [
    ground("paper-colour"),
    svg("path", { class: "thin", d: "M15.5 5V39M28.5 5V39M5 15.5H39M5 28.5H39" }),
    svg("path", { class: "cross-sample", d: "M19 19 25 25M25 19 19 25M32 6 38 12M38 6 32 12" }),
    svg("circle", { class: "nought-sample", cx: 9, cy: 35, r: 3.4 }),
  ],
};

/** @param {string} name  of the game */
export function gamePicture(name) {
  return svg(
    "svg",
    { viewBox: "0 0 44 44", class: "game-picture", "aria-hidden": "true" },
    (PICTURES[name] ?? PICTURES.tictactoe)(),
  );
}

/** @param {string} colour */
function ground(colour) {
  return svg("rect", { class: colour, x: 1, y: 1, width: 42, height: 42, rx: 8 });
}

/** @param {number} cx @param {number} cy @param {number} r @param {string} colour */
function stone(cx, cy, r, colour) {
  return svg("circle", { class: `sample ${colour}`, cx, cy, r });
}

/** @param {number} rows @param {number} columns @returns {[number, number][]} */
function grid(rows, columns) {
  return Array.from(
    { length: rows * columns },
    (_, index) => [7.5 + 9.7 * (index % columns), 7.5 + 9.7 * Math.floor(index / columns)],
  );
}
