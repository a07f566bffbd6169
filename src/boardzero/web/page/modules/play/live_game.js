/** A game that the server keeps: it goes on after a reload, and others can share it. Changes come as a stream of events. */

import { show } from "../common/announce.js";
import { listen, send } from "../common/server.js";

/** @typedef {import("../common/types.js").Game} Game */

export class LiveGame {
  /** @param {(game: Game) => void} onChange  called with every newer state */
  constructor(onChange) {
    this.onChange = onChange;
    /** @type {Game | null} */
    this.state = null;
    this.id = "";
    this.stop = () => {};
    this.resting = false;
    /** Changes are asked for one after another, so that they happen in the order in which they were wished for. */
    this.asked = Promise.resolve();
    document.addEventListener("visibilitychange", () => (document.hidden ? this.stop() : this.resting || this.follow()));
  }

  /** @param {Game} game  follow this one from now on */
  open(game) {
    this.close();
    this.id = game.id;
    this.take(game);
    this.follow();
  }

  close() {
    this.stop();
    this.id = "";
    this.state = null;
  }

  /** Another view is seen: nothing is listened to until `follow`. */
  rest() {
    this.resting = true;
    this.stop();
  }

  /** Browsers allow few streams to one server, so only a page that is seen listens. */
  follow() {
    this.stop();
    this.resting = false;
    const id = this.id;
    if (!id || document.hidden) return;
    this.stop = listen(`games/${id}/events`, {}, {
      game: (game) => id === this.id && this.take(game),
      trouble: ({ error }) => id === this.id && show(error, "trouble"),
    });
  }

  /** @param {Game} game */
  take(game) {
    if (this.state && this.state.id === game.id && game.version < this.state.version) return;
    this.state = game;
    this.onChange(game);
  }

  /**
   * Ask the server for a change; its refusal is an error.
   * @param {"moves" | "undo" | "redo" | "goto" | "restart" | "resign" | "players" | "pause"} what
   * @param {(game: Game) => object | null} [wish]  what to send when its turn has come; null: it is of no use any more
   * @returns {Promise<void>}
   */
  command(what, wish = () => ({})) {
    const id = this.id;
    const done = this.asked.then(async () => {
      const body = this.state && id === this.id ? wish(this.state) : null;
      if (!body) return;
      const game = await send(`games/${id}/${what}`, body);
      if (id === this.id) this.take(game);
    });
    this.asked = done.catch(() => undefined);
    return done;
  }
}
