/** What is said about a game: whose turn it is, how it ended, what each side has. */

import { plural } from "../common/format.js";

/** @typedef {import("../common/types.js").BoardInformation} BoardInformation */
/** @typedef {import("../common/types.js").Game} Game */
/** @typedef {import("../common/types.js").Position} Position */

/**
 * @param {Game} game
 * @param {BoardInformation} board
 * @param {0 | 1 | null} side  that this browser plays; null: every human side
 * @returns {{sentence: string, remark: string}}
 */
export function statusOf(game, board, side) {
  const { position } = game;
  const remark = game.trouble || position.remarks.join(" ");
  if (game.result !== "unfinished") return { sentence: endOf(game, board, side), remark };
  const mover = board.sides[position.turn].name;
  if (game.paused) return { sentence: "Paused", remark };
  if (game.trouble) return { sentence: `${mover} does not move`, remark };
  if (game.players[position.turn] !== "human") return { sentence: `${mover} is thinking`, remark };
  if (position.legal[0]?.kind === "pass") return {
    sentence: `${mover} cannot move`,
    remark: remark || "There is nothing to place, so the turn passes.",
  };
  if (onlyHuman(game, position.turn) || side === position.turn) return {
    sentence: `Your turn, ${mover}`,
    remark: remark || hint(position, board),
  };
  return { sentence: `${mover} to move`, remark: remark || hint(position, board) };
}

/** @param {Game} game @param {BoardInformation} board @param {0 | 1 | null} side */
function endOf(game, board, side) {
  if (game.result === "draw") return "Drawn";
  const winner = game.result === "first" ? 0 : 1;
  const resigned = game.reason === "resignation" ? " by resignation" : "";
  if (side === winner || (side === null && onlyHuman(game, winner))) return `You won${resigned}!`;
  return `${board.sides[winner].name} won${resigned}`;
}

/** @param {Game} game @param {0 | 1} side */
function onlyHuman(game, side) {
  return game.players[side] === "human" && game.players[1 - side] !== "human";
}

/** How moves are made, where it is not plain. @param {Position} position @param {BoardInformation} board */
function hint(position, board) {
  if (board.input !== "moves") return "";
  if (position.legal[0]?.kind === "place") return "Place a man on any free square.";
  const removals = position.legal.some((move) => move.kind === "remove");
  return removals ? "Move a man, or remove a captured one." : "Choose a man, then where it goes.";
}

/**
 * What a side has: discs in Othello; men on the board, captured and in hand in Latrunculi.
 * @param {Position} position
 * @param {BoardInformation} board
 * @param {0 | 1} side
 */
export function stockOf(position, board, side) {
  if (board.surface === "felt") return plural(position.stones[side], "disc");
  if (board.input !== "moves") return "";
  const held = position.board.cells.filter((cell) => board.pieces[cell].captured && board.pieces[cell].side === side);
  const hand = Number(position.board.details.hand ?? 0);
  const inHand = Math.floor((hand + (position.turn === side ? 1 : 0)) / 2);
  const said = [plural(position.stones[side], "man", "men")];
  if (held.length) said.push(`${held.length} captured`);
  if (inHand) said.push(`${inHand} in hand`);
  return said.join(" · ");
}
