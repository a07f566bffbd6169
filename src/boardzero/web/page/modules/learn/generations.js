/** Playing what a run has learned: any of its generations, or two of them against each other. */

import { visit, writeAddress } from "../common/address.js";
import { attempt } from "../common/announce.js";
import { button, choice, numberField, offer } from "../common/controls.js";
import { html } from "../common/elements.js";
import { send } from "../common/server.js";

/** @typedef {import("../common/types.js").Run} Run */

export class Generations {
  constructor() {
    /** @type {Run | null} */
    this.run = null;
    this.first = choice("Generation", [], "");
    this.second = choice("against", [], "");
    this.simulations = numberField("Simulations", 50, { least: 1, most: 20_000 });
    this.playButton = button(
      "play",
      "Play against it",
      () => attempt(() => this.begin(["human", this.player(this.first)])),
      { primary: true, single: true },
    );
    this.duelButton = button(
      "swap",
      "Let them play",
      () => attempt(() => this.begin([this.player(this.first), this.player(this.second)])),
      { single: true },
    );
    this.element = html(
      "section",
      { class: "card generations", "aria-label": "Play a generation" },
      html("h2", {}, "Play what it learned"),
      html("div", { class: "three" }, this.first.element, this.second.element, this.simulations.element),
      html("div", { class: "buttons" }, this.playButton, this.duelButton),
    );
    /** What the choices were made from. */
    this.offered = "";
  }

  /**
   * @param {Run} run
   * @param {Run[]} runs  others of the same game can be met
   */
  show(run, runs) {
    this.run = run;
    const networks = [run, ...runs.filter((other) => other.id !== run.id && other.game === run.game)].flatMap((one) =>
      [...one.network_generations].reverse().map((generation) => ({
        value: `${one.id}.${generation}`,
        title: one.id === run.id ? String(generation) : `${generation} of ${one.title}`,
      })),
    );
    const offered = JSON.stringify(networks);
    if (offered === this.offered) return;
    this.offered = offered;
    const oldest = Math.min(run.network_generations.length, networks.length) - 1;
    offer(this.first.select, networks, networks[0]?.value ?? "");
    offer(this.second.select, networks, networks[oldest]?.value ?? "");
    this.playButton.disabled = this.duelButton.disabled = networks.length === 0;
  }

  /** @param {{select: HTMLSelectElement}} chosen */
  player({ select }) {
    return `alphazero:network=${select.value},sims=${this.simulations.input.value}`;
  }

  /** @param {string[]} players */
  async begin(players) {
    if (!this.run) return;
    const game = await send("games", { game: this.run.game, players });
    if (this.element.isConnected) visit(writeAddress("play", game.id));
  }
}
