/** The window where a training is started. */

import { attempt } from "../common/announce.js";
import { catalogue } from "../common/catalogue.js";
import { button, choice, numberField } from "../common/controls.js";
import { fill, html } from "../common/elements.js";
import { once } from "../common/holding.js";
import { LONG_MILLISECONDS, send } from "../common/server.js";

export class StartRun {
  /** @param {(run: import("../common/types.js").Run) => void} onStarted */
  constructor(onStarted) {
    this.onStarted = onStarted;
    this.game = choice("Game", [], "");
    this.minutes = numberField("Minutes", 10, { least: 0.1, most: 1440, step: "any" });
    this.seed = numberField("Seed", 1, { least: 0, most: 1_000_000 });
    this.settings = html(
      "input",
      { type: "text", placeholder: "network.blocks=4 selfplay.games=64", spellcheck: "false", autocomplete: "off" },
    );
    this.begin = html("button", { type: "submit", class: "primary" }, "Start");
    this.element = html(
      "dialog",
      { class: "window", "aria-labelledby": "start-title" },
      html(
        "form",
        { method: "dialog", onsubmit: (/** @type {Event} */ event) => this.submitted(event) },
        html(
          "header",
          {},
          html("h2", { id: "start-title" }, "Start a training"),
          button("close", "Close", () => this.element.close(), { plain: true }),
        ),
        html(
          "p",
          { class: "quiet" },
          "It learns from its own games alone, beginning with random moves. It can be stopped and resumed at any time.",
        ),
        this.game.element,
        html("div", { class: "two" }, this.minutes.element, this.seed.element),
        html("label", { class: "field" }, html("span", {}, "Settings to change (optional)"), this.settings),
        html("footer", {}, this.begin),
      ),
    );
  }

  async open() {
    const { games } = await catalogue();
    const chosen = this.game.select.value || "connect4";
    fill(
      this.game.select,
      games.map((kind) => html(
        "optgroup",
        { label: kind.title },
        kind.sizes.map((size) => html(
          "option",
          { value: size.game, selected: size.game === chosen },
          `${kind.title}, ${size.title}`,
        )),
      )),
    );
    if (this.element.isConnected && !this.element.open) this.element.showModal();
  }

  /** @param {Event} event */
  submitted(event) {
    event.preventDefault();
    return once(this.begin, () => this.send());
  }

  send() {
    return attempt(async () => {
      const settings = this.settings.value.split(/[\s,]+/).filter(Boolean);
      const body = {
        game: this.game.select.value,
        minutes: Number(this.minutes.input.value),
        seed: Number(this.seed.input.value),
      };
      const run = await send("runs", settings.length ? { ...body, settings } : body, LONG_MILLISECONDS);
      this.element.close();
      this.onStarted(run);
    });
  }
}
