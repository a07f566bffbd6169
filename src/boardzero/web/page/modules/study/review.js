/** The review of a game: accuracy, moves from best to blunder, and a second try at each mistake before the answer is shown. */

import { attempt } from "../common/announce.js";
import { button } from "../common/controls.js";
import { fill, html } from "../common/elements.js";
import { percent } from "../common/format.js";
import { ask, listen } from "../common/server.js";

/** @typedef {import("./studied_game.js").StudiedGame} StudiedGame */
/**
 * @typedef {Object} JudgedMove
 * @property {number} ply  after it
 * @property {string} move
 * @property {0 | 1} side  who made it
 * @property {string} class  from best to blunder
 * @property {number} lost  of the mover's win probability
 * @property {string} best
 * @property {string[]} best_line
 */

export const CLASSES = ["best", "excellent", "good", "inaccuracy", "mistake", "blunder"];
const MISTAKES = new Set(["inaccuracy", "mistake", "blunder"]);

export class ReviewPanel {
  /**
   * @param {Object} wishes
   * @param {() => void} wishes.onChange
   * @param {(ply: number) => void} wishes.onGo
   * @param {(line: string[] | null) => void} wishes.onLine
   */
  constructor(wishes) {
    this.wishes = wishes;
    /** @type {StudiedGame | null} the game that was reviewed */
    this.game = null;
    /** @type {(number | null)[]} the first side's win probability by ply */
    this.graph = [];
    /** @type {JudgedMove[]} */
    this.moves = [];
    /** @type {any[]} */
    this.players = [];
    /** @type {JudgedMove | null} the mistake that is tried again */
    this.trying = null;
    this.stop = () => {};
    this.begin = button("study", "Review this game", () => this.review(), { primary: true });
    this.body = html("div", { class: "review-body" });
    this.element = html("div", { class: "review-panel" }, this.body);
    /** @type {StudiedGame | null} the game on the board */
    this.shown = null;
    this.draw();
  }

  /** @param {StudiedGame} game  is on the board now */
  show(game) {
    this.shown = game;
    if (this.game && !game.sameGame(this.game)) this.forget();
    this.draw();
  }

  forget() {
    this.stop();
    this.game = null;
    this.graph = [];
    this.moves = [];
    this.players = [];
    this.trying = null;
  }

  review() {
    const game = this.shown;
    if (!game) return;
    this.forget();
    this.game = game;
    this.graph = Array.from({ length: game.moves.length + 1 }, () => null);
    this.stop = listen("review", game.query(game.moves.length), {
      ply: ({ ply, first }) => {
        this.graph[ply] = first;
        this.draw();
        this.wishes.onChange();
      },
      summary: (summary) => {
        this.graph = summary.graph;
        this.moves = summary.moves;
        this.players = summary.players;
        this.draw();
        this.wishes.onChange();
      },
      trouble: ({ error }) => fill(this.body, html("p", { class: "bad" }, error)),
    });
    this.draw();
  }

  draw() {
    const { shown, game } = this;
    if (!game) {
      const enough = (shown?.moves.length ?? 0) > 0;
      this.begin.disabled = !enough;
      fill(
        this.body,
        html(
          "p",
          { class: "quiet" },
          enough ? "Every move is judged by the win probability that it lost." : "Play or paste some moves first.",
        ),
        this.begin,
      );
    } else if (!this.players.length) {
      const known = this.graph.filter((value) => value !== null).length;
      fill(
        this.body,
        html("p", { class: "quiet" }, `Reviewing: ${known} of ${this.graph.length} positions`),
        html("progress", { max: this.graph.length, value: known, "aria-label": "Progress of the review" }),
      );
    } else if (this.trying) this.drawTrial(this.trying);
    else this.drawSummary(game);
  }

