/**
 * The part of a board that is operated: a transparent button on every cell, or on every column where stones fall. One of them
 * is in the tab order; arrow keys go from one to the next.
 */

import { fill, html } from "../common/elements.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */

/**
 * @typedef {Object} Hands
 * @property {(place: number) => void} press  a cell, or a column where stones fall
 * @property {(place: number) => boolean} grab  a mouse button went down here; was a man chosen by that?
 * @property {(place: number) => boolean} carries  is the man that stands here chosen, so that it can be dragged?
 * @property {(place: number | null) => void} point  at a cell or column, by pointer or focus; null: at none
 * @property {() => void} cancel
 */

export class Cells {
  /**
   * @param {Geometry} geometry
   * @param {Hands} hands
   */
  constructor(geometry, hands) {
    this.geometry = geometry;
    this.hands = hands;
    const { board, falling } = geometry;
    /** @type {number | null} where a mouse button went down */
    this.held = null;
    /** @type {number | null} the man that it chose; the click that follows must not let it go again */
    this.grabbed = null;
    this.columns = board.columns;
    this.rows = falling ? 1 : board.rows;
    /** @type {HTMLButtonElement[]} by cell or column */
    this.buttons = Array.from({ length: this.rows * this.columns }, (_, place) => this.makeButton(place));
    this.element = html("div", {
      class: falling ? "cells falling" : "cells",
      role: "grid",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event),
    });
    const order = (/** @type {number} */ length) =>
      Array.from({ length }, (_, index) => (geometry.flipped ? length - 1 - index : index));
    fill(
      this.element,
      order(this.rows).map((row) =>
        html("div", { role: "row" }, order(this.columns).map((column) => this.buttons[row * this.columns + column])),
      ),
    );
    this.place();
    this.buttons[0].tabIndex = 0;
  }

  /** Lay the buttons exactly over the cells of the drawing. */
  place() {
    const { side, top, bottom, width, height, falling } = this.geometry;
    const inset = falling ? [0, side / width, 0, side / width] : [top / height, side / width, bottom / height, side / width];
    this.element.style.inset = inset.map((share) => `${100 * share}%`).join(" ");
  }

  /** @param {number} place */
  makeButton(place) {
    return html("button", {
      type: "button",
      role: "gridcell",
      tabindex: "-1",
      "data-place": place,
      onclick: () => this.click(place),
      onpointerdown: (/** @type {PointerEvent} */ event) => event.pointerType === "mouse" && this.grab(place),
      onpointerup: () => this.drop(place),
      onpointerenter: (/** @type {PointerEvent} */ event) => event.pointerType !== "touch" && this.hands.point(place),
      onpointerleave: () => this.hands.point(null),
      onfocus: () => this.focusMoved(place),
      onblur: () => this.hands.point(null),
    });
  }

  /**
   * @param {(place: number) => string} label  what a screen reader says of a cell or column
   * @param {(place: number) => boolean} usable  would pressing it do something?
   * @param {string} name  of the whole board
   */
  show(label, usable, name) {
    this.element.setAttribute("aria-label", name);
    this.buttons.forEach((button, place) => {
      const [words, works] = [label(place), usable(place)];
      if (button.getAttribute("aria-label") !== words) button.setAttribute("aria-label", words);
      button.setAttribute("aria-disabled", String(!works));
    });
  }

  /** @param {number} place */
  grab(place) {
    this.held = place;
    this.grabbed = this.hands.grab(place) ? place : null;
    for (const kind of ["pointerup", "pointercancel"]) document.addEventListener(kind, this.letGo, { once: true });
  }

  /** The mouse button went up, wherever that was. Elsewhere than on its own cell no click follows. @param {Event} event */
  letGo = (event) => {
    if (this.held !== null && event.target !== this.buttons[this.held]) this.grabbed = null;
    this.held = null;
  };

  /** @param {number} place  where the mouse button went up: a man that was dragged moves there */
  drop(place) {
    if (this.held !== null && this.held !== place && this.hands.carries(this.held)) this.hands.press(place);
  }

  /** @param {number} place */
  click(place) {
    const chosenJustNow = this.grabbed === place;
    this.grabbed = null;
    if (!chosenJustNow) this.hands.press(place);
  }

  /** @param {number} place */
  focusMoved(place) {
    for (const button of this.buttons) if (button.tabIndex === 0) button.tabIndex = -1;
    this.buttons[place].tabIndex = 0;
    if (this.buttons[place].matches(":focus-visible")) this.hands.point(place);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key === "Escape") return this.hands.cancel();
    const place = this.buttons.findIndex((button) => button === document.activeElement);
    if (place < 0 || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const column = this.geometry.falling ? this.geometry.board.column_labels.indexOf(event.key) : -1;
    if (column >= 0) {
      event.preventDefault();
      return this.hands.press(column);
    }
    const next = this.neighbour(place, event.key);
    if (next === null) return undefined;
    event.preventDefault();
    return this.buttons[next].focus();
  }

  /**
   * @param {number} place
   * @param {string} key
   * @returns {number | null} where an arrow key leads
   */
  neighbour(place, key) {
    const turned = this.geometry.flipped ? -1 : 1;
    const [row, column] = [Math.floor(place / this.columns), place % this.columns];
    const clamp = (/** @type {number} */ value, /** @type {number} */ most) => Math.min(Math.max(value, 0), most);
    const at = (/** @type {number} */ newRow, /** @type {number} */ newColumn) =>
      clamp(newRow, this.rows - 1) * this.columns + clamp(newColumn, this.columns - 1);
    switch (key) {
      case "ArrowLeft": return at(row, column - turned);
      case "ArrowRight": return at(row, column + turned);
      case "ArrowUp": return at(row - turned, column);
      case "ArrowDown": return at(row + turned, column);
      case "Home": return at(row, turned > 0 ? 0 : this.columns - 1);
      case "End": return at(row, turned > 0 ? this.columns - 1 : 0);
      default: return null;
    }
  }
}
