/** What is drawn onto a position: the last move, legal moves, the winning line, opinions, policies and expected lines. */

import { svg } from "../common/elements.js";
import { percent, signed } from "../common/format.js";
import { UNIT } from "./geometry.js";
import { drawPiece } from "./pieces.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */
/** @typedef {import("../common/types.js").Move} Move */
/** @typedef {import("../common/types.js").MoveOpinion} MoveOpinion */

const FEW = 9; // so many opinions are all shown
const BADGES = 12; // more are not
const ARROWS = 4; // opinions that are drawn as arrows, where a move has a source

/**
 * @param {Geometry} geometry
 * @param {Move} last
 * @param {number[]} cells
 */
export function lastMove(geometry, last, cells) {
  const marks = [];
  if (last.kind === "move" && last.source !== null) {
    const [x, y] = geometry.centre(last.source);
    marks.push(svg("rect", { class: "last-source", x: x - 47, y: y - 47, width: 94, height: 94, rx: 8 }));
    const stops = [last.source, ...(last.path.length ? last.path : [/** @type {number} */ (last.target)])];
    marks.push(svg("polyline", { class: "last-path", points: stops.map((cell) => geometry.centre(cell).join(",")).join(" ") }));
  }
  if (last.target !== null && geometry.look === "paper") {
    const [x, y] = geometry.centre(last.target);
    marks.push(svg("rect", { class: "last-cell", x: x - 42, y: y - 42, width: 84, height: 84, rx: 12 }));
  } else if (last.target !== null) {
    const [cx, cy] = geometry.centre(last.target);
    const kind = cells[last.target] ? geometry.board.pieces[cells[last.target]] : null;
    const colour = kind ? geometry.board.sides[kind.side ?? 0].colour : "removed";
    marks.push(svg("circle", { class: `last ${colour}`, cx, cy, r: kind ? 11 : 16 }));
  }
  return marks;
}

/**
 * Small dots where the side to move may go.
 * @param {Geometry} geometry
 * @param {Move[]} moves
 */
export function legalTargets(geometry, moves) {
  return [...new Set(moves.map((move) => move.target))].flatMap((target) => {
    if (target === null) return [];
    const [cx, cy] = geometry.centre(target);
    const removal = moves.some((move) => move.target === target && move.kind === "remove");
    return [svg("circle", { class: removal ? "legal removal" : "legal", cx, cy, r: removal ? 43 : 11 })];
  });
}

/**
 * A frame around the man that is about to move, or could.
 * @param {Geometry} geometry
 * @param {number} cell
 * @param {string} kind  a class
 */
export function frame(geometry, cell, kind) {
  const [cx, cy] = geometry.centre(cell);
  return svg("circle", { class: kind, cx, cy, r: 44 });
}

/**
 * @param {Geometry} geometry
 * @param {number[][]} lines  cells in a row, from one end to the other: one move may complete several
 */
export function winningLines(geometry, lines) {
  const rings = [...new Set(lines.flat())].map((cell) => {
    const [cx, cy] = geometry.centre(cell);
    return svg("circle", { class: "winning", cx, cy, r: 44 });
  });
  const strokes = lines.map((line) => {
    const [[x1, y1], [x2, y2]] = [geometry.centre(line[0]), geometry.centre(line[line.length - 1])];
    return svg("line", { class: "winning-line", x1, y1, x2, y2 });
  });
  return [...rings, ...strokes];
}

/**
 * A faint piece of the side to move, where the pointer or the focus is.
 * @param {Geometry} geometry
 * @param {number} cell
 * @param {0 | 1} turn
 */
export function ghost(geometry, cell, turn) {
  const kind = geometry.board.pieces.find((piece) => piece.side === turn && !piece.captured);
  if (!kind) return [];
  const piece = drawPiece(geometry, kind);
  const [x, y] = geometry.centre(cell);
  piece.style.transform = `translate(${x}px, ${y}px)`;
  return [svg("g", { class: `ghost ${geometry.look}` }, piece)];
}

/**
 * The raw policy: the likelier, the fuller. Where stones fall, all that is free of a column says so.
 * @param {Geometry} geometry
 * @param {(number | null)[]} probabilities  by target cell
 * @param {boolean} numbered
 */
export function heat(geometry, probabilities, numbered) {
  const most = Math.max(...probabilities.map((probability) => probability ?? 0), 1e-9);
  return probabilities.flatMap((probability, cell) => {
    if (probability === null) return [];
    const [x, y] = geometry.centre(cell);
    const half = UNIT / 2 - 3;
    const upper = geometry.falling ? geometry.top : y - half;
    const shape = svg("rect", { class: "heat", x: x - half, y: upper, width: 2 * half, height: y + half - upper, rx: 10 });
    shape.style.opacity = String(0.06 + 0.8 * Math.sqrt(probability / most));
    const label = numbered && probability / most > 0.02 ? [text(x, y, percent(probability), "heat-number")] : [];
    return [shape, ...label];
  });
}

/**
 * What the search thinks of the moves: win probability, and how much it looked at each.
 * @param {Geometry} geometry
 * @param {MoveOpinion[]} moves  best first
 * @param {boolean} exactly  are exact results drawn too? Then visits make room for them
 */
