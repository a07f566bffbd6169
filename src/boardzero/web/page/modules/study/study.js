/** The view where positions and games are studied. */

import { Board } from "../board/board.js";
import { traceLine } from "../board/lines.js";
import * as marks from "../board/marks.js";
import { keepAddress, visit, writeAddress } from "../common/address.js";
import { attempt, say } from "../common/announce.js";
import { button, toggle } from "../common/controls.js";
import { fill, html } from "../common/elements.js";
import { holding } from "../common/holding.js";
import { recall, remember } from "../common/memory.js";
import { MoveList } from "../common/move_list.js";
import { Newest } from "../common/newest.js";
import { ask } from "../common/server.js";
import { Tabs } from "../common/tabs.js";
import { OpinionPanel } from "./opinion.js";
import { PositionPanel } from "./position_panel.js";
import { ReviewPanel } from "./review.js";
import { StudiedGame } from "./studied_game.js";
import { TreePanel } from "./tree.js";
import { ValueGraph } from "./value_graph.js";

/** @typedef {import("../common/address.js").Address} Address */

const REVIEW = 1;

export class StudyView {
  constructor() {
    /** @type {StudiedGame | null} */
    this.game = null;
    /** @type {StudiedGame | null} where the board is being led, as long as it is not there */
    this.heading = null;
    this.ways = new Newest();
    this.flipped = false;
    this.layers = recall("layers", { opinion: true, policy: false, exact: true });
    /** @type {(number | null)[] | null} the raw policy by cell */
    this.policy = null;
    /** @type {string[] | null} */
    this.line = null;
    /** @type {Map<string, number>} the first side's win probability by position, as the search found it */
    this.chances = new Map();
    this.board = new Board({
      onMove: (move) => this.chooseMove(move),
      onPaint: (place) => this.position.setup.paint(place),
      onPoint: (move) => this.pointAt(move?.move ?? null),
    });
    this.board.hintsShown = false; // opinions are drawn instead
    this.opinion = new OpinionPanel({
      onChange: () => this.opinionChanged(),
      onLine: (line) => this.showLine(line),
      onMove: (move) => this.chooseMove(move),
    });
    this.review = new ReviewPanel({
      onChange: () => this.drawGame(),
      onGo: (ply) => this.go(ply),
      onLine: (line) => this.showLine(line),
    });
    this.tree = new TreePanel((line) => this.showLine(line));
    this.position = new PositionPanel({
      onOpen: (wishes) => holding(this.element, () => this.open(wishes)),
      onSetup: (cells) => this.drawSetup(cells),
    });
    this.graph = new ValueGraph((ply) => this.go(ply));
    this.moves = new MoveList((ply) => this.go(ply));
    this.build();
    document.addEventListener(
      "visibilitychange",
      () => (document.hidden ? this.opinion.stop() : this.element.isConnected && this.opinion.think(this.game)),
    );
  }

  build() {
    this.status = html("h1", { class: "status" }, "Study");
    /** @type {Record<string, HTMLButtonElement>} */
    this.toggles = {};
    const layer = (
      /** @type {"opinion" | "policy" | "exact"} */ name,
      /** @type {string} */ symbol,
      /** @type {string} */ words,
    ) =>
      (this.toggles[name] = toggle(symbol, words, this.layers[name], (on) => {
        this.layers[name] = on;
        remember("layers", this.layers);
        attempt(() => this.layersChanged());
      }));
    this.tabs = new Tabs("Study", [
      { title: "Opinion", element: this.opinion.element },
      { title: "Review", element: this.review.element },
      { title: "Tree", element: this.tree.element },
      { title: "Position", element: this.position.element },
    ]);
    const step = (
      /** @type {string} */ symbol,
      /** @type {string} */ words,
      /** @type {() => number} */ where,
    ) => button(symbol, words, () => this.step(where()), { plain: true });
    this.element = html(
      "section",
      { class: "view study", "aria-label": "Study" },
      html(
        "div",
        { class: "table" },
        html(
          "div",
          { class: "layers", role: "group", "aria-label": "Layers on the board" },
          layer("opinion", "opinion", "Opinion"),
          layer("policy", "heat", "Policy"),
          layer("exact", "exact", "Exact"),
        ),
        html("div", { class: "board-room" }, this.board.element),
        this.graph.element,
        html(
          "div",
          { class: "steps" },
          step("first", "To the start", () => 0),
          step("back", "Back", () => this.ply - 1),
          step("forward", "Forward", () => this.ply + 1),
          step("last", "To the end", () => (this.heading ?? this.game)?.moves.length ?? 0),
          button("flip", "Flip", () => this.flip(), { plain: true }),
          button("play", "Play from here", () => this.playOn()),
        ),
      ),
      html(
        "div",
        { class: "panel" },
        this.status,
        this.tabs.element,
        html("div", { class: "card moves-card" }, html("h2", {}, "Moves"), this.moves.element),
      ),
    );
  }

