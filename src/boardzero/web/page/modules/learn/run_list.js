/** The runs of this server: one is watched, others can be compared with it. */

import { fill, html } from "../common/elements.js";
import { duration, plural } from "../common/format.js";

/** @typedef {import("../common/types.js").Run} Run */

export class RunList {
  /**
   * @param {(run: Run) => void} onChoose
   * @param {(ids: string[]) => void} onCompare
   */
  constructor(onChoose, onCompare) {
    this.onChoose = onChoose;
    this.onCompare = onCompare;
    /** @type {Set<string>} */
    this.compared = new Set();
    this.element = html("ul", { class: "runs" });
  }

  /** @param {Run[]} runs @param {string} chosen */
  show(runs, chosen) {
    const rows = runs.map((run) => this.row(run, run.id === chosen));
    fill(
      this.element,
      rows.length ? rows : html(
        "li",
        { class: "quiet none" },
        "No training yet. Start one: ten minutes are enough for Connect Four.",
      ),
    );
  }

  /** @param {Run} run @param {boolean} chosen */
  row(run, chosen) {
    const compare = html("input", {
      type: "checkbox",
      checked: this.compared.has(run.id) || chosen,
      disabled: chosen,
      "aria-label": `Compare ${run.title}`,
      title: "Compare",
      onchange: () => {
        if (compare.checked) this.compared.add(run.id);
        else this.compared.delete(run.id);
        this.onCompare([...this.compared]);
      },
    });
    return html(
      "li",
      { class: chosen ? "chosen" : "" },
      html(
        "button",
        { type: "button", "aria-current": chosen ? "true" : null, onclick: () => this.onChoose(run) },
        html("strong", {}, run.title),
        html("span", { class: `run-state ${run.state}` }, run.state),
        html(
          "span",
          { class: "quiet small" },
          `${run.game} · ${plural(run.generation, "generation")} · ${duration(run.seconds)}`,
        ),
      ),
      compare,
    );
  }
}
