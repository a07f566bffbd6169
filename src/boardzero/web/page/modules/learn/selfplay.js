/** Games of self-play, replayed on a board as they come from the newest network. */

import { Board } from "../board/board.js";
import { writeAddress } from "../common/address.js";
import { attempt } from "../common/announce.js";
import { boardOf } from "../common/catalogue.js";
import { html } from "../common/elements.js";
import { Newest } from "../common/newest.js";
import { ask } from "../common/server.js";
import { ValueGraph } from "../study/value_graph.js";

/**
 * @typedef {Object} SelfPlayGame
 * @property {number} number
 * @property {number} generation
 * @property {string} game
 * @property {string | null} start
 * @property {string} moves
 * @property {string} result
 * @property {number} plies
 * @property {(number | null)[]} values  the first side's win probability before each move
 */

const MOVE_MILLISECONDS = 350;
const END_MILLISECONDS = 1500;

export class SelfPlay {
  constructor() {
    this.board = new Board();
    this.graph = new ValueGraph((ply) => this.stepTo(ply));
    this.words = html("p", { class: "small quiet words" }, "The newest game of self-play will be shown here.");
    this.link = html("a", { class: "small", hidden: true }, "Study this game");
    this.element = html(
      "section",
      { class: "card selfplay", "aria-label": "Self-play" },
      html("h2", {}, "Self-play"),
      html("div", { class: "small-board" }, this.board.element),
      this.graph.element,
      html("div", { class: "selfplay-foot" }, this.words, this.link),
    );
    /** @type {SelfPlayGame | null} */
    this.next = null;
    /** @type {SelfPlayGame | null} */
    this.game = null;
    /** @type {any[]} */
    this.positions = [];
    this.ply = 0;
    this.timer = 0;
    this.games = new Newest();
  }

  /** @param {string} game  a new run is watched */
  async begin(game) {
    this.end();
    const newest = this.games.begin();
    const [board, { positions }] = await Promise.all([boardOf(game), ask("positions", { game })]);
    if (!newest()) return;
    this.board.prepare(board, false);
    this.board.show({ ...positions[0], legal: [], lines: [], sentence: "Self-play" }, { choosing: false, animated: false });
    this.graph.show([null], 0, board.sides[0].name);
    this.words.textContent = "The newest game of self-play will be shown here.";
    this.link.hidden = true;
  }

  end() {
    window.clearTimeout(this.timer);
    this.games.forget();
    this.timer = 0;
    this.game = null;
    this.next = null;
  }

  /** @param {SelfPlayGame} game  has just been played; it is shown when the one on the board has ended */
  take(game) {
    this.next = game;
    if (!this.timer) this.timer = window.setTimeout(() => this.beginNext(), 0);
  }

  async beginNext() {
    const game = this.next;
    const newest = this.games.begin();
    this.next = null;
    const found = game && await attempt(() => Promise.all([
      boardOf(game.game),
      ask("positions", { game: game.game, moves: game.moves, start: game.start }),
    ]));
    if (!newest()) return;
    if (!game || !found) {
      this.timer = 0; // the next that comes is shown
      return;
    }
    const [board, answer] = found;
    this.game = game;
    this.board.prepare(board, false);
    this.positions = answer.positions;
    const result = game.result === "draw" ? "drawn" : `${board.sides[game.result === "first" ? 0 : 1].name} won`;
    this.words.textContent = `Game ${game.number} of generation ${game.generation}: ${result} in ${game.plies} moves.`;
    this.link.href = writeAddress("study", "", { game: game.game, moves: game.moves, start: game.start });
    this.link.hidden = false;
    this.stepTo(0);
  }

  /** @param {number} ply */
  stepTo(ply) {
    const { game, positions } = this;
    if (!game || !positions[ply] || !this.board.geometry) return;
    window.clearTimeout(this.timer);
    this.ply = ply;
    this.board.show({ ...positions[ply], legal: [], lines: [], sentence: `Self-play, move ${ply}` }, { choosing: false });
    const last = positions.length - 1;
    const values = positions.map((_, index) => game.values[index] ?? (index === last ? resultValue(game.result) : null));
    this.graph.show(values, ply, this.board.geometry.board.sides[0].name);
    const ended = ply === last;
    this.timer = window.setTimeout(() => this.goOn(ended), ended ? END_MILLISECONDS : MOVE_MILLISECONDS);
  }

  /** @param {boolean} ended  is it time for another game, or for another move? */
  goOn(ended) {
    if (this.graph.slider.matches(":active")) this.timer = window.setTimeout(() => this.goOn(ended), MOVE_MILLISECONDS);
    else if (ended) this.beginNext();
    else this.stepTo(this.ply + 1);
  }
}

/** @param {string} result */
function resultValue(result) {
  return { first: 1, second: 0, draw: 0.5 }[result] ?? null;
}
