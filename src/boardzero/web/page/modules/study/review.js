/** The review of a game: accuracy, moves from best to blunder, and a second try at each mistake before the answer is shown. */

import { attempt } from "../common/announce.js";
import { button } from "../common/controls.js";
import { arrange, fill, html } from "../common/elements.js";
import { percent } from "../common/format.js";
import { Newest } from "../common/newest.js";
import { LONG_MILLISECONDS, ask, listen } from "../common/server.js";

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
    this.verdict = "";
    this.verdicts = new Newest();
    this.trouble = "";
    this.stop = () => {};
    this.body = html("div", { class: "review-body" });
    this.element = html("div", { class: "review-panel" }, this.body);
    /** @type {StudiedGame | null} the game on the board */
    this.shown = null;
    this.build();
    this.draw();
  }

  /** All that the panel ever holds: it is kept, so that no button vanishes under a press when a review goes on. */
  build() {
    this.words = html("p");
    this.begin = button("study", "Review this game", () => this.review(), { primary: true });
    this.progress = html("progress", { max: 1, value: 0, "aria-label": "Progress of the review" });
    this.table = html("table", { class: "review-table" });
    this.judgedHere = html("p", { class: "judged small" });
    this.again = button("restart", "Try again", () => this.tryHere());
    this.question = html("p");
    this.judgedTrial = html("p", { class: "judged", role: "status" });
    this.summaryButtons = html(
      "div",
      { class: "buttons" },
      button("forward", "Next mistake", () => this.nextMistake(), { primary: true }),
      this.again,
    );
    this.trialButtons = html(
      "div",
      { class: "buttons" },
      button("opinion", "Show the answer", () => this.answer()),
      button("forward", "Next mistake", () => this.nextMistake()),
      button("close", "Done", () => this.endTrial()),
    );
  }

  /** @param {StudiedGame} game  is on the board now */
  show(game) {
    this.shown = game;
    if (this.game && !game.sameGame(this.game)) this.forget();
    if (this.trying && game.ply !== this.trying.ply - 1) this.trying = null;
    if (!this.game) this.trouble = "";
    this.draw();
  }

  /** Another view is seen. A review that is not done is given up, and can be begun again. */
  rest() {
    this.stop();
    if (this.game && !this.players.length) this.forget();
    this.draw();
  }

  forget() {
    this.stop();
    this.verdicts.forget();
    this.trouble = "";
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
      trouble: ({ error }) => {
        this.forget();
        this.trouble = error;
        this.draw();
        this.wishes.onChange();
      },
    });
    this.draw();
  }

  draw() {
    const { game } = this;
    if (!game) this.drawOffer();
    else if (!this.players.length) this.drawProgress();
    else if (this.trying) this.drawTrial(this.trying);
    else this.drawSummary(game);
  }

  drawOffer() {
    const enough = (this.shown?.moves.length ?? 0) > 0;
    const offer = enough ? "Every move is judged by the win probability that it lost." : "Play or paste some moves first.";
    this.begin.disabled = !enough;
    this.words.className = this.trouble ? "bad" : "quiet";
    this.words.textContent = this.trouble || offer;
    arrange(this.body, [this.words, this.begin]);
  }

  drawProgress() {
    const known = this.graph.filter((value) => value !== null).length;
    this.words.className = "quiet";
    this.words.textContent = `Reviewing: ${known} of ${this.graph.length} positions`;
    this.progress.max = this.graph.length;
    this.progress.value = known;
    arrange(this.body, [this.words, this.progress]);
  }

  /** @param {StudiedGame} game */
  drawSummary(game) {
    const here = this.judgedMove;
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
      this.players.map((player) => html("td", {}, accuracyOf(player))),
    );
    fill(
      this.table,
      html("thead", {}, html("tr", {}, html("td"), heads)),
      html("tbody", {}, accuracy, rows),
    );
    fill(this.judgedHere, here ? this.sentence(here) : "\u00a0");
    this.again.disabled = !here || !MISTAKES.has(here.class);
    arrange(this.body, [this.table, this.judgedHere, this.summaryButtons]);
  }

  /** What was said of the move that led to the position on the board. */
  get judgedMove() {
    return this.moves.find((move) => move.ply === this.shown?.ply);
  }

  /** @param {JudgedMove} move */
  sentence(move) {
    const lost = move.lost >= 0.005 ? `, lost ${percent(move.lost)}` : "";
    const better = move.class !== "best" ? html("span", { class: "quiet" }, ` Best was ${move.best}.`) : null;
    return [html("strong", { class: `class-word ${move.class}` }, `${move.move}: ${move.class}`), `${lost}.`, better];
  }

  nextMistake() {
    const mistakes = this.moves.filter((move) => MISTAKES.has(move.class));
    const here = this.trying?.ply ?? this.shown?.ply ?? 0;
    const next = mistakes.find((move) => move.ply > here) ?? mistakes[0];
    if (next) this.tryAgain(next);
    else fill(this.judgedHere, "There is no mistake in this game.");
  }

  tryHere() {
    if (this.judgedMove) this.tryAgain(this.judgedMove);
  }

  /** @param {JudgedMove} move  the position before it is shown, and the answer is not */
  tryAgain(move) {
    this.trying = move;
    this.verdicts.forget();
    this.verdict = "";
    this.wishes.onGo(move.ply - 1);
  }

  /** @param {JudgedMove} move */
  drawTrial(move) {
    const side = this.game?.board.sides[move.side].name;
    fill(
      this.question,
      html("strong", {}, `${side} played ${move.move}`),
      `, a${/^[aeiou]/.test(move.class) ? "n" : ""} ${move.class}. Can you find something better? Play it on the board.`,
    );
    this.judgedTrial.textContent = this.verdict || "\u00a0";
    arrange(this.body, [this.question, this.judgedTrial, this.trialButtons]);
  }

  answer() {
    const { trying } = this;
    if (!trying) return;
    this.verdicts.forget();
    this.verdict = `Best was ${trying.best}: ${trying.best_line.join(" ")}`;
    this.draw();
    this.wishes.onLine(trying.best_line);
  }

  endTrial() {
    const { trying } = this;
    if (!trying) return;
    this.trying = null;
    this.wishes.onLine(null);
    this.wishes.onGo(trying.ply);
  }

  /**
   * A move tried on the board: it is judged, not played.
   * @param {string} tried
   */
  async judge(tried) {
    const { trying, game } = this;
    if (!trying || !game) return;
    const newest = this.verdicts.begin();
    this.verdict = "Judging…";
    this.draw();
    const asked = { ...game.query(trying.ply - 1), move: tried };
    const answer = await attempt(() => ask("judge", asked, LONG_MILLISECONDS));
    if (!newest()) return;
    this.verdict = answer ? verdictOn(tried, answer, trying) : "";
    this.draw();
  }

  /** Classes by ply, for the list of moves. @returns {Map<number, JudgedMove>} */
  get judged() {
    return new Map(this.moves.map((move) => [move.ply, move]));
  }
}

/** @param {{accuracy: number | null}} player  none where a side made no move */
function accuracyOf({ accuracy }) {
  return accuracy === null ? "–" : `${accuracy.toFixed(1)}\u202f%`;
}

/** @param {string} tried @param {JudgedMove} answer  about it @param {JudgedMove} played  what it is to be better than */
function verdictOn(tried, answer, played) {
  if (answer.class === "best" || answer.lost < 0.01) return `${tried} is right: ${answer.class}.`;
  const lost = `${answer.class}, loses ${percent(answer.lost)}`;
  const better = answer.lost < played.lost - 0.01;
  return better ? `${tried} is better (${lost}), but not the best.` : `${tried} is no better: ${lost}.`;
}
