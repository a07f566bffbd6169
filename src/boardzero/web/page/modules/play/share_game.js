/** Links to a live game: for a friend who plays the other side, or for somebody who watches. */

import { writeAddress } from "../common/address.js";
import { show } from "../common/announce.js";
import { copyText } from "../common/clipboard.js";
import { button } from "../common/controls.js";
import { fill, html } from "../common/elements.js";
import { ask } from "../common/server.js";

/** @typedef {import("../common/types.js").BoardInformation} BoardInformation */
/** @typedef {import("../common/types.js").Game} Game */

/**
 * The address of a live game. It says all that is needed to play on where a server no longer knows the game.
 * @param {Game} game
 * @param {0 | 1 | null} side  that whoever opens it plays; null: every human side
 * @param {string | null} [invite]  lets in whoever has not got the server's token
 */
export function linkTo({ id, players, position }, side, invite = null) {
  const { game, moves, start } = position;
  return writeAddress("play", id, { game, moves, start, first: players[0], second: players[1], side, invite });
}

const HERE = /^(localhost|127\.[0-9.]+|\[::1\])$/;

export class ShareGame {
  /** @param {(side: 0 | 1 | null) => void} onSide  this browser plays only this side from now on */
  constructor(onSide) {
    this.onSide = onSide;
    this.rows = html("div", { class: "links" });
    this.element = html(
      "dialog",
      { class: "window", "aria-labelledby": "share-title" },
      html(
        "header",
        {},
        html("h2", { id: "share-title" }, "Share this game"),
        button("close", "Close", () => this.element.close(), { plain: true }),
      ),
      html(
        "p",
        { class: "quiet" },
        "Whoever opens a link sees every move at once, as long as this server can be reached from there.",
      ),
      this.rows,
    );
  }

  /** @param {Game} game @param {BoardInformation | null} board */
  async open(game, board) {
    if (!board) return;
    const { invite, address } = await ask(`games/${game.id}/invitation`);
    const origin = address && HERE.test(window.location.hostname) ? address.replace(/\/$/, "") : window.location.origin;
    /** @param {0 | 1 | null} side */
    const link = (side) => origin + linkTo(game, side, invite);
    const people = game.players.filter((player) => player === "human").length;
    const seats = people === 2 ? /** @type {(0 | 1)[]} */ ([1, 0]).map((side) => this.row(
      link(side),
      `A friend plays ${board.sides[side].name}`,
      side,
    )) : [];
    fill(this.rows, seats, this.row(link(null), people ? "Go on with the game elsewhere" : "Watch the game", null));
    if (this.element.isConnected && !this.element.open) this.element.showModal();
  }

  /** @param {string} link @param {string} words @param {0 | 1 | null} side */
  row(link, words, side) {
    const copy = async () => {
      await copyText(link);
      this.element.close();
      if (side === null) show("The link is copied.");
      else this.onSide(side === 0 ? 1 : 0);
    };
    const field = html(
      "input",
      { type: "text", readonly: true, value: link, "aria-label": `Link: ${words}`, onfocus: () => field.select() },
    );
    return html(
      "div",
      { class: "link" },
      html("span", {}, words),
      html("div", { class: "copy-row" }, field, button("copy", "Copy", copy)),
    );
  }
}
