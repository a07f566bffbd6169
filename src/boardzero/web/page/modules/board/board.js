/** A board: shows a position with its marks, and tells which move a person chose by mouse, touch or keyboard. */

import { fill, html, svg } from "../common/elements.js";
import { Cells } from "./cells.js";
import { Geometry } from "./geometry.js";
import { describeCell, describeColumn } from "./labels.js";
import * as marks from "./marks.js";
import { Pieces } from "./pieces.js";
import { drawOver, drawUnder } from "./surfaces.js";

/** @typedef {import("../common/types.js").BoardInformation} BoardInformation */
/** @typedef {import("../common/types.js").Position} Position */
/** @typedef {import("../common/types.js").Move} Move */

/**
 * @typedef {Object} Shown  a position, or as much of one as there is
 * @property {number[]} cells
 * @property {0 | 1} turn
 * @property {Move[]} legal
 * @property {Move | null} last
 * @property {number[][]} lines  that win
 * @property {string} sentence
 */

export class Board {
  /**
   * @param {Object} wishes
   * @param {(move: string) => void} [wishes.onMove]  a person chose this move
   * @param {(place: number) => void} [wishes.onPaint]  a cell (or column) was pressed while a board is set up
   * @param {(move: Move | null) => void} [wishes.onPoint]  a legal move is pointed at
   */
  constructor(wishes = {}) {
    this.wishes = wishes;
    this.element = html("div", { class: "board" });
    /** @type {Geometry | null} */
    this.geometry = null;
    /** @type {Shown | null} */
    this.shown = null;
    this.choosing = false; // may a person choose a move?
    this.painting = false; // is a board being set up?
    this.held = false; // is a move under way, so that no other can be chosen yet?
    this.hintsShown = true; // which men can move, and where the next piece can go
    /** @type {number | null} the man that is about to move */
    this.selected = null;
    /** @type {number | null} */
    this.pointed = null;
    /** What is shown, as text. */
    this.content = "";
    const layer = () => svg("g", { class: "layer" });
    this.layers = { heat: layer(), marks: layer(), opinions: layer(), hand: layer() };
  }

  /**
   * Draw an empty board of this game.
   * @param {BoardInformation} board
   * @param {boolean} flipped
   */
  prepare(board, flipped) {
    if (this.geometry?.board === board && this.geometry.flipped === flipped) return;
    const geometry = new Geometry(board, flipped);
    this.geometry = geometry;
    this.pieces = new Pieces(geometry);
    this.cells = new Cells(geometry, {
      press: (place) => this.press(place),
      grab: (place) => this.grab(place),
      carries: (place) => this.selected === place,
      point: (place) => this.point(place),
      cancel: () => this.select(null),
    });
    const drawing = svg(
      "svg",
      { viewBox: `0 0 ${geometry.width} ${geometry.height}`, class: `drawing ${geometry.look}`, "aria-hidden": "true" },
      drawUnder(geometry),
      this.layers.heat,
      this.pieces.element,
      drawOver(geometry),
      this.layers.marks,
      this.layers.opinions,
      this.layers.hand,
    );
    const ratio = String(geometry.width / geometry.height);
    this.element.style.setProperty("--ratio", ratio);
    /** @type {HTMLElement | null} */ (this.element.closest(".table"))?.style.setProperty("--ratio", ratio);
    this.element.dataset.game = board.name;
    fill(this.element, drawing, this.cells.element);
    for (const layer of Object.values(this.layers)) layer.replaceChildren();
    this.selected = null;
    this.shown = null;
    this.content = "";
  }

  /**
   * @param {Shown} shown
   * @param {{choosing: boolean, painting?: boolean, animated?: boolean}} manner  may a person choose a move here, or set
   *   up a board; do pieces move
   */
  show(shown, { choosing, painting = false, animated = true }) {
    const content = JSON.stringify([shown, choosing, painting]);
    if (content === this.content) return; // news that do not concern the board leave a chosen man chosen
    this.content = content;
    const first = this.shown === null;
    this.shown = shown;
    this.choosing = choosing;
    this.painting = painting;
    this.selected = null;
    this.pieces?.show(shown.cells, animated && !first);
    this.drawMarks();
    this.label();
    this.point(this.pointed);
  }

