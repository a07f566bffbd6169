/** The moves of a game, numbered; any of them can be gone to. */

import { fill, html } from "./elements.js";

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
      fill(this.element, moves.length ? this.rows(moves) : html("li", { class: "quiet" }, "No moves yet."));
    }
    for (const button of this.element.querySelectorAll("button")) {
      const here = Number(button.dataset.ply) === current;
      button.classList.toggle("current", here);
      if (here) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      if (here) this.scrollTo(button);
    }
  }

  /** @param {ListedMove[]} moves */
  rows(moves) {
    return Array.from({ length: Math.ceil(moves.length / 2) }, (_, row) =>
      html(
        "li",
        {},
        html("span", { class: "number" }, `${row + 1}.`),
        [0, 1].map((half) => this.button(moves, 2 * row + half)),
      ),
    );
  }

  /** @param {ListedMove[]} moves @param {number} index */
  button(moves, index) {
    const listed = moves[index];
    if (!listed) return null;
    const label = `Move ${index + 1}, ${listed.move}${listed.note ? `, ${listed.note}` : ""}`;
    return html(
      "button",
      {
        type: "button",
        "data-ply": index + 1,
        class: listed.mark ?? "",
        "aria-label": label,
        title: listed.note,
        onclick: () => this.onChoose(index + 1),
      },
      listed.move,
    );
  }

  /** @param {HTMLElement} button  only the list scrolls, never the page */
  scrollTo(button) {
    const [list, here] = [this.element.getBoundingClientRect(), button.getBoundingClientRect()];
    if (here.top < list.top) this.element.scrollTop -= list.top - here.top + 8;
    if (here.bottom > list.bottom) this.element.scrollTop += here.bottom - list.bottom + 8;
  }
}
