/** The view where games are played. */

import { Board } from "../board/board.js";
import { splitMoves } from "../board/lines.js";
import { keepAddress, visit, writeAddress } from "../common/address.js";
import { attempt, say, show } from "../common/announce.js";
import { boardOf, titleOf } from "../common/catalogue.js";
import { button } from "../common/controls.js";
import { fill, html } from "../common/elements.js";
import { recall, remember } from "../common/memory.js";
import { MoveList } from "../common/move_list.js";
import { Refusal, ask, send } from "../common/server.js";
import { LiveGame } from "./live_game.js";
import { NewGame } from "./new_game.js";
import { PlayerBar } from "./player_bar.js";
import { ShareGame, linkTo } from "./share_game.js";
import { statusOf, stockOf } from "./status.js";

/** @typedef {import("../common/types.js").BoardInformation} BoardInformation */
/** @typedef {import("../common/types.js").Game} Game */
/** @typedef {import("../common/address.js").Address} Address */

export class PlayView {
  constructor() {
    this.board = new Board({ onMove: (move) => this.move(move) });
    this.live = new LiveGame((game) => this.changed(game));
    this.newGame = new NewGame((wishes) => attempt(() => this.begin(wishes)));
    this.share = new ShareGame((side) => this.takeSide(side));
    this.moves = new MoveList((ply) => attempt(() => this.lookBack(ply)));
    this.bars = { upper: new PlayerBar(), lower: new PlayerBar() };
    /** @type {BoardInformation | null} */
    this.information = null;
    /** @type {0 | 1 | null} the side that this browser plays; null: every human side */
    this.side = null;
    this.flipped = false;
    /** @type {number | null} the ply that is looked back at */
    this.looking = null;
    this.turns = Promise.resolve();
    this.build();
  }

  build() {
    this.status = html("h1", { class: "status" }, "boardzero");
    this.remark = html("p", { class: "quiet remark" });
    this.extra = html("div", { class: "extra" });
    this.title = html("p", { class: "quiet title" });
    this.undo = button("undo", "Undo", () => this.command("undo"), { hint: "Take back (U)" });
    this.redo = button("redo", "Redo", () => this.command("redo"), { hint: "Play again what was taken back (R)" });
    this.resign = button("flag", "Resign", () => this.command("resign", { side: this.resigningSide() }), { plain: true });
    this.pause = button("pause", "Pause", () => this.command("pause", { paused: !this.live.state?.paused }));
    this.element = html(
      "section",
      { class: "view play", "aria-label": "Play" },
      html(
        "div",
        { class: "table" },
        this.bars.upper.element,
        html("div", { class: "board-room" }, this.board.element),
        this.bars.lower.element,
      ),
      html(
        "div",
        { class: "panel" },
        html("div", { class: "state" }, this.status, this.remark, this.extra),
        html(
          "div",
          { class: "buttons four" },
          this.undo, this.redo,
          button("restart", "Restart", () => this.command("restart")),
          button("flip", "Flip", () => this.flip(), { hint: "See the board from the other side (F)" }),
        ),
        html("div", { class: "card moves-card" }, html("h2", {}, "Moves"), this.moves.element),
        html(
          "div",
          { class: "buttons" },
          button("plus", "New game", () => this.chooseNewGame(), { primary: true, hint: "Choose game and players (N)" }),
          button("share", "Share", () => this.live.state && this.share.open(this.live.state, this.information)),
          button("study", "Study", () => this.study()),
        ),
        this.title,
        html("p", { class: "quiet keys" }, "Keys: arrows and Enter play, U undo, R redo, F flip, N new game"),
      ),
      this.newGame.element,
      this.share.element,
    );
  }

  /** @param {Address} address */
  async enter({ id, query }) {
    this.side = query.side === "0" ? 0 : query.side === "1" ? 1 : null;
    const known = id || (query.game ? "" : recall("game", ""));
    if (known && known === this.live.id) return this.live.follow();
    const found = known ? await this.find(known) : null;
    if (found) return this.open(found);
    const players = query.first && query.second ? [query.first, query.second] : null;
    return this.begin({ game: query.game || "connect4", players, moves: query.moves ?? "", start: query.start ?? null });
  }

  leave() {
    this.live.rest();
  }

  /** @param {string} id @returns {Promise<Game | null>} */
  async find(id) {
    try {
      return await ask(`games/${id}`);
    } catch (error) {
      if (error instanceof Refusal && error.status >= 400) return null;
      throw error;
    }
  }

  /** @param {{game: string, players?: string[] | null, moves?: string, start?: string | null}} wishes */
  async begin({ game, players, moves = "", start = null }) {
    const board = await boardOf(game);
    const usual = ["human", (board.levels[1] ?? board.levels[0])?.player ?? "random"];
    await this.open(await send("games", { game, players: players ?? usual, moves, start }));
    remember("players", players ?? usual);
  }

  /** @param {Game} game */
  async open(game) {
    this.live.close();
    this.information = await boardOf(game.position.game);
    this.looking = null;
    this.flipped = false;
    this.live.open(game);
    remember("game", game.id);
  }

  /** @param {Game} game  its newest state */
  changed(game) {
    if (!this.information || game.position.game !== this.information.game) {
      this.turns = this.turns.then(() => attempt(async () => {
        this.information = await boardOf(game.position.game);
        this.changed(game);
      })).then(() => undefined);
      return;
    }
    this.looking = null;
    this.draw(game);
    keepAddress(linkTo(game, this.side));
  }