  /** @param {Position} position */
  static shownOf(position) {
    const { board, turn, legal, last, lines, sentence } = position;
    return { cells: board.cells, turn, legal, last, lines, sentence };
  }

  /** @param {boolean} held  the move that was chosen is under way: what is shown will soon be the past */
  hold(held) {
    if (held === this.held) return;
    this.held = held;
    this.label();
    this.point(this.pointed);
  }

  drawMarks() {
    const { geometry, shown } = this;
    if (!geometry || !shown) return;
    const drawn = [];
    if (shown.last) drawn.push(...marks.lastMove(geometry, shown.last, shown.cells));
    drawn.push(...marks.winningLines(geometry, shown.lines));
    if (this.choosing) drawn.push(...this.drawLegal(geometry, shown));
    fill(this.layers.marks, drawn);
  }

  /** @param {Geometry} geometry @param {Shown} shown */
  drawLegal(geometry, shown) {
    if (geometry.board.input === "columns") return [];
    if (geometry.board.input === "cells") return geometry.look === "felt" ? marks.legalTargets(geometry, shown.legal) : [];
    if (this.selected !== null) {
      const chosen = shown.legal.filter((move) => move.source === this.selected);
      return [marks.frame(geometry, this.selected, "selected"), ...marks.legalTargets(geometry, chosen)];
    }
    if (!this.hintsShown) return [];
    const movable = new Set(shown.legal.flatMap((move) => (move.kind === "move" && move.source !== null ? [move.source] : [])));
    const direct = shown.legal.filter((move) => move.kind === "place" || move.kind === "remove");
    return [...[...movable].map((cell) => marks.frame(geometry, cell, "movable")), ...marks.legalTargets(geometry, direct)];
  }

  label() {
    const { geometry, shown } = this;
    if (!geometry || !shown) return;
    const describe = geometry.falling ? describeColumn : describeCell;
    this.cells?.show(
      (place) => describe(geometry.board, shown, place, this.choosing, this.selected),
      (place) => this.painting || (this.choosing && !this.held && this.meaningOf(place) !== null),
      `${geometry.board.title} board. ${shown.sentence}`,
    );
  }

  /**
   * What pressing a cell or column would mean: a move, the choice of a man, or nothing.
   * @param {number} place
   * @returns {Move | "select" | "release" | null}
   */
  meaningOf(place) {
    const { geometry, shown } = this;
    if (!geometry || !shown) return null;
    if (geometry.falling) return shown.legal.find((move) => move.column === place) ?? null;
    const reached = shown.legal.filter((move) => move.target === place);
    const direct = reached.find((move) => move.source === null || move.source === this.selected);
    if (direct) return direct;
    if (place === this.selected) return "release";
    return shown.legal.some((move) => move.source === place) ? "select" : null;
  }

  /** @param {number} place */
  press(place) {
    if (this.painting) this.wishes.onPaint?.(place);
    if (!this.choosing || this.held) return;
    const meaning = this.meaningOf(place);
    if (meaning === "select") this.select(place);
    else if (meaning === "release" || meaning === null) this.select(null);
    else this.wishes.onMove?.(meaning.move);
  }

  /** @param {number} place @returns {boolean} was a man chosen? */
  grab(place) {
    if (!this.choosing || this.held || this.meaningOf(place) !== "select") return false;
    this.select(place);
    return true;
  }

  /** @param {number | null} cell */
  select(cell) {
    if (cell === this.selected) return;
    this.selected = cell;
    this.drawMarks();
    this.label();
    this.point(this.pointed);
  }

  /** @param {number | null} place */
  point(place) {
    this.pointed = place;
    const { geometry, shown } = this;
    if (!geometry || !shown) return;
    const meaning = place !== null && this.choosing && !this.held ? this.meaningOf(place) : null;
    const move = meaning && typeof meaning === "object" ? meaning : null;
    fill(
      this.layers.hand,
      move && move.target !== null && move.kind !== "remove" ? marks.ghost(geometry, move.target, shown.turn) : null,
    );
    this.wishes.onPoint?.(move);
  }
}
