/** Panels of which one is seen, with their names above; arrow keys go from one name to the next. */

import { html } from "./elements.js";

let groups = 0;

export class Tabs {
  /**
   * @param {string} label  of the whole group
   * @param {{title: string, element: HTMLElement}[]} panels
   * @param {(index: number) => void} [onChange]
   */
  constructor(label, panels, onChange = () => {}) {
    const group = `tabs-${++groups}`;
    this.onChange = onChange;
    this.panels = panels.map(({ element }, index) =>
      html(
        "div",
        { role: "tabpanel", id: `${group}-panel-${index}`, "aria-labelledby": `${group}-${index}`, class: "tab-panel" },
        element,
      ),
    );
    this.names = panels.map(({ title }, index) =>
      html(
        "button",
        {
          type: "button",
          role: "tab",
          id: `${group}-${index}`,
          "aria-controls": `${group}-panel-${index}`,
          onclick: () => this.choose(index),
        },
        title,
      ),
    );
    const list = html(
      "div",
      { role: "tablist", "aria-label": label, onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event) },
      this.names,
    );
    this.element = html("div", { class: "card tabs" }, list, this.panels);
    this.chosen = -1;
    this.choose(0);
  }

  /** @param {number} index */
  choose(index) {
    const changed = index !== this.chosen;
    this.chosen = index;
    this.names.forEach((name, other) => {
      name.setAttribute("aria-selected", String(other === index));
      name.tabIndex = other === index ? 0 : -1;
    });
    this.panels.forEach((panel, other) => (panel.hidden = other !== index));
    if (changed) this.onChange(index);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.choose((this.chosen + step + this.names.length) % this.names.length);
    this.names[this.chosen].focus();
  }
}
