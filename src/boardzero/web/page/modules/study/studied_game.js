/** The game that is studied: its moves, which of them are on the board, and what the server says of that position. */

import { splitMoves } from "../board/lines.js";
import { boardOf } from "../common/catalogue.js";
import { ask } from "../common/server.js";

/** @typedef {import("../common/types.js").BoardInformation} BoardInformation */
/** @typedef {import("../common/types.js").Position} Position */

export class StudiedGame {
  /**
   * @param {BoardInformation} board
   * @param {string | null} start  a board set up by hand
   * @param {string[]} moves
   * @param {number} ply
   * @param {Position} position  after `ply` moves
   */
  constructor(board, start, moves, ply, position) {
    this.board = board;
    this.start = start;
    this.moves = moves;
    this.ply = ply;
    this.position = position;
  }

  /**
   * A game from its texts; what the rules do not allow is refused.
   * @param {{game: string, moves?: string, start?: string | null, ply?: number | null}} wishes
   */
  static async open({ game, moves = "", start = null, ply = null }) {
    const [board, whole] = await Promise.all([boardOf(game), ask("position", { game, moves, start })]);
    const played = splitMoves(board, whole.moves);
    const there = ply === null ? played.length : Math.min(Math.max(ply, 0), played.length);
    const opened = new StudiedGame(board, whole.start, played, played.length, whole);
    return there === played.length ? opened : opened.towards(there).arrive();
  }

  /** The same game on its way to another position, which is not known before it has arrived. @param {number} ply */
  towards(ply) {
    return new StudiedGame(this.board, this.start, this.moves, ply, this.position);
  }

  /** @param {string} move  played in the position on the board; what followed it is forgotten, unless it is this very move */
  playing(move) {
    if (this.moves[this.ply] === move) return this.towards(this.ply + 1);
    const moves = [...this.moves.slice(0, this.ply), move];
    return new StudiedGame(this.board, this.start, moves, moves.length, this.position);
  }

  async arrive() {
    const position = await ask("position", this.query());
    return new StudiedGame(this.board, this.start, this.moves, this.ply, position);
  }

  /** What the server needs to know of a position. @param {number} [ply] */
  query(ply = this.ply) {
    return { game: this.board.game, moves: this.moves.slice(0, ply).join(this.board.move_separator), start: this.start };
  }

  get allMoves() {
    return this.moves.join(this.board.move_separator);
  }

  /** Is this the same game up to its last move? @param {StudiedGame | null} other */
  sameGame(other) {
    const whole = (/** @type {StudiedGame} */ game) => JSON.stringify(game.query(game.moves.length));
    return other !== null && whole(other) === whole(this);
  }
}
