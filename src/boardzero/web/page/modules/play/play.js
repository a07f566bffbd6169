/** The view where games are played. */

import { Board } from "../board/board.js";
import { splitMoves } from "../board/lines.js";
import { keepAddress, visit, writeAddress } from "../common/address.js";
import { attempt, say, show } from "../common/announce.js";
import { boardOf, titleOf } from "../common/catalogue.js";
import { button } from "../common/controls.js";
import { fill, html } from "../common/elements.js";
import { holding } from "../common/holding.js";
import { recall, remember } from "../common/memory.js";
import { MoveList } from "../common/move_list.js";
import { Newest } from "../common/newest.js";
import { Refusal, ask, send } from "../common/server.js";
import { LiveGame } from "./live_game.js";
import { NewGame } from "./new_game.js";
import { PlayerBar } from "./player_bar.js";
import { ShareGame, linkTo } from "./share_game.js";
import { statusOf, stockOf } from "./status.js";

/** @typedef {import("../common/types.js").BoardInformation} BoardInformation */
/** @typedef {import("../common/types.js").Game} Game */
/** @typedef {import("../common/address.js").Address} Address */
/** @typedef {import("./new_game.js").Wishes} Wishes */

export class PlayView {
  constructor() {
    this.board = new Board({ onMove: (move) => this.move(move) });
    this.live = new LiveGame((game) => this.changed(game));
    this.newGame = new NewGame((wishes) => this.beginChosen(wishes));
    this.share = new ShareGame((side) => this.takeSide(side));
    this.moves = new MoveList((ply) => attempt(() => this.lookBack(ply)));
    this.bars = { upper: new PlayerBar(), lower: new PlayerBar() };
    /** @type {BoardInformation | null} */
    this.information = null;
    /** @type {0 | 1 | null} the side that this browser plays; null: every human side */
    this.side = null;
    this.flipped = false;
    /** @type {{ply: number, moves: string, there: any} | null} the earlier position that is looked at, of the game so far */
    this.looking = null;
    this.openings = new Newest();
    this.looks = new Newest();
    this.build();
  }

  build() {
    this.status = html("h1", { class: "status" }, "boardzero");
    this.remark = html("p", { class: "quiet remark" });
    this.extra = html("div", { class: "extra" });
    this.title = html("p", { class: "quiet title" });
    this.undo = button("undo", "Undo", () => this.takeBack(), { hint: "Take back (U)" });
    this.redo = button("redo", "Redo", () => this.playAgain(), { hint: "Play again what was taken back (R)" });
    this.back = button("forward", "Back to the game", () => this.lookNoMore(), { primary: true });
    this.pass = button("forward", "Pass", () => this.move("pass"), { primary: true, single: true });
    this.pause = button("pause", "Pause", () => this.command("pause", (game) => ({ paused: !game.paused })), { single: true });
    this.resign = button("flag", "Resign", () => this.giveUp(), { plain: true, single: true });
    for (const each of [this.back, this.pass, this.pause, this.resign]) each.hidden = true;
    fill(this.extra, this.back, this.pass, this.pause, this.resign);
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
          button("restart", "Restart", () => this.command("restart"), { single: true }),
          button("flip", "Flip", () => this.flip(), { hint: "See the board from the other side (F)" }),
        ),
        html("div", { class: "card moves-card" }, html("h2", {}, "Moves"), this.moves.element),
        html(
          "div",
          { class: "buttons" },
          button(
            "plus",
            "New game",
            () => this.chooseNewGame(),
            { primary: true, hint: "Choose game and players (N)", single: true },
          ),
          button("share", "Share", () => this.shareGame(), { single: true }),
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
    if (id || query.game) this.side = query.side === "0" ? 0 : query.side === "1" ? 1 : null;
    const known = id || (query.game ? "" : recall("game", ""));
    const newest = this.openings.begin();
    if (known && this.live.state?.id === known) {
      this.live.follow();
      return this.changed(this.live.state);
    }
    const found = known ? await this.find(known) : null;
    if (!newest()) return undefined;
    if (found) return this.open(found);
    const players = query.first && query.second ? [query.first, query.second] : null;
    return this.begin({ game: query.game || "connect4", players, moves: query.moves ?? "", start: query.start ?? null });
  }

  leave() {
    this.openings.forget();
    this.live.rest();
  }

  /** @param {string} id @returns {Promise<Game | null>} */
  async find(id) {
    try {
      return await ask(`games/${id}`);
    } catch (error) {
      if (error instanceof Refusal && error.status >= 400 && error.status < 500) return null;
      throw error;
    }
  }

  /** @param {{game: string, players?: string[] | null, moves?: string, start?: string | null}} wishes */
  async begin({ game, players, moves = "", start = null }) {
    const newest = this.openings.begin();
    const board = await boardOf(game);
    const usual = ["human", (board.levels[1] ?? board.levels[0])?.player ?? "random"];
    if (!newest()) return;
    const begun = await send("games", { game, players: players ?? usual, moves, start });
    if (newest()) await this.open(begun);
    remember("players", players ?? usual);
  }

