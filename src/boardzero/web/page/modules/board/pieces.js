/** The pieces on a board. They keep their elements from position to position, so that they fall, slide and turn over. */

import { svg } from "../common/elements.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */
/** @typedef {import("../common/types.js").Piece} Piece */

/** @type {Record<string, number>} */
const RADIUS = { rack: 45, felt: 40, wood: 45, sandstone: 37, paper: 38 };

export class Pieces {
  /** @param {Geometry} geometry */
  constructor(geometry) {
    this.geometry = geometry;
    this.element = svg("g", { class: `pieces ${geometry.look}` });
    /** @type {Map<number, SVGElement>} the piece on each cell that has one */
    this.onCell = new Map();
    /** @type {number[]} what stood where */
    this.before = geometry.board.cell_names.map(() => 0);
  }

  /**
   * Show these cells; what changed moves, if it is to.
   * @param {number[]} cells  numbers into the board's pieces
   * @param {boolean} animated
   */
  show(cells, animated) {
    this.element.classList.toggle("animated", animated);
    this.slideMovedPiece(cells);
    cells.forEach((kind, cell) => {
      if (kind !== this.before[cell]) this.change(cell, kind);
    });
    this.before = [...cells];
  }

  /**
   * If exactly one piece left a cell and one of the same side came to another, it is the same piece.
   * @param {number[]} cells
   */
  slideMovedPiece(cells) {
    const left = cells.flatMap((kind, cell) => (kind === 0 && this.before[cell] ? [cell] : []));
    const came = cells.flatMap((kind, cell) => (kind !== 0 && !this.before[cell] ? [cell] : []));
    if (left.length !== 1 || came.length !== 1) return;
    const piece = this.onCell.get(left[0]);
    if (!piece || this.piece(this.before[left[0]]).side !== this.piece(cells[came[0]]).side) return;
    this.onCell.delete(left[0]);
    this.onCell.set(came[0], piece);
    this.element.append(piece); // slides in front of the others
    piece.classList.remove("new", "turning");
    this.before[came[0]] = this.before[left[0]];
    this.before[left[0]] = 0;
    this.place(piece, came[0]);
  }

  /**
   * @param {number} cell
   * @param {number} kind  what stands there now
   */
  change(cell, kind) {
    const present = this.onCell.get(cell);
    if (kind === 0) {
      present?.remove();
      this.onCell.delete(cell);
    } else if (!present) {
      const piece = drawPiece(this.geometry, this.piece(kind));
      piece.classList.add("new");
      piece.style.setProperty("--rows-to-fall", String(Math.floor(cell / this.geometry.board.columns) + 1));
      this.place(piece, cell);
      this.onCell.set(cell, piece);
      this.element.append(piece);
    } else {
      const turned = this.piece(kind).side !== this.piece(this.before[cell]).side;
      paint(present, this.geometry, this.piece(kind));
      present.classList.remove("new", "turning");
      if (turned) {
        present.getBoundingClientRect(); // lets the animation begin anew
        present.classList.add("turning");
      }
    }
  }

  /** @param {number} kind @returns {Piece} */
  piece(kind) {
    return this.geometry.board.pieces[kind];
  }

  /** @param {SVGElement} piece @param {number} cell */
  place(piece, cell) {
    const [x, y] = this.geometry.centre(cell);
    piece.style.transform = `translate(${x}px, ${y}px)`;
  }
}

/**
 * One piece around the origin.
 * @param {Geometry} geometry
 * @param {Piece} kind
 */
export function drawPiece(geometry, kind) {
  const { look } = geometry;
  const radius = RADIUS[look];
  const body = svg("g", { class: "body" });
  if (look === "paper") {
    body.append(svg("path", { class: "cross", d: "M-26-26 26 26M26-26-26 26" }), svg("circle", { class: "nought", r: 28 }));
  } else {
    body.append(svg("circle", { class: "disc", r: radius }));
    if (look === "rack") body.append(svg("circle", { class: "groove", r: 28 }));
    if (look === "felt" || look === "wood") body.append(svg("circle", { class: "shine", cx: -3, cy: -4, r: radius - 8 }));
    if (look === "sandstone") {
      body.append(svg("circle", { class: "groove", r: 25 }), svg("path", { class: "bonds", d: "M-15-15 15 15M15-15-15 15" }));
    }
  }
  const piece = svg("g", { class: "piece" }, body);
  paint(piece, geometry, kind);
  return piece;
}

/** @param {SVGElement} piece @param {Geometry} geometry @param {Piece} kind */
function paint(piece, geometry, kind) {
  const side = kind.side ?? 0;
  for (const other of [0, 1]) {
    piece.classList.toggle(`side-${other}`, other === side);
    piece.classList.toggle(geometry.board.sides[other].colour, other === side);
  }
  piece.classList.toggle("captured", kind.captured);
}
