/** Setting up any position: pieces are put on the board by hand, and the server says whether the rules can hold it. */

import { attempt } from "../common/announce.js";
import { button, choice } from "../common/controls.js";
import { fill, html } from "../common/elements.js";
import { Newest } from "../common/newest.js";
import { ask } from "../common/server.js";

/** @typedef {import("../common/types.js").BoardInformation} BoardInformation */
/** @typedef {import("./studied_game.js").StudiedGame} StudiedGame */

export class Setup {
  /**
   * @param {Object} wishes
   * @param {(cells: number[]) => void} wishes.onChange  the board that is being set up
   * @param {(start: string | null) => void} wishes.onDone  null: nothing was set up
   */
  constructor(wishes) {
    this.wishes = wishes;
    /** @type {BoardInformation | null} */
    this.board = null;
    /** @type {number[]} */
    this.cells = [];
    this.piece = 1;
    this.details = "";
    this.checks = new Newest();
    this.palette = html("div", { class: "palette", role: "radiogroup", "aria-label": "Piece to put down" });
    this.turn = choice("To move", [], "0");
    this.element = html(
      "div",
      { class: "setup" },
      html("p", { class: "quiet small" }, "Choose a piece, then press the board."),
      this.palette,
      this.turn.element,
      html(
        "div",
        { class: "buttons" },
        button("exact", "Use it", () => attempt(() => this.finish()), { primary: true, single: true }),
        button("close", "Empty", () => this.clear()),
        button("undo", "Cancel", () => this.cancel()),
      ),
    );
  }

  /** @param {StudiedGame} game  what is on the board is where it begins */
  begin(game) {
    const { board, position } = game;
    this.board = board;
    this.cells = [...position.board.cells];
    this.details = Object.entries(position.board.details).map(([key, value]) => ` ${key}=${value}`).join("");
    fill(
      this.palette,
      board.pieces.map((piece) =>
        html(
          "label",
          {},
          html(
            "input",
            {
              type: "radio",
              name: "piece",
              value: piece.index,
              checked: piece.index === this.piece,
              onchange: () => (this.piece = piece.index),
            },
          ),
          piece.name,
        ),
      ),
    );
    fill(
      this.turn.select,
      board.sides.map((side, index) => html("option", { value: index, selected: index === position.turn }, side.name)),
    );
    this.wishes.onChange(this.cells);
  }

  clear() {
    this.cells = this.cells.map(() => 0);
    this.details = "";
    this.wishes.onChange(this.cells);
  }

  /** @param {number} place  a cell, or a column where stones fall */
  paint(place) {
    const { board } = this;
    if (!board) return;
    const cell = board.input === "columns" ? this.cellInColumn(board, place) : place;
    if (cell !== undefined) this.cells[cell] = this.cells[cell] === this.piece ? 0 : this.piece;
    this.wishes.onChange(this.cells);
  }

  /**
   * The cell where a stone comes to rest; the uppermost stone, where nothing is put down.
   * @param {BoardInformation} board
   * @param {number} column
   */
  cellInColumn(board, column) {
    const cells = Array.from({ length: board.rows }, (_, row) => row * board.columns + column);
    return this.piece ? cells.reverse().find((cell) => !this.cells[cell]) : cells.find((cell) => this.cells[cell]);
  }

  /** The board as one line of text, as the server writes it. */
  get text() {
    const board = /** @type {BoardInformation} */ (this.board);
    const rows = Array.from({ length: board.rows }, (_, row) =>
      this.cells.slice(row * board.columns, (row + 1) * board.columns).map((cell) => board.pieces[cell].letter).join(""),
    );
    return `${rows.join("/")} ${board.sides[Number(this.turn.select.value)].letter}${this.details}`;
  }

  cancel() {
    this.checks.forget();
    this.wishes.onDone(null);
  }

  async finish() {
    const newest = this.checks.begin();
    const start = this.text;
    await ask("position", { game: /** @type {BoardInformation} */ (this.board).game, start });
    if (newest()) this.wishes.onDone(start);
  }
}