  /** @param {StudiedGame} game */
  drawSummary(game) {
    const here = this.moves.find((move) => move.ply === this.shown?.ply);
    const rows = CLASSES.map((kind) =>
      html(
        "tr",
        {},
        html("th", { scope: "row" }, html("span", { class: `class-dot ${kind}` }), kind),
        this.players.map((player) => html("td", {}, player.classes[kind])),
      ),
    );
    const heads = this.players.map((player) => html("th", { scope: "col" }, game.board.sides[player.side].name));
    const accuracy = html(
      "tr",
      { class: "accuracy" },
      html("th", { scope: "row" }, "Accuracy"),
      this.players.map((player) => html("td", {}, `${player.accuracy.toFixed(1)}\u202f%`)),
    );
    fill(
      this.body,
      html(
        "table",
        { class: "review-table" },
        html("thead", {}, html("tr", {}, html("td"), heads)),
        html("tbody", {}, accuracy, rows),
      ),
      html("p", { class: "judged small" }, here ? this.sentence(here) : "\u00a0"),
      html(
        "div",
        { class: "buttons" },
        button("forward", "Next mistake", () => this.nextMistake(), { primary: true }),
        this.tryButton(here),
      ),
    );
  }

  /** @param {JudgedMove | undefined} here */
  tryButton(here) {
    const offered = button("restart", "Try again", () => here && this.tryAgain(here));
    offered.disabled = !here || !MISTAKES.has(here.class);
    return offered;
  }

  /** @param {JudgedMove} move */
  sentence(move) {
    const lost = move.lost >= 0.005 ? `, lost ${percent(move.lost)}` : "";
    const better = move.class !== "best" ? html("span", { class: "quiet" }, ` Best was ${move.best}.`) : null;
    return [html("strong", { class: `class-word ${move.class}` }, `${move.move}: ${move.class}`), `${lost}.`, better];
  }

  nextMistake() {
    const mistakes = this.moves.filter((move) => MISTAKES.has(move.class));
    const next = mistakes.find((move) => move.ply > (this.shown?.ply ?? 0)) ?? mistakes[0];
    if (next) this.tryAgain(next);
    else fill(this.body.querySelector(".judged") ?? this.body, "There is no mistake in this game.");
  }

  /** @param {JudgedMove} move  the position before it is shown, and the answer is not */
  tryAgain(move) {
    this.trying = move;
    this.verdict = null;
    this.wishes.onGo(move.ply - 1);
  }

  /** @param {JudgedMove} move */
  drawTrial(move) {
    const side = this.game?.board.sides[move.side].name;
    fill(
      this.body,
      html(
        "p",
        {},
        html("strong", {}, `${side} played ${move.move}`),
        `, a${/^[aeiou]/.test(move.class) ? "n" : ""} ${move.class}. Can you find something better? Play it on the board.`,
      ),
      html("p", { class: "judged", role: "status" }, this.verdict ?? "\u00a0"),
      html(
        "div",
        { class: "buttons" },
        button("opinion", "Show the answer", () => this.answer(move)),
        button("forward", "Next mistake", () => this.nextMistake()),
        button("close", "Done", () => this.endTrial(move)),
      ),
    );
  }

  /** @param {JudgedMove} move */
  answer(move) {
    this.verdict = `Best was ${move.best}: ${move.best_line.join(" ")}`;
    this.draw();
    this.wishes.onLine(move.best_line);
  }

  /** @param {JudgedMove} move */
  endTrial(move) {
    this.trying = null;
    this.wishes.onLine(null);
    this.wishes.onGo(move.ply);
  }

  /**
   * A move tried on the board: it is judged, not played.
   * @param {string} tried
   */
  async judge(tried) {
    const { trying, game } = this;
    if (!trying || !game) return;
    this.verdict = "Judging…";
    this.draw();
    const answer = await attempt(() => ask("judge", { ...game.query(trying.ply - 1), move: tried }));
    if (!answer || this.trying !== trying) return;
    const better = answer.lost < trying.lost - 0.01;
    const right = answer.class === "best" || answer.lost < 0.01;
    const lost = `${answer.class}, loses ${percent(answer.lost)}`;
    if (right) this.verdict = `${tried} is right: ${answer.class}.`;
    else this.verdict = better ? `${tried} is better (${lost}), but not the best.` : `${tried} is no better: ${lost}.`;
    this.draw();
  }

  /** Classes by ply, for the list of moves. @returns {Map<number, JudgedMove>} */
  get judged() {
    return new Map(this.moves.map((move) => [move.ply, move]));
  }
}
