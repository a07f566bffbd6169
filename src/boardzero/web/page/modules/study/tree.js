/** The search tree, opened branch by branch: for those who want to see how Monte-Carlo tree search decides. */

import { attempt } from "../common/announce.js";
import { button, choice } from "../common/controls.js";
import { fill, html } from "../common/elements.js";
import { count, percent } from "../common/format.js";
import { Newest } from "../common/newest.js";
import { LONG_MILLISECONDS, Refusal, ask, send } from "../common/server.js";

/** @typedef {import("./studied_game.js").StudiedGame} StudiedGame */

const SHOWN = 8;

export class TreePanel {
  /** @param {(line: string[] | null) => void} onLine  the moves that lead to a branch are pointed at */
  constructor(onLine) {
    this.onLine = onLine;
    /** @type {StudiedGame | null} */
    this.game = null;
    this.id = "";
    this.growths = new Newest();
    this.simulations = choice(
      "Simulations",
      ["10", "50", "200", "1000", "5000"].map((value) => ({ value, title: value })),
      "200",
    );
    this.branches = html("div", { class: "tree" });
    this.element = html(
      "div",
      { class: "tree-panel" },
      html(
        "div",
        { class: "with-button" },
        this.simulations.element,
        button("plus", "Grow a tree", () => attempt(() => this.grow()), { primary: true, single: true }),
      ),
      html(
        "p",
        { class: "quiet small" },
        "Visits decide: the search goes where its score (value, prior and few visits so far) is highest.",
      ),
      this.branches,
    );
  }

  /** @param {StudiedGame} game  a tree of another position is of no use */
  show(game) {
    const same = this.game && this.game.sameGame(game) && this.game.ply === game.ply;
    this.game = game;
    if (!same) {
      this.id = "";
      this.growths.forget();
      fill(this.branches);
    }
  }

  async grow() {
    const { game } = this;
    if (!game) return;
    if (game.position.over) throw new Refusal("The game is over: there is nothing to search.", 0);
    const newest = this.growths.begin();
    const simulations = Number(this.simulations.select.value);
    const answer = await send("trees", { ...game.query(), player: null, simulations }, LONG_MILLISECONDS);
    if (!newest()) return;
    this.id = answer.id;
    const heads = ["", "Move", "Visits", "Wins", "Prior", "Score"].map((head) => html("span", {}, head));
    fill(this.branches, html("div", { class: "leaf heads quiet", "aria-hidden": "true" }, heads), this.list(answer.root, []));
  }

  /**
   * @param {any} node  of the server's tree
   * @param {string[]} moves  that lead to it
   */
  list(node, moves) {
    if (node.terminal || !node.children.length) return html("p", { class: "quiet small" }, "The game ends here.");
    const shown = node.children.slice(0, SHOWN);
    const hidden = node.children.slice(SHOWN);
    const more = hidden.length ? button(
      "",
      `${hidden.length} more`,
      () => more?.replaceWith(...hidden.map((/** @type {any} */ child) => this.branch(node, child, moves))),
    ) : null;
    return html("div", { class: "branches" }, shown.map((/** @type {any} */ child) => this.branch(node, child, moves)), more);
  }

  /** @param {any} node @param {any} child @param {string[]} moves */
  branch(node, child, moves) {
    const line = [...moves, child.move];
    const share = html("span", { class: "share" });
    share.style.width = `${100 * (child.share ?? 0)}%`;
    const summary = html(
      "summary",
      {
        onpointerenter: () => this.onLine(line),
        onpointerleave: () => this.onLine(null),
        onfocus: () => this.onLine(line),
        onblur: () => this.onLine(null),
      },
      share,
      html("strong", {}, child.move),
      html("span", { class: "visits" }, count(child.visits ?? 0)),
      html("span", {}, child.win_probability === null || !child.visits ? "–" : percent(child.win_probability)),
      html("span", { class: "quiet" }, child.prior === null ? "–" : percent(child.prior)),
      html("span", { class: "quiet" }, child.score === null || child.score === undefined ? "–" : child.score.toFixed(2)),
    );
    if (!child.expandable) return html("div", { class: "leaf" }, ...summary.childNodes);
    const details = html("details", { class: "branch" }, summary);
    let asked = false;
    details.addEventListener("toggle", async () => {
      if (asked || !details.open) return;
      asked = true;
      asked = await attempt(() => this.expand(details, [...node.path, child.action], line)) ?? false; // refused: ask again
    });
    return details;
  }

  /** @param {HTMLDetailsElement} details @param {number[]} path @param {string[]} moves */
  async expand(details, path, moves) {
    const node = await ask(`trees/${this.id}`, { path: path.join(",") });
    details.append(this.list(node, moves));
    return true;
  }
}