  /** @param {Address} address */
  async enter({ query }) {
    if (!query.game && this.game) return this.show(this.game);
    const ply = query.ply === undefined ? null : Number(query.ply);
    const opened = await this.open({
      game: query.game || "connect4", moves: query.moves ?? "", start: query.start ?? null, ply,
    });
    if (opened && query.review) {
      this.tabs?.choose(REVIEW);
      this.review.review();
    }
  }

  leave() {
    this.stay();
    this.opinion.stop();
    this.review.rest();
  }

  /** @param {Parameters<typeof StudiedGame.open>[0]} wishes @returns {Promise<boolean>} is it on the board? */
  async open(wishes) {
    const newest = this.stay();
    const opened = await StudiedGame.open(wishes);
    if (newest()) this.show(opened);
    return newest();
  }

  /** Whatever the board is being led to is not wanted any more. */
  stay() {
    const newest = this.ways.begin();
    this.heading = null;
    this.board.hold(false);
    return newest;
  }

  /** Lead the board there. Until then no move can be chosen on it, but it can be led elsewhere. @param {StudiedGame} heading */
  async lead(heading) {
    this.position.cancelSetup();
    const newest = this.ways.begin();
    this.heading = heading;
    this.board.hold(true);
    const arrived = await attempt(() => heading.arrive());
    if (!newest()) return;
    this.stay();
    if (arrived) this.show(arrived);
    else this.drawGame();
  }

  /** The position that is shown, or soon will be. */
  get ply() {
    return (this.heading ?? this.game)?.ply ?? 0;
  }

  /** @param {StudiedGame} game */
  show(game) {
    this.game = game;
    this.policy = null;
    this.line = null;
    this.board.prepare(game.board, this.flipped);
    this.review.show(game);
    this.tree.show(game);
    attempt(() => this.position.show(game));
    this.opinion.think(game);
    this.drawGame();
    keepAddress(writeAddress(
      "study",
      "",
      { game: game.board.game, moves: game.allMoves, start: game.start, ply: game.ply === game.moves.length ? null : game.ply },
    ));
    attempt(() => this.layersChanged());
    say(game.position.sentence);
  }

  /** The position, the list of moves and the graph. */
  drawGame() {
    const { game } = this;
    if (!game || this.position.settingUp) return;
    this.board.show(Board.shownOf(game.position), { choosing: !game.position.over });
    if (this.status) this.status.textContent = game.position.sentence;
    const judged = this.review.judged;
    this.moves.show(
      game.moves.map((move, index) => ({ move, mark: judged.get(index + 1)?.class, note: judged.get(index + 1)?.class })),
      game.ply,
    );
    const values = this.review.game ? this.review.graph : Array.from(
      { length: game.moves.length + 1 },
      (_, ply) => this.chances.get(keyOf(game, ply)) ?? null,
    );
    const dots = this.review.moves.filter((move) => [
      "mistake",
      "blunder",
    ].includes(move.class)).map((move) => ({ ply: move.ply, kind: move.class }));
    this.graph.show(values, Math.min(this.ply, game.moves.length), game.board.sides[0].name, dots);
    this.drawLayers();
  }

  opinionChanged() {
    const { game } = this;
    const { analysis } = this.opinion;
    if (!game || !analysis || analysis.win_probability === null) return this.drawLayers();
    const before = this.chances.size;
    this.chances.set(keyOf(game, game.ply), analysis.turn === 0 ? analysis.win_probability : 1 - analysis.win_probability);
    if (this.chances.size !== before || analysis.final) this.drawGame();
    return this.drawLayers();
  }

