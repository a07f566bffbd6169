/** The search's opinion while it thinks: who is ahead, and what it thinks of every move. */

import { choice, toggle } from "../common/controls.js";
import { fill, html } from "../common/elements.js";
import { count, percent } from "../common/format.js";
import { recall, remember } from "../common/memory.js";
import { listen } from "../common/server.js";
import { OpinionRows } from "./opinion_rows.js";

/** @typedef {import("../common/types.js").Analysis} Analysis */
/** @typedef {import("../common/types.js").ExactMove} ExactMove */
/** @typedef {import("./studied_game.js").StudiedGame} StudiedGame */

const SECONDS = 20;
const LISTED = 12;

export class OpinionPanel {
  /**
   * @param {Object} wishes
   * @param {() => void} wishes.onChange  the opinion, or what is to be seen of it, changed
   * @param {(line: string[] | null) => void} wishes.onLine  this expected line is pointed at
   * @param {(move: string) => void} wishes.onMove
   */
  constructor(wishes) {
    this.wishes = wishes;
    /** @type {Analysis | null} */
    this.analysis = null;
    /** @type {ExactMove[]} */
    this.exact = [];
    /** @type {StudiedGame | null} */
    this.game = null;
    /** @type {string[] | null} the line that is pointed at */
    this.pointed = null;
    this.stop = () => {};
    this.live = recall("live", true);
    this.build();
  }

  build() {
    this.player = choice("Thinks", [], "", () => this.think(this.game));
    this.liveToggle = toggle("opinion", "Think", this.live, (on) => {
      this.live = on;
      remember("live", on);
      this.think(this.game);
    });
    this.bar = html(
      "div",
      { class: "win-bar", role: "img" },
      html("span", { class: "share" }),
      html("span", { class: "words" }),
    );
    this.rows = new OpinionRows({ onLine: (line) => this.showLine(line), onMove: (move) => this.wishes.onMove(move) });
    this.remark = html("p", { class: "quiet small remark" });
    this.line = html("p", { class: "small expected-line" });
    this.element = html(
      "div",
      { class: "opinion-panel" },
      html("div", { class: "with-button" }, this.player.element, this.liveToggle),
      this.bar,
      html(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Opinions of moves" },
        this.rows.element,
      ),
      this.line,
      this.remark,
    );
  }

  /** @param {StudiedGame | null} game  think about its position from now on */
  think(game) {
    this.stop();
    const newBoard = game && game.board !== this.game?.board;
    this.game = game;
    this.analysis = null;
    this.exact = [];
    if (game && newBoard) this.offerPlayers(game);
    this.rows?.clear();
    this.showLine(null);
    this.draw();
    if (!game || game.position.over || !this.live || document.hidden) return;
    const player = this.player?.select.value;
    this.stop = listen("analysis", { ...game.query(), player, seconds: SECONDS }, {
      analysis: (analysis) => this.take({ analysis }),
      exact: (answer) => this.take({ exact: answer.moves }),
      trouble: ({ error }) => fill(/** @type {HTMLElement} */ (this.remark), error),
    });
  }

  /** @param {StudiedGame} game */
  offerPlayers({ board }) {
    const kinds = board.players.filter((kind) => kind.available && [
      "alphazero",
      "heuristic",
      "mcts",
      "minimax",
    ].includes(kind.name));
    const networks = board.networks.slice(0, 12).map((network) => ({
      value: `alphazero:network=${network.id}`,
      title: network.title,
    }));
    const shipped = kinds.filter((kind) => kind.name !== "alphazero" || board.network);
    const options = shipped.map((kind) => ({ value: kind.name, title: kind.title }));
    const { select } = /** @type {ReturnType<typeof choice>} */ (this.player);
    fill(select, [...options, ...networks].map((option) => html("option", { value: option.value }, option.title)));
    select.value = board.analyst;
  }

  /** @param {{analysis?: Analysis, exact?: ExactMove[]}} news */
  take({ analysis, exact }) {
    if (analysis) this.analysis = analysis;
    if (exact) this.exact = exact;
    this.draw();
    this.wishes.onChange();
  }

  draw() {
    const { analysis, game } = this;
    if (!game) return;
    this.drawBar();
    const exact = new Map(this.exact.map((move) => [move.move, move]));
    const moves = analysis?.moves.slice(0, LISTED) ?? this.exact.slice(0, LISTED).map((move) => ({
      ...EMPTY,
      ...move,
      exact: null,
    }));
    this.rows?.show(moves, exact);
    const said = analysis ? [
      (analysis.simulations === null ? "" : `${count(analysis.simulations)} simulations in `) + `${analysis.seconds.toFixed(1)} s`,
      ...analysis.remarks.filter((remark) => !remark.includes("simulations")),
    ] : [game.position.over ? "The game is over." : this.live ? "Thinking…" : ""];
    fill(/** @type {HTMLElement} */ (this.remark), said.join("; "));
    this.sayLine(this.pointed ?? analysis?.moves[0]?.line ?? []);
  }

  /** The first side's win probability; null where nothing is known yet. @param {StudiedGame} game @returns {number | null} */
  firstSideChance({ position }) {
    if (position.over) return position.winner === null ? 0.5 : 1 - position.winner;
    if (!this.analysis || this.analysis.win_probability === null) return null;
    return this.analysis.turn === 0 ? this.analysis.win_probability : 1 - this.analysis.win_probability;
  }

  drawBar() {
    const { game, analysis } = this;
    if (!game) return;
    const chance = this.firstSideChance(game);
    const [share, words] = /** @type {HTMLCollectionOf<HTMLElement>} */ (this.bar?.children);
    const name = game.board.sides[0].name;
    share.style.width = percent(chance ?? 0.5, 1).replace("\u202f", "");
    const both = `${name} ${percent(chance ?? 0)} · ${game.board.sides[1].name} ${percent(1 - (chance ?? 0))}`;
    words.textContent = chance === null ? "\u00a0" : both;
    this.bar?.setAttribute("aria-label", chance === null ? "Nothing is known yet" : `${name} wins with ${percent(chance)}`);
    this.bar?.setAttribute("data-colours", game.board.sides.map((side) => side.colour).join("-"));
  }

  /** @param {string[] | null} line */
  showLine(line) {
    this.pointed = line;
    this.sayLine(line ?? this.analysis?.moves[0]?.line ?? []);
    this.wishes.onLine(line);
  }

  /** @param {string[]} line */
  sayLine(line) {
    if (this.line) this.line.textContent = line.length ? `Expected: ${line.join(" ")}` : "\u00a0";
  }
}

/** @type {import("../common/types.js").MoveOpinion} */
const EMPTY = {
  action: 0,
  move: "",
  source: null,
  target: null,
  column: null,
  visits: null,
  share: null,
  value: null,
  win_probability: null,
  prior: null,
  exact: null,
  line: [],
};
