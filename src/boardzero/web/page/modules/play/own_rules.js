/** Fields for every parameter of a game: any board that its rules allow, not only the usual ones. */

import { choice } from "../common/controls.js";
import { fill, html } from "../common/elements.js";

/** @typedef {import("../common/catalogue.js").GameKind} GameKind */
/** @typedef {import("../common/catalogue.js").Parameter} Parameter */

export class OwnRules {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.element = html("div", { class: "two own-rules", hidden: true });
    this.name = "";
    /** @type {{parameter: Parameter, input: HTMLInputElement | HTMLSelectElement}[]} */
    this.fields = [];
  }

  /** @param {GameKind} kind @param {string} chosen  a specification to begin with */
  offer({ name, parameters }, chosen) {
    this.name = name;
    const said = chosen.split(":")[0] === name ? chosen.split(":")[1] ?? "" : "";
    const given = Object.fromEntries(said.split(",").map((pair) => pair.split("=")));
    this.fields = parameters.map((parameter) => this.field(parameter, given[parameter.name] ?? parameter.default));
  }

  /** @param {Parameter} parameter @param {string} value */
  field(parameter, value) {
    const { name, meaning, allowed, choices } = parameter;
    const label = name[0].toUpperCase() + name.slice(1);
    if (choices.length) {
      const made = choice(label, choices.map((title) => ({ value: title, title })), value, () => this.onChange());
      made.select.title = meaning;
      return { parameter, input: made.select, element: made.element };
    }
    const input = html("input", {
      type: "number",
      step: 1,
      required: true,
      value,
      title: `${meaning} (${allowed})`,
      onchange: () => this.onChange(),
    });
    return { parameter, input, element: html("label", { class: "field" }, html("span", {}, label), input) };
  }

  /** @param {boolean} shown */
  show(shown) {
    this.element.hidden = !shown;
    fill(this.element, shown ? this.fields.map((field) => /** @type {any} */ (field).element) : []);
  }

  /** @returns {string} the game's specification */
  get value() {
    const changed = this.fields.filter(({ parameter, input }) => input.value !== parameter.default);
    const said = changed.map(({ parameter, input }) => `${parameter.name}=${input.value}`).join(",");
    return said ? `${this.name}:${said}` : this.name;
  }
}
