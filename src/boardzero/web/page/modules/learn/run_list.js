/** The runs of this server: one is watched, others can be compared with it. */

import { arrange, html } from "../common/elements.js";
import { duration, plural } from "../common/format.js";

/** @typedef {import("../common/types.js").Run} Run */
/**
 * @typedef {Object} Row
 * @property {Run} run  as it is by now
 * @property {HTMLElement} element
 * @property {HTMLButtonElement} button
 * @property {HTMLElement} title
 * @property {HTMLElement} state
 * @property {HTMLElement} small
 * @property {HTMLInputElement} compare
 */

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
    this.none = html("li", { class: "quiet none" }, "No training yet. Start one: ten minutes are enough for Connect Four.");
    /** @type {Map<string, Row>} by run; they are kept while their numbers change */
    this.rows = new Map();
  }

  /** @param {Run[]} runs @param {string} chosen */
  show(runs, chosen) {
    this.rows = new Map(runs.map((run) => [run.id, this.rows.get(run.id) ?? this.makeRow(run)]));
    for (const run of runs) this.fillRow(/** @type {Row} */ (this.rows.get(run.id)), run, run.id === chosen);
    arrange(this.element, runs.length ? [...this.rows.values()].map((row) => row.element) : [this.none]);
  }

  /** @param {Run} run @returns {Row} */
  makeRow(run) {
    const compare = html("input", { type: "checkbox", title: "Compare", onchange: () => this.changed(row) });
    const [title, state, small] = [html("strong"), html("span"), html("span", { class: "quiet small" })];
    const button = html("button", { type: "button", onclick: () => this.onChoose(row.run) }, title, state, small);
    /** @type {Row} */
    const row = { run, element: html("li", {}, button, compare), button, title, state, small, compare };
    return row;
  }

  /** @param {Row} row @param {Run} run @param {boolean} chosen */
  fillRow(row, run, chosen) {
    row.run = run;
    row.element.className = chosen ? "chosen" : "";
    if (chosen) row.button.setAttribute("aria-current", "true");
    else row.button.removeAttribute("aria-current");
    row.title.textContent = run.title;
    row.state.className = `run-state ${run.state}`;
    row.state.textContent = run.state;
    row.small.textContent = `${run.game} · ${plural(run.generation, "generation")} · ${duration(run.seconds)}`;
    row.compare.checked = this.compared.has(run.id) || chosen;
    row.compare.disabled = chosen;
    row.compare.setAttribute("aria-label", `Compare ${run.title}`);
  }

  /** @param {Row} row  is to be compared, or no longer */
  changed({ run, compare }) {
    if (compare.checked) this.compared.add(run.id);
    else this.compared.delete(run.id);
    this.onCompare([...this.compared]);
  }
}
