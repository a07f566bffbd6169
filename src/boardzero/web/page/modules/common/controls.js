/** Buttons, switches and fields that all views use. */

import { arrange, html, icon } from "./elements.js";
import { once } from "./holding.js";

/**
 * A button with a symbol; its words stand beside the symbol or, where room is short, are its label.
 * @param {string} symbol
 * @param {string} words
 * @param {() => unknown} onClick
 * @param {{plain?: boolean, primary?: boolean, hint?: string, single?: boolean}} [manner]  plain: only the symbol is seen;
 *   single: what it does is not begun again before it is done
 * @returns {HTMLButtonElement}
 */
export function button(symbol, words, onClick, { plain = false, primary = false, hint = "", single = false } = {}) {
  const kind = [plain ? "plain" : "", primary ? "primary" : ""].join(" ").trim();
  /** @type {HTMLButtonElement} */
  const element = html(
    "button",
    {
      type: "button",
      class: kind,
      onclick: () => (single ? once(element, onClick) : onClick()),
      "aria-label": plain ? words : null,
      title: hint || (plain ? words : null),
    },
    symbol ? icon(symbol) : null,
    plain ? null : html("span", {}, words),
  );
  return element;
}

/**
 * A button that is on or off.
 * @param {string} symbol
 * @param {string} words
 * @param {boolean} on
 * @param {(on: boolean) => void} onChange
 */
export function toggle(symbol, words, on, onChange) {
  const element = html(
    "button",
    { type: "button", class: "toggle", "aria-pressed": String(on) },
    symbol ? icon(symbol) : null,
    html("span", {}, words),
  );
  element.addEventListener("click", () => {
    const now = element.getAttribute("aria-pressed") !== "true";
    element.setAttribute("aria-pressed", String(now));
    onChange(now);
  });
  return element;
}

/**
 * A labelled choice.
 * @param {string} label
 * @param {{value: string, title: string, disabled?: boolean}[]} options
 * @param {string} value
 * @param {(value: string) => void} [onChange]
 */
export function choice(label, options, value, onChange) {
  const select = html(
    "select",
    { onchange: () => onChange?.(select.value) },
    options.map((option) => html(
      "option",
      { value: option.value, selected: option.value === value, disabled: option.disabled ?? false },
      option.title,
    )),
  );
  return { element: html("label", { class: "field" }, html("span", {}, label), select), select };
}

/**
 * Offer these options in a choice; what was chosen stays chosen, if it is among them.
 * @param {HTMLSelectElement} select
 * @param {{value: string, title: string}[]} options
 * @param {string} usual  chosen where nothing was
 */
export function offer(select, options, usual) {
  const [before, present] = [select.value, new Map([...select.options].map((option) => [option.value, option]))];
  arrange(select, options.map(({ value, title }) => {
    const option = present.get(value) ?? html("option", { value });
    if (option.textContent !== title) option.textContent = title;
    return option;
  }));
  select.value = options.some(({ value }) => value === before) ? before : usual;
}

/**
 * A labelled number.
 * @param {string} label
 * @param {number} value
 * @param {{least: number, most: number, step?: number | "any"}} limits
 */
export function numberField(label, value, { least, most, step = 1 }) {
  const input = html("input", { type: "number", min: least, max: most, step, value, inputmode: "decimal" });
  return { element: html("label", { class: "field" }, html("span", {}, label), input), input };
}