  /** The game before stays on the board until the new one is there, but nothing of it can be pressed. @param {Wishes} wishes */
  beginChosen(wishes) {
    return attempt(() => holding(this.element, async () => {
      const before = this.live.id;
      await this.begin(wishes);
      if (this.live.id !== before && this.side !== null) this.takeSide(null);
    }));
  }

  /** @param {Game} game */
  async open(game) {
    const newest = this.openings.begin();
    const information = await boardOf(game.position.game);
    if (!newest()) return;
    this.information = information;
    this.looks.forget();
    this.looking = null;
    this.flipped = false;
    this.live.open(game);
    remember("game", game.id);
  }

  /** @param {Game} game  its newest state */
  changed(game) {
    if (this.looking?.moves !== game.position.moves) this.looking = null; // other news do not lead away from it
    this.draw(game);
    if (!this.live.resting) keepAddress(linkTo(game, this.side));
  }

  /** @param {Game} game */
  draw(game) {
    const board = /** @type {BoardInformation} */ (this.information);
    const { looking } = this;
    const { position } = game;
    this.board.prepare(board, this.flipped);
    this.board.show(
      looking
        ? { ...looking.there, legal: [], lines: [], sentence: `Position after move ${looking.ply}.` }
        : Board.shownOf(position),
      { choosing: this.mayMove(game) },
    );
    this.drawBars(game, board);
    this.moves.show(splitMoves(board, position.moves).map((move) => ({ move })), looking?.ply ?? position.plies);
    if (looking) this.showStatus(`After move ${looking.ply} of ${position.plies}`, "");
    else {
      const status = statusOf(game, board, this.side);
      this.showStatus(status.sentence, status.remark);
    }
    this.drawButtons(game);
    attempt(() => this.drawTitle(game));
  }

  /** @param {Game} game */
  async drawTitle(game) {
    const title = await titleOf(game.position.game);
    const people = game.watchers > 1 ? ` · ${game.watchers} people here` : "";
    if (this.title && this.live.state === game) this.title.textContent = title + people;
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

  /** What a person can do besides moving. The buttons are kept: one that is pressed stays. @param {Game} game */
  drawButtons(game) {
    const { position } = game;
    const [looking, human] = [this.looking !== null, game.players.includes("human")];
    this.undo.disabled = position.plies === 0;
    this.redo.disabled = game.redo.length === 0;
    this.back.hidden = !looking;
    this.pass.hidden = !this.mayMove(game) || position.legal[0]?.kind !== "pass";
    this.resign.hidden = looking || !human || game.result !== "unfinished" || position.plies < 2;
    this.pause.hidden = looking || human || position.over;
    const words = /** @type {Element} */ (this.pause.lastElementChild);
    words.textContent = game.paused ? "Go on" : "Pause";
  }

  /** @param {Game} game */
  mayMove(game) {
    const { position } = game;
    const mine = game.players[position.turn] === "human" && (this.side === null || this.side === position.turn);
    return mine && game.result === "unfinished" && this.looking === null;
  }

  /** The side that this browser plays: the one to move, where a person plays both. @param {Game} game */
  resigningSide(game) {
    if (this.side !== null) return this.side;
    return game.players[game.position.turn] === "human" ? game.position.turn : 1 - game.position.turn;
  }

  /** One press, one move: until the server has answered, no other can be made. @param {string} move */
  async move(move) {
    const ply = this.live.state?.position.plies;
    this.board.hold(true);
    await this.command("moves", (game) => (game.position.plies === ply ? { move, ply } : null));
    this.board.hold(false);
  }

  takeBack() {
    return this.command("undo", (game) => (game.position.plies ? {} : null));
  }

  playAgain() {
    return this.command("redo", (game) => (game.redo.length ? {} : null));
  }

  giveUp() {
    return this.command("resign", (game) => (game.result === "unfinished" ? { side: this.resigningSide(game) } : null));
  }

  /** @param {Parameters<LiveGame["command"]>[0]} what @param {Parameters<LiveGame["command"]>[1]} [wish] */
  command(what, wish) {
    return attempt(() => this.live.command(what, wish));
  }

  /** Show an earlier position without taking anything back. @param {number} ply */
  async lookBack(ply) {
    const newest = this.looks.begin();
    const game = this.live.state;
    if (!game || ply === game.position.plies) return this.lookNoMore();
    const { game: kind, moves, start } = game.position;
    const { positions } = await ask("positions", { game: kind, moves, start });
    if (!newest() || this.live.state?.id !== game.id) return undefined;
    this.looking = { ply, moves, there: positions[ply] };
    return this.changed(this.live.state);
  }

  lookNoMore() {
    this.looks.forget();
    this.looking = null;
    if (this.live.state) this.changed(this.live.state);
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

  shareGame() {
    const game = this.live.state;
    return attempt(async () => game && await this.share.open(game, this.information));
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
      u: () => this.takeBack(),
      r: () => this.playAgain(),
      f: () => this.flip(),
      n: () => this.chooseNewGame(),
    };
    keys[/** @type {keyof typeof keys} */ (event.key)]?.();
  }
}
