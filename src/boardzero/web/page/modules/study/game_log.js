/** The window with the games of the log, to be opened for study. */

import { attempt } from "../common/announce.js";
import { button } from "../common/controls.js";
import { fill, html } from "../common/elements.js";
import { date, plural } from "../common/format.js";
import { Newest } from "../common/newest.js";
import { ask } from "../common/server.js";

const PAGE = 50;
const RESULTS = { first: "1–0", second: "0–1", draw: "½–½", unfinished: "unfinished" };

export class GameLog {
  /** @param {(record: {game: string, moves: string, start: string | null}) => void} onOpen */
  constructor(onOpen) {
    this.onOpen = onOpen;
    this.choices = new Newest();
    this.list = html("ul", { class: "log" });
    this.ratings = html("div", { class: "ratings" });
    this.element = html(
      "dialog",
      { class: "window", "aria-labelledby": "log-title", onclose: () => this.choices.forget() },
      html(
        "header",
        {},
        html("h2", { id: "log-title" }, "Game log"),
        button("close", "Close", () => this.element.close(), { plain: true }),
      ),
      this.list,
      this.ratings,
    );
  }

  /** @param {string} game  whose ratings are shown too */
  async open(game) {
    const [answer, rated] = await Promise.all([ask("log", { limit: PAGE }), ask("ratings", { game })]);
    fill(this.ratings, rated.players.length ? ratingTable(game, rated.players) : null);
    fill(this.list, answer.games.length ? this.rows(answer) : html("li", { class: "quiet" }, "No game has been saved yet."));
    if (this.element.isConnected && !this.element.open) this.element.showModal();
  }

  /** @param {any} answer @returns {HTMLElement[]} */
  rows({ games, next }) {
    const rows = games.map((/** @type {any} */ game) =>
      html(
        "li",
        {},
        html(
          "button",
          { type: "button", onclick: () => attempt(() => this.choose(game.id)) },
          html("strong", {}, `${game.players[0]} – ${game.players[1]}`),
          html("span", { class: "result" }, RESULTS[/** @type {keyof typeof RESULTS} */ (game.result)] ?? game.result),
          html("span", { class: "quiet small" }, `${game.game} · ${plural(game.plies, "move")} · ${date(game.ended)}`),
        ),
      ),
    );
    if (next !== null) rows.push(this.moreRow(next));
    return rows;
  }

  /** @param {number} next */
  moreRow(next) {
    const row = html(
      "li",
      {},
      button(
        "plus",
        "Older games",
        () => attempt(async () => row.replaceWith(...this.rows(await ask("log", { limit: PAGE, skip: next })))),
        { single: true },
      ),
    );
    return row;
  }

  /** @param {string} id */
  async choose(id) {
    const newest = this.choices.begin();
    const record = await ask(`log/${id}`);
    if (!newest()) return;
    this.element.close();
    this.onOpen(record);
  }
}

/** @param {{low: number | null, high: number | null}} rated */
function interval({ low, high }) {
  return low === null || high === null ? "fixed" : `${low.toFixed(0)} to ${high.toFixed(0)}`;
}

/**
 * @param {string} game
 * @param {{player: string, rating: number, low: number | null, high: number | null, games: number}[]} players
 */
function ratingTable(game, players) {
  const rows = players.map((rated) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, rated.player),
      html("td", {}, rated.rating.toFixed(0)),
      html("td", { class: "quiet" }, interval(rated)),
      html("td", {}, String(rated.games)),
    ),
  );
  const heads = ["Player", "Rating", "95 % interval", "Games"].map((head) => html("th", { scope: "col" }, head));
  return html(
    "table",
    { class: "review-table" },
    html("caption", {}, `Ratings in ${game}`),
    html("thead", {}, html("tr", {}, heads)),
    html("tbody", {}, rows),
  );
}
