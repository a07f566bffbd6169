/**
 * What the server's answers are made of, as the page uses it.
 *
 * @typedef {Object} Side
 * @property {string} letter
 * @property {string} name  `Red`
 * @property {string} colour  `red`
 *
 * @typedef {Object} Piece
 * @property {number} index
 * @property {string} letter
 * @property {string} name
 * @property {0 | 1 | null} side
 * @property {boolean} captured
 *
 * @typedef {Object} PlayerKind
 * @property {string} name
 * @property {string} title
 * @property {string} about
 * @property {boolean} available
 * @property {string} remark
 * @property {string[]} takes
 * @property {string} usual
 *
 * @typedef {Object} BoardInformation  all that is needed to draw one game and offer its players
 * @property {string} game
 * @property {string} name
 * @property {string} title
 * @property {number} rows
 * @property {number} columns
 * @property {"holes" | "points" | "felt" | "squares"} surface
 * @property {"columns" | "cells" | "moves"} input
 * @property {[Side, Side]} sides
 * @property {Piece[]} pieces
 * @property {string[]} column_labels
 * @property {string[]} row_labels
 * @property {string[]} cell_names
 * @property {string} notation
 * @property {string} move_separator
 * @property {string} start
 * @property {{id: string, title: string} | null} network
 * @property {string} network_remark
 * @property {{id: string, title: string, run: string, generation: number}[]} networks
 * @property {PlayerKind[]} players
 * @property {{name: string, title: string, player: string}[]} levels
 * @property {string} analyst
 * @property {"always" | "late" | "never"} solver
 *
 * @typedef {Object} Move
 * @property {number} action
 * @property {string} move  in the game's notation
 * @property {"drop" | "place" | "move" | "remove" | "pass" | "other"} kind
 * @property {number | null} source  cells count row by row from the top left
 * @property {number | null} target
 * @property {number | null} column
 * @property {boolean} jump
 * @property {number[]} path
 * @property {number[]} changes
 * @property {0 | 1} [side]
 *
 * @typedef {Object} Position
 * @property {string} game
 * @property {string | null} start
 * @property {string} moves
 * @property {number} plies
 * @property {{text: string, cells: number[], details: Record<string, string>}} board
 * @property {0 | 1} turn
 * @property {boolean} over
 * @property {0 | 1 | null} winner
 * @property {string} result
 * @property {string} sentence
 * @property {Move[]} legal
 * @property {Move | null} last
 * @property {number[][]} lines  that win
 * @property {[number, number]} stones
 * @property {string[]} remarks
 *
 * @typedef {Object} Game
 * @property {string} id
 * @property {number} version
 * @property {[string, string]} players
 * @property {[string, string]} titles
 * @property {Position} position
 * @property {string[]} redo
 * @property {boolean} thinking
 * @property {boolean} paused
 * @property {string} trouble
 * @property {"unfinished" | "first" | "second" | "draw"} result
 * @property {string} reason
 * @property {number} watchers
 * @property {number | null} log
 * @property {{side: number, ply: number, value: number | null, win_probability: number | null, exact: number | null,
 *   simulations: number | null, seconds: number, line: string[]} | null} opinion
 *
 * @typedef {Object} MoveOpinion
 * @property {number} action
 * @property {string} move
 * @property {number | null} source
 * @property {number | null} target
 * @property {number | null} column
 * @property {number | null} visits
 * @property {number | null} share
 * @property {number | null} value
 * @property {number | null} win_probability  for the side to move
 * @property {number | null} prior
 * @property {number | null} exact
 * @property {string[]} line
 *
 * @typedef {Object} Analysis
 * @property {boolean} final
 * @property {string} player
 * @property {number | null} simulations  null where the player does not count them
 * @property {number} seconds
 * @property {0 | 1} turn
 * @property {number | null} win_probability
 * @property {number | null} exact
 * @property {MoveOpinion[]} moves
 * @property {string[]} remarks
 *
 * @typedef {Object} ExactMove
 * @property {number} action
 * @property {string} move
 * @property {number | null} target
 * @property {number} exact
 * @property {number | null} score
 * @property {string} text
 *
 * @typedef {Object} Run
 * @property {string} id
 * @property {string} title
 * @property {string} game
 * @property {"running" | "stopped" | "finished" | "starting" | "failed"} state
 * @property {boolean} mine
 * @property {number | null} minutes
 * @property {number | null} generations
 * @property {number} generation
 * @property {number} seconds
 * @property {number} games
 * @property {number} positions
 * @property {number[]} network_generations
 * @property {number} share
 * @property {string} trouble
 * @property {Record<string, any>[]} [events]
 */

export {};
