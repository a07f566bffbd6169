/** The first side's chances through a game; a click goes to that position. */

import { fill, html, svg } from "../common/elements.js";
import { percent } from "../common/format.js";

const WIDTH = 600;
const HEIGHT = 100;

export class ValueGraph {
  /** @param {(ply: number) => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    this.slider = html(
      "input",
      {
        type: "range",
        min: "0",
        max: "0",
        step: "1",
        "aria-label": "Position in the game",
        oninput: () => this.onChoose(Number(this.slider.value)),
      },
    );
    this.words = html("span", { class: "graph-words" });
    this.element = html("div", { class: "value-graph" }, this.drawing, this.slider, this.words);
  }

  /**
   * @param {(number | null)[]} values  the first side's win probability after 0, 1, … moves; null where it is not known
   * @param {number} ply  the position that is shown
   * @param {string} side  the first side's name
   * @param {{ply: number, kind: string}[]} marks  moves of review worth a dot
   */
  show(values, ply, side, marks = []) {
    const last = Math.max(values.length - 1, 1);
    const x = (/** @type {number} */ index) => (WIDTH * index) / last;
    const y = (/** @type {number} */ value) => HEIGHT * (1 - value);
    const known = values.flatMap((value, index) => (value === null ? [] : [[x(index), y(value)]]));
    const path = known.map((point) => point.join(" ")).join("L");
    const drawn = [svg("line", { class: "middle", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 })];
    if (known.length > 1) {
      drawn.push(
        svg("path", { class: "area", d: `M${known[0][0]} ${HEIGHT}L${path}L${known[known.length - 1][0]} ${HEIGHT}z` }),
        svg("path", { class: "curve", d: `M${path}` }),
      );
    }
    if (known.length === 1) drawn.push(this.dot(known[0][0], known[0][1], "single"));
    drawn.push(svg("line", { class: "now", x1: x(ply), x2: x(ply), y1: 0, y2: HEIGHT }));
    fill(this.drawing, drawn, marks.map((mark) => this.dot(x(mark.ply), y(values[mark.ply] ?? 0.5), mark.kind)));
    this.slider.max = String(values.length - 1);
    this.slider.value = String(ply);
    const here = values[ply];
    const where = `Move ${ply} of ${values.length - 1}`;
    const words = here === null || here === undefined ? where : `${where}: ${side} ${percent(here)}`;
    this.words.textContent = words;
    this.slider.setAttribute("aria-valuetext", words);
  }

  /**
   * A line of no length with round ends stays a dot however the drawing is stretched.
   * @param {number} x
   * @param {number} y
   * @param {string} kind
   */
  dot(x, y, kind) {
    return svg("path", { class: `dot ${kind}`, d: `M${x} ${y}h0` });
  }
}
