/** One side of a game, above or below the board: its colour, who plays it, what it has, and whether it is to move. */

import { fill, html, svg } from "../common/elements.js";
import { percent } from "../common/format.js";

/** @typedef {import("../common/types.js").BoardInformation} BoardInformation */
/** @typedef {import("../common/types.js").Game} Game */

export class PlayerBar {
  constructor() {
    this.swatch = html("span", { class: "swatch" });
    this.name = html("strong");
    this.remark = html("span", { class: "quiet remark" });
    this.stock = html("span", { class: "stock" });
    this.thinking = html("span", { class: "thinking", "aria-hidden": "true" }, html("i"), html("i"), html("i"));
    this.element = html(
      "div",
      { class: "player-bar" },
      this.swatch,
      html("div", { class: "who" }, this.name, this.remark),
      this.thinking,
      this.stock,
    );
  }

  /**
   * @param {BoardInformation} board
   * @param {Game} game
   * @param {0 | 1} side
   * @param {string} stock  what the side has on the board or in hand
   * @param {boolean} active  is it this side's turn?
   */
  show(board, game, side, stock, active) {
    const human = game.players[side] === "human";
    fill(this.swatch, swatch(board, side));
    this.name.textContent = human ? board.sides[side].name : `${board.sides[side].name} · ${game.titles[side].split(",")[0]}`;
    this.remark.textContent = human ? "Human" : [
      strength(game.titles[side]),
      opinionOf(game, side),
    ].filter(Boolean).join(" · ");
    this.stock.textContent = stock;
    this.element.classList.toggle("active", active);
    this.thinking.classList.toggle("visible", active && game.thinking);
  }
}

/**
 * A small piece of a side.
 * @param {BoardInformation} board
 * @param {0 | 1} side
 */
export function swatch(board, side) {
  const tictactoe = board.name === "tictactoe";
  const shape = tictactoe
    ? side === 0 ? svg("path", { d: "M6 6 18 18M18 6 6 18" }) : svg("circle", { cx: 12, cy: 12, r: 7 })
    : svg("circle", { cx: 12, cy: 12, r: 10 });
  return svg(
    "svg",
    {
      viewBox: "0 0 24 24",
      class: `piece-sample ${board.sides[side].colour} ${tictactoe ? "outline" : ""}`,
      "aria-hidden": "true",
    },
    shape,
  );
}

/** @param {string} title  `AlphaZero, 100 simulations` */
function strength(title) {
  return title.split(", ").slice(1).join(", ");
}

/** @param {Game} game @param {0 | 1} side */
function opinionOf(game, side) {
  const { opinion } = game;
  if (!opinion || opinion.side !== side) return "";
  if (opinion.exact !== null) return { 1: "sees a win", 0: "sees a draw", "-1": "sees a loss" }[String(opinion.exact)] ?? "";
  return opinion.win_probability === null ? "" : `expects ${percent(opinion.win_probability)}`;
}
