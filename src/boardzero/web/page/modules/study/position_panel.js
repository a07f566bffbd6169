/** What is studied: the game and its size, moves to paste and copy, a board to set up, and the log. */

import { attempt, show } from "../common/announce.js";
import { catalogue } from "../common/catalogue.js";
import { copyText } from "../common/clipboard.js";
import { button, choice } from "../common/controls.js";
import { fill, html } from "../common/elements.js";
import { send } from "../common/server.js";
import { GameLog } from "./game_log.js";
import { Setup } from "./setup.js";

/** @typedef {import("./studied_game.js").StudiedGame} StudiedGame */

export class PositionPanel {
  /**
   * @param {Object} wishes
   * @param {(wishes: {game: string, moves?: string, start?: string | null}) => Promise<unknown>} wishes.onOpen
   * @param {(cells: number[] | null) => void} wishes.onSetup  a board is being set up; null: no longer
   */
  constructor(wishes) {
    this.wishes = wishes;
    /** @type {StudiedGame | null} */
    this.game = null;
    this.settingUp = false;
    this.log = new GameLog((record) => attempt(() => wishes.onOpen(record)));
    this.setup = new Setup({
      onChange: (cells) => wishes.onSetup(cells),
      onDone: (start) => attempt(() => this.endSetup(start)),
    });
    this.kind = choice("Game", [], "", (game) => this.chooseGame(game));
    this.text = html("textarea", { rows: "3", "aria-label": "Moves", spellcheck: "false" });
    this.hint = html("p", { class: "quiet small" });
    this.usual = this.buildUsual();
    this.element = html("div", { class: "position-panel" }, this.usual, this.setup.element, this.log.element);
    this.setup.element.hidden = true;
  }

  buildUsual() {
    return html(
      "div",
      { class: "stack" },
      this.kind.element,
      html("label", { class: "field" }, html("span", {}, "Moves"), this.text),
      this.hint,
      html(
        "div",
        { class: "buttons" },
        button("forward", "Use moves", () => attempt(() => this.useMoves()), { primary: true, single: true }),
        button("copy", "Copy moves", () => attempt(() => this.copy(this.game?.allMoves ?? "", "moves"))),
        button("copy", "Copy board", () => attempt(() => this.copy(this.game?.position.board.text ?? "", "board"))),
        button("setup", "Set up", () => this.beginSetup()),
        button("save", "Save to log", () => attempt(() => this.save()), { single: true }),
        button(
          "open",
          "Open log",
          () => attempt(() => this.log.open(this.game?.board.game ?? "connect4")),
          { single: true },
        ),
      ),
    );
  }

  /** @param {StudiedGame} game */
  async show(game) {
    const changed = game.board !== this.game?.board;
    this.game = game;
    this.text.value = game.allMoves;
    this.hint.textContent = `In ${game.board.title}, ${game.board.notation}.`;
    if (!changed) return;
    const { games } = await catalogue();
    const known = games.some((kind) => kind.sizes.some((size) => size.game === game.board.game));
    fill(
      this.kind.select,
      known ? null : html("option", { value: game.board.game }, game.board.game),
      games.map((kind) => html(
        "optgroup",
        { label: kind.title },
        kind.sizes.map((size) => html("option", { value: size.game }, `${kind.title}, ${size.title}`)),
      )),
    );
    this.kind.select.value = game.board.game;
  }

  /** @param {string} game */
  async chooseGame(game) {
    await attempt(() => this.wishes.onOpen({ game }));
    if (this.game) this.kind.select.value = this.game.board.game; // also where it was refused
  }

  async useMoves() {
    if (this.game) await this.wishes.onOpen({ game: this.game.board.game, moves: this.text.value, start: this.game.start });
  }

  /** @param {string} text @param {string} what */
  async copy(text, what) {
    await copyText(text);
    show(`The ${what} ${what === "moves" ? "are" : "is"} copied.`);
  }

  async save() {
    const { game } = this;
    if (!game) return;
    const names = game.board.sides.map((side) => side.name);
    await send("log", { game: game.board.game, players: names, moves: game.allMoves, start: game.start });
    show("The game is saved to the log.");
  }

  beginSetup() {
    if (!this.game) return;
    this.settingUp = true;
    this.usual.hidden = true;
    this.setup.element.hidden = false;
    this.setup.begin(this.game);
  }

  cancelSetup() {
    if (this.settingUp) this.setup.cancel();
  }

  /** @param {string | null} start */
  async endSetup(start) {
    this.settingUp = false;
    this.usual.hidden = false;
    this.setup.element.hidden = true;
    this.wishes.onSetup(null);
    if (start !== null && this.game) await this.wishes.onOpen({ game: this.game.board.game, start });
  }
}