export function opinions(geometry, moves, exactly) {
  if (geometry.board.input === "moves") {
    const stepping = moves.filter((move) => move.source !== null && move.share).slice(0, ARROWS);
    const others = moves.filter((move) => move.source === null).slice(0, 8);
    const arrows = stepping.reverse().map((move) => opinionArrow(geometry, move, move === moves[0]));
    return [...arrows, ...others.flatMap((move) => badge(geometry, move, move === moves[0], exactly))];
  }
  const least = moves.length > FEW ? (moves[0].share ?? 0) / 12 : 0;
  const shown = moves.filter((move, index) => index < BADGES && ((move.share ?? 0) > least || move.exact !== null));
  return shown.flatMap((move) => badge(geometry, move, move === moves[0], exactly));
}

/** @param {Geometry} geometry @param {MoveOpinion} move @param {boolean} best @param {boolean} exactly */
function badge(geometry, move, best, exactly) {
  if (move.target === null) return [];
  const [x, y] = geometry.centre(move.target);
  const circle = svg("circle", { class: best ? "opinion best" : "opinion", cx: x, cy: y, r: 38 });
  circle.style.setProperty("--share", String(Math.sqrt(move.share ?? 0)));
  const proven = { 1: "won", 0: "drawn", "-1": "lost" }[String(move.exact)];
  if (proven) circle.classList.add(proven);
  const label = proven && !move.visits ? proven : move.win_probability === null ? "" : (100 * move.win_probability).toFixed(0);
  return [
    circle,
    text(x, move.visits || exactly ? y - 8 : y, label, "opinion-number"),
    ...(move.visits && !exactly ? [text(x, y + 19, compact(move.visits), "opinion-visits")] : []),
  ];
}

/** @param {Geometry} geometry @param {MoveOpinion} move @param {boolean} best */
function opinionArrow(geometry, move, best) {
  const label = move.win_probability === null ? "" : percent(move.win_probability);
  return arrow(
    geometry,
    /** @type {number} */ (move.source),
    /** @type {number} */ (move.target),
    best ? "best" : "",
    label,
    move.share ?? 0,
  );
}

/**
 * @param {Geometry} geometry
 * @param {number} source
 * @param {number} target
 * @param {string} kind  a class
 * @param {string} label
 * @param {number} weight  0 … 1
 */
export function arrow(geometry, source, target, kind, label, weight) {
  const [[x1, y1], [x2, y2]] = [geometry.centre(source), geometry.centre(target)];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const width = 7 + 13 * weight;
  const [tip, back] = [[x2 - dx * 16, y2 - dy * 16], [x2 - dx * 52, y2 - dy * 52]];
  const head = [tip, [back[0] - dy * 24, back[1] + dx * 24], [back[0] + dy * 24, back[1] - dx * 24]];
  const shaft = svg("line", { x1, y1, x2: back[0], y2: back[1], "stroke-width": width });
  return svg(
    "g",
    { class: `arrow ${kind}` },
    shaft,
    svg("polygon", { points: head.map((point) => point.join(",")).join(" ") }),
    label ? text(x1 + 0.7 * (x2 - x1), y1 + 0.7 * (y2 - y1), label, "arrow-number") : null,
  );
}

/**
 * Exact results: whether a move wins, draws or loses, and the score in the game's own measure.
 * @param {Geometry} geometry
 * @param {import("../common/types.js").ExactMove[]} moves
 */
export function exactResults(geometry, moves) {
  return moves.flatMap((move) => {
    if (move.target === null) return [];
    const [x, y] = geometry.centre(move.target);
    const kind = { 1: "won", 0: "drawn", "-1": "lost" }[String(move.exact)];
    const label = move.score === null ? { won: "W", drawn: "D", lost: "L" }[kind ?? "drawn"] ?? "" : signed(move.score);
    return [
      svg("rect", { class: `exact ${kind}`, x: x - 27, y: y + 22, width: 54, height: 27, rx: 13.5 }),
      text(x, y + 36, label, `exact-number ${kind}`),
    ];
  });
}

/**
 * An expected line: numbered stones, or arrows where men move.
 * @param {Geometry} geometry
 * @param {import("./lines.js").LineMove[]} line
 */
export function expectedLine(geometry, line) {
  const seen = new Set();
  return line.flatMap((move) => {
    if (move.target === undefined || (move.source === undefined && seen.has(move.target))) return [];
    seen.add(move.target);
    const colour = geometry.board.sides[move.side].colour;
    if (move.source !== undefined) {
      return [arrow(geometry, move.source, move.target, `expected ${colour}`, String(move.number), 0.3)];
    }
    const [x, y] = geometry.centre(move.target);
    return [...ghost(geometry, move.target, move.side), text(x, y, String(move.number), `line-number ${colour}`)];
  });
}

/** @param {number} x @param {number} y @param {string} words @param {string} kind */
function text(x, y, words, kind) {
  return svg("text", { class: kind, x, y }, words);
}

/** @param {number} count */
function compact(count) {
  return count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`;
}
