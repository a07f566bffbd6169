/** The moves of a game, numbered; any of them can be gone to. */

import { arrange, html } from "./elements.js";

/**
 * @typedef {Object} ListedMove
 * @property {string} move
 * @property {string} [mark]  a class of review: `blunder`
 * @property {string} [note]  what screen readers add
 */

export class MoveList {
  /** @param {(ply: number) => void} onChoose  the position after so many moves is wanted */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.element = html("ol", { class: "moves", "aria-label": "Moves" });
    this.none = html("li", { class: "quiet" }, "No moves yet.");
    /** @type {HTMLLIElement[]} two moves each; like the buttons they are kept while the game goes on */
    this.rows = [];
    /** @type {HTMLButtonElement[]} by move */
    this.buttons = [];
    /** @type {string} */
    this.drawn = "";
  }

  /**
   * @param {ListedMove[]} moves  from the first on
   * @param {number} current  how many of them have been played in the position that is shown
   */
  show(moves, current) {
    const content = JSON.stringify(moves);
    if (content !== this.drawn) {
      this.drawn = content;
      this.element.classList.toggle("none", moves.length === 0);
      this.update(moves);
    }
    for (const button of this.buttons.slice(0, moves.length)) {
      const here = Number(button.dataset.ply) === current;
      button.classList.toggle("current", here);
      if (here) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      if (here) this.scrollTo(button);
    }
  }

  /** @param {ListedMove[]} moves */
  update(moves) {
    moves.forEach((listed, index) => {
      const button = (this.buttons[index] ??= this.makeButton(index));
      const label = `Move ${index + 1}, ${listed.move}${listed.note ? `, ${listed.note}` : ""}`;
      if (button.textContent !== listed.move) button.textContent = listed.move;
      button.className = listed.mark ?? "";
      button.setAttribute("aria-label", label);
      button.title = listed.note ?? "";
    });
    const rows = Array.from({ length: Math.ceil(moves.length / 2) }, (_, row) => this.row(row, moves.length));
    arrange(this.element, moves.length ? rows : [this.none]);
  }

  /** @param {number} row @param {number} length  of the whole game */
  row(row, length) {
    const element = (this.rows[row] ??= html("li", {}, html("span", { class: "number" }, `${row + 1}.`)));
    const [number] = element.children;
    arrange(element, [number, ...this.buttons.slice(2 * row, Math.min(2 * row + 2, length))]);
    return element;
  }

  /** @param {number} index */
  makeButton(index) {
    return html("button", { type: "button", "data-ply": index + 1, onclick: () => this.onChoose(index + 1) });
  }

  /** @param {HTMLElement} button  only the list scrolls, never the page */
  scrollTo(button) {
    const [list, here] = [this.element.getBoundingClientRect(), button.getBoundingClientRect()];
    if (here.top < list.top) this.element.scrollTop -= list.top - here.top + 8;
    if (here.bottom > list.bottom) this.element.scrollTop += here.bottom - list.bottom + 8;
  }
}