  /** @param {Game} game */
  draw(game) {
    const board = /** @type {BoardInformation} */ (this.information);
    const { position } = game;
    this.board.prepare(board, this.flipped);
    this.board.show(Board.shownOf(position), { choosing: this.mayMove(game) });
    this.drawBars(game, board);
    this.moves.show(splitMoves(board, position.moves).map((move) => ({ move })), position.plies);
    const status = statusOf(game, board, this.side);
    this.showStatus(status.sentence, status.remark);
    this.drawExtra(game);
    this.undo.disabled = position.plies === 0;
    this.redo.disabled = game.redo.length === 0;
    this.resign.hidden = !game.players.includes("human") || game.result !== "unfinished" || position.plies < 2;
    this.pause.hidden = game.players.includes("human") || position.over;
    fill(this.pause.lastElementChild ?? this.pause, game.paused ? "Go on" : "Pause");
    attempt(async () => fill(
      /** @type {HTMLElement} */ (this.title),
      await titleOf(game.position.game),
      game.watchers > 1 ? ` · ${game.watchers} people here` : "",
    ));
  }

  /** @param {string} sentence @param {string} remark */
  showStatus(sentence, remark) {
    if (this.status) this.status.textContent = sentence;
    if (this.remark) this.remark.textContent = remark;
    say([sentence, remark].filter(Boolean).join(" "));
  }

  /** @param {Game} game @param {BoardInformation} board */
  drawBars(game, board) {
    const below = this.flipped ? 1 : 0;
    for (const [bar, side] of /** @type {[PlayerBar, 0 | 1][]} */ ([[this.bars.lower, below], [this.bars.upper, 1 - below]])) {
      bar.show(
        board,
        game,
        side,
        stockOf(game.position, board, side),
        !game.position.over && game.result === "unfinished" && game.position.turn === side,
      );
    }
  }

  /** What a person can do besides moving: pass, or come back from looking. @param {Game} game */
  drawExtra(game) {
    const passes = this.mayMove(game) && game.position.legal[0]?.kind === "pass";
    const extra = /** @type {HTMLElement} */ (this.extra);
    if (this.looking !== null) fill(extra, button("forward", "Back to the game", () => this.changed(game), { primary: true }));
    else fill(
      extra,
      passes ? button("forward", "Pass", () => this.move("pass"), { primary: true }) : null,
      this.pause ?? null,
      this.resign ?? null,
    );
  }

  /** @param {Game} game */
  mayMove(game) {
    const { position } = game;
    const mine = game.players[position.turn] === "human" && (this.side === null || this.side === position.turn);
    return mine && game.result === "unfinished" && this.looking === null;
  }

  /** The side that this browser plays: the one to move, where a person plays both. */
  resigningSide() {
    const game = /** @type {Game} */ (this.live.state);
    if (this.side !== null) return this.side;
    return game.players[game.position.turn] === "human" ? game.position.turn : 1 - game.position.turn;
  }

  /** @param {string} move */
  move(move) {
    return this.command("moves", { move, ply: this.live.state?.position.plies });
  }

  /** @param {Parameters<LiveGame["command"]>[0]} what @param {object} [body] */
  command(what, body = {}) {
    return attempt(() => this.live.command(what, body));
  }

  /** Show an earlier position without taking anything back. @param {number} ply */
  async lookBack(ply) {
    const game = this.live.state;
    if (!game || !this.information) return;
    const { position } = game;
    if (ply === position.plies) return this.changed(game);
    const { positions } = await ask("positions", { game: position.game, moves: position.moves, start: position.start });
    const there = positions[ply];
    this.looking = ply;
    this.board.show({ ...there, legal: [], line: [], sentence: `Position after move ${ply}.` }, { choosing: false });
    this.moves.show(splitMoves(this.information, position.moves).map((move) => ({ move })), ply);
    this.showStatus(`After move ${ply} of ${position.plies}`, "");
    this.drawExtra(game);
  }

  flip() {
    this.flipped = !this.flipped;
    if (this.live.state) this.draw(this.live.state);
  }

  /** @param {0 | 1 | null} side  play only this one from now on */
  takeSide(side) {
    this.side = side;
    if (this.live.state) this.changed(this.live.state);
    if (side !== null && this.information) show(`The link is copied. You play ${this.information.sides[side].name}.`);
  }

  chooseNewGame() {
    const game = this.live.state;
    const players = game?.players ?? recall("players", /** @type {[string, string]} */ (["human", ""]));
    return attempt(() => this.newGame.open({ game: game?.position.game ?? "connect4", players }));
  }

  study() {
    const position = this.live.state?.position;
    if (position) visit(writeAddress(
      "study",
      "",
      { game: position.game, moves: position.moves, start: position.start, review: position.over ? "1" : null },
    ));
  }

  /** @param {KeyboardEvent} event  a key that nothing else on the page uses */
  onKey(event) {
    const keys = {
      u: () => this.command("undo"),
      r: () => this.command("redo"),
      f: () => this.flip(),
      n: () => this.chooseNewGame(),
    };
    keys[/** @type {keyof typeof keys} */ (event.key)]?.();
  }
}
