/** The games of this server and what is known of each board; asked for once. */

import { ask } from "./server.js";

/** @typedef {import("./types.js").BoardInformation} BoardInformation */

/** @type {Promise<any> | null} */
let asked = null;
/** @type {Map<string, Promise<BoardInformation>>} */
const boards = new Map();

/**
 * @typedef {Object} GameKind
 * @property {string} name
 * @property {string} title
 * @property {string} about
 * @property {string | null} network  the one that is shipped
 * @property {{title: string, game: string}[]} sizes  the usual one first
 * @property {Parameter[]} parameters  of its rules
 */

/**
 * @typedef {Object} Parameter
 * @property {string} name
 * @property {string} default
 * @property {string} allowed  in words
 * @property {string} meaning
 * @property {string[]} choices  none: a number
 */

/**
 * @typedef {Object} Limits  how much one may ask for
 * @property {number} simulations
 * @property {number} rollouts  of an mcts player
 * @property {number} seconds
 * @property {number} depth
 */

/** @returns {Promise<{version: string, training: boolean, limits: Limits, games: GameKind[]}>} */
export function catalogue() {
  asked ??= ask("catalogue").catch((error) => {
    asked = null;
    throw error;
  });
  return asked;
}

/**
 * @param {string} game  a specification
 * @returns {Promise<BoardInformation>}
 */
export function boardOf(game) {
  let found = boards.get(game);
  if (!found) {
    found = ask("board", { game });
    boards.set(game, found);
    found.catch(() => boards.delete(game));
  }
  return found;
}

/** Networks of runs come and go: ask again when they are next needed. */
export function forgetBoards() {
  boards.clear();
}

/**
 * The name and size of a game as people say them: `Connect Four, 7 × 6`.
 * @param {string} game
 * @returns {Promise<string>}
 */
export async function titleOf(game) {
  const { games } = await catalogue();
  for (const kind of games) {
    const size = kind.sizes.find((one) => one.game === game);
    if (size) return kind.sizes.length > 1 ? `${kind.title}, ${size.title}` : kind.title;
  }
  return (await boardOf(game)).title;
}
