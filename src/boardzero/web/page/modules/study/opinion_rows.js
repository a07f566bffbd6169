/** The table of what the search thinks of every move. Its rows live as long as their position: nothing slips away from a
 * pointer or the keyboard while the numbers change. */

import { arrange, fill, html } from "../common/elements.js";
import { count, percent, signed } from "../common/format.js";

/** @typedef {import("../common/types.js").MoveOpinion} MoveOpinion */
/** @typedef {import("../common/types.js").ExactMove} ExactMove */
/** @typedef {{element: HTMLTableRowElement, button: HTMLButtonElement, cells: HTMLTableCellElement[], line: string[]}} Row */

const HEADS = ["Move", "Wins", "Visits", "Prior", "Exact"];

export class OpinionRows {
  /**
   * @param {Object} wishes
   * @param {(line: string[] | null) => void} wishes.onLine  this expected line is pointed at
   * @param {(move: string) => void} wishes.onMove
   */
  constructor(wishes) {
    this.wishes = wishes;
    /** @type {Map<string, Row>} by move, in the order shown */
    this.rows = new Map();
    /** @type {Row | null} the one that is pointed at */
    this.pointed = null;
    this.body = html("tbody");
    const heads = HEADS.map((head) => html("th", { scope: "col" }, head));
    this.element = html("table", { class: "opinions" }, html("thead", {}, html("tr", {}, heads)), this.body);
  }

  clear() {
    this.rows.clear();
    this.pointed = null;
    fill(this.body);
  }

  /**
   * @param {MoveOpinion[]} moves  the best first
   * @param {Map<string, ExactMove>} exact  by move
   */
  show(moves, exact) {
    const listed = moves.map((move) => move.move);
    const used = this.pointed || this.body.contains(document.activeElement);
    this.arrange(used ? [...this.rows.keys(), ...listed.filter((move) => !this.rows.has(move))] : listed);
    for (const [move, row] of this.rows) row.element.className = move === listed[0] ? "best" : "";
    for (const opinion of moves) {
      const row = this.rows.get(opinion.move);
      if (!row) continue;
      row.line = opinion.line.length ? opinion.line : [opinion.move];
      row.button.title = exact.get(opinion.move)?.text ?? "Play this move";
      this.fillCells(row.cells, opinion, exact.get(opinion.move));
    }
  }

  /** Rows for these moves in this order; untouched where they are so already. @param {string[]} moves */
  arrange(moves) {
    const before = this.rows;
    this.rows = new Map(moves.map((move) => [move, before.get(move) ?? this.makeRow(move)]));
    arrange(this.body, [...this.rows.values()].map((row) => row.element));
  }

  /** @param {string} move @returns {Row} */
  makeRow(move) {
    const point = () => this.point(row);
    const leave = () => this.point(null);
    const button = html("button", {
      type: "button",
      class: "move",
      onclick: () => this.wishes.onMove(move),
      onfocus: point,
      onblur: leave,
    }, move);
    const cells = HEADS.slice(1).map(() => html("td"));
    cells[1].className = "visits";
    const head = html("th", { scope: "row" }, button);
    const element = html("tr", { onpointerenter: point, onpointerleave: leave }, head, cells);
    /** @type {Row} */
    const row = { element, button, cells, line: [move] };
    return row;
  }

  /** @param {Row | null} row */
  point(row) {
    this.pointed = row;
    this.wishes.onLine(row && row.line);
  }

  /**
   * @param {HTMLTableCellElement[]} cells
   * @param {MoveOpinion} opinion
   * @param {ExactMove | undefined} exact
   */
  fillCells([wins, visits, prior, proof], opinion, exact) {
    wins.textContent = opinion.win_probability === null ? "–" : percent(opinion.win_probability, 1);
    visits.textContent = opinion.visits === null ? "–" : count(opinion.visits);
    prior.textContent = opinion.prior === null ? "–" : percent(opinion.prior);
    const proven = { 1: "won", 0: "drawn", "-1": "lost" }[String(exact?.exact ?? opinion.exact)];
    const score = exact?.score === null || exact?.score === undefined ? "" : ` ${signed(exact.score)}`;
    fill(proof, proven ? html("span", { class: `proven ${proven}`, title: exact?.text }, proven + score) : "–");
  }
}