  async layersChanged() {
    const { game } = this;
    const network = game?.board.network ?? game?.board.networks[0];
    this.offerLayers();
    if (game && network && this.layers.policy && !this.policy && !game.position.over) {
      const answer = await ask("policy", { ...game.query(), network: network.id });
      if (game === this.game) this.policy = answer.cells;
    }
    this.drawLayers();
  }

  /** Layers that this game has nothing for cannot be switched on. */
  offerLayers() {
    const { game, toggles } = this;
    if (!game || !toggles) return;
    const { board } = game;
    toggles.policy.disabled = !board.network && !board.networks.length;
    const atFirstSight = "What the network thinks at first sight, without search";
    toggles.policy.title = toggles.policy.disabled ? board.network_remark : atFirstSight;
    toggles.exact.disabled = board.solver === "never";
    toggles.exact.title = {
      always: "Solved results of every move",
      late: "Solved results near the end of the game",
      never: "No solver knows this game",
    }[board.solver];
    toggles.opinion.title = "What the search thinks of the moves";
  }

  drawLayers() {
    const { game } = this;
    const { geometry, layers } = this.board;
    if (!game || !geometry || this.position.settingUp) return;
    const hidden = this.review.trying !== null; // the answer is not shown before it is asked for
    fill(
      layers.heat,
      this.layers.policy && this.policy && !hidden ? marks.heat(geometry, this.policy, !this.layers.opinion) : null,
    );
    const { analysis, exact } = this.opinion;
    if (this.line) fill(
      layers.opinions,
      marks.expectedLine(geometry, traceLine(game.board, game.position.board.cells, game.position.turn, this.line)),
    );
    else if (hidden) fill(layers.opinions);
    else fill(
      layers.opinions,
      this.layers.opinion && analysis ? marks.opinions(geometry, analysis.moves, this.layers.exact && exact.length > 0) : null,
      this.layers.exact ? marks.exactResults(geometry, exact) : null,
    );
  }

  /** @param {string[] | null} line  expected moves to be drawn instead of opinions */
  showLine(line) {
    if (line === this.line) return;
    this.line = line;
    this.drawLayers();
  }

  /** @param {string | null} move  a legal move under the pointer: what the search expects after it */
  pointAt(move) {
    if (this.review.trying) return;
    const found = move === null ? undefined : this.opinion.analysis?.moves.find((opinion) => opinion.move === move);
    this.showLine(found && found.line.length > 1 && this.layers.opinion ? found.line : null);
  }

  /** @param {string} move */
  chooseMove(move) {
    const { game } = this;
    if (this.review.trying && this.review.trying.ply - 1 === game?.ply) return attempt(() => this.review.judge(move));
    return game && this.lead(game.playing(move));
  }

  /** @param {number} ply  of the moves that are listed */
  go(ply) {
    const { game } = this;
    return game && ply >= 0 && ply <= game.moves.length ? this.lead(game.towards(ply)) : undefined;
  }

  /** @param {number} ply  seen from where the board is being led, so that two quick steps are two */
  step(ply) {
    const from = this.heading ?? this.game;
    return from && ply >= 0 && ply <= from.moves.length ? this.lead(from.towards(ply)) : undefined;
  }

  /** @param {number[] | null} cells  of a board that is being set up; null: it is done */
  drawSetup(cells) {
    if (!cells) return this.drawGame();
    this.stay();
    fill(this.board.layers.opinions);
    fill(this.board.layers.heat);
    return this.board.show(
      { cells, turn: 0, legal: [], last: null, lines: [], sentence: "A board is being set up." },
      { choosing: false, painting: true, animated: false },
    );
  }

  flip() {
    this.flipped = !this.flipped;
    if (!this.game) return;
    this.board.prepare(this.game.board, this.flipped);
    this.drawGame();
  }

  playOn() {
    if (this.game) visit(writeAddress("play", "", this.game.query()));
  }

  /** @param {KeyboardEvent} event  a key that nothing else on the page uses */
  onKey(event) {
    const target = /** @type {Element} */ (event.target);
    if (target.closest(".cells, [role=tab]")) return;
    const keys = {
      ArrowLeft: () => this.step(this.ply - 1),
      ArrowRight: () => this.step(this.ply + 1),
      f: () => this.flip(),
    };
    keys[/** @type {keyof typeof keys} */ (event.key)]?.();
  }
}

/** @param {StudiedGame} game @param {number} ply */
function keyOf(game, ply) {
  return JSON.stringify(game.query(ply));
}
