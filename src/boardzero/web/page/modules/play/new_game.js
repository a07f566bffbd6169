/** The window where a new game is chosen: which game, which size, who plays which side. */

import { attempt } from "../common/announce.js";
import { boardOf, catalogue } from "../common/catalogue.js";
import { fill, html, icon } from "../common/elements.js";
import { button, choice } from "../common/controls.js";
import { gamePicture } from "../board/pictures.js";
import { holding } from "../common/holding.js";
import { recall, remember } from "../common/memory.js";
import { Newest } from "../common/newest.js";
import { OwnRules } from "./own_rules.js";
import { PlayerChoice } from "./player_choice.js";

/** @typedef {{game: string, players: [string, string]}} Wishes */

const BEGIN = "begin";
const OWN = "own"; // among the boards: whatever the rules allow

export class NewGame {
  /** @param {(wishes: Wishes) => void} onBegin */
  constructor(onBegin) {
    this.onBegin = onBegin;
    this.games = html("div", { class: "game-cards", role: "radiogroup", "aria-label": "Game" });
    this.size = choice("Board", [], "", () => attempt(() => this.chooseSize()));
    this.own = new OwnRules(() => attempt(() => this.chooseBoard(this.own.value)));
    this.game = ""; // the board that was chosen last and can be played on
    this.players = [new PlayerChoice("First"), new PlayerChoice("Second")];
    this.remark = html("p", { class: "quiet network-remark" });
    this.choices = new Newest();
    this.seats = html(
      "div",
      { class: "seats" },
      this.players[0].element,
      html(
        "button",
        {
          type: "button",
          class: "plain swap",
          "aria-label": "Swap who begins",
          title: "Swap who begins",
          onclick: () => this.swap(),
        },
        icon("swap"),
      ),
      this.players[1].element,
    );
    this.submit = html("button", { type: "submit", class: "primary", value: BEGIN }, "Begin");
    this.element = html(
      "dialog",
      { class: "window", "aria-labelledby": "new-game-title", onclose: () => this.closed() },
      html(
        "form",
        { method: "dialog" },
        html(
          "header",
          {},
          html("h2", { id: "new-game-title" }, "New game"),
          button("close", "Close", () => this.element.close(), { plain: true }),
        ),
        this.games,
        this.size.element,
        this.own.element,
        this.seats,
        this.remark,
        html("footer", {}, this.submit),
      ),
    );
  }

  /** @param {Wishes} wishes  what to begin the choice with */
  async open(wishes) {
    const { games } = await catalogue();
    if (this.element.open) return;
    const name = wishes.game.split(":")[0];
    fill(
      this.games,
      games.map((kind) =>
        html(
          "label",
          { class: "game-card", title: kind.about },
          html(
            "input",
            {
              type: "radio",
              name: "game",
              value: kind.name,
              checked: kind.name === name,
              onchange: () => attempt(() => this.chooseGame(kind.name)),
            },
          ),
          gamePicture(kind.name),
          html("span", {}, kind.title),
        ),
      ),
    );
    this.showSizes(games, name, wishes.game);
    await this.chooseBoard(wishes.game, wishes.players);
    this.element.returnValue = "";
    if (this.element.isConnected && !this.element.open) this.element.showModal();
  }

  /** @param {string} name */
  async chooseGame(name) {
    const { games } = await catalogue();
    this.showSizes(games, name, recall(`size-${name}`, ""));
    await this.chooseSize();
  }

  chooseSize() {
    const own = this.size.select.value === OWN;
    this.own.show(own);
    return this.chooseBoard(own ? this.own.value : this.size.select.value);
  }

  /**
   * @param {Awaited<ReturnType<typeof catalogue>>["games"]} games
   * @param {string} name
   * @param {string} chosen  a specification
   */
  showSizes(games, name, chosen) {
    const kind = games.find((one) => one.name === name);
    const sizes = kind?.sizes ?? [];
    const unusual = chosen.split(":")[0] === name && !sizes.some((size) => size.game === chosen) ? [{
      title: chosen,
      game: chosen,
    }] : [];
    const own = kind?.parameters.length ? [{ title: "Other…", game: OWN }] : [];
    fill(
      this.size.select,
      [...sizes, ...unusual, ...own].map((size) => html(
        "option",
        { value: size.game, selected: size.game === chosen },
        size.title,
      )),
    );
    this.size.element.classList.toggle("single", sizes.length < 2);
    if (kind) this.own.offer(kind, chosen);
    this.own.show(false);
  }

  /**
   * Until it is known who can play this game, nobody can be chosen and nothing begun.
   * @param {string} game
   * @param {[string, string]} [players]
   */
  async chooseBoard(game, players) {
    const newest = this.choices.begin();
    this.submit.disabled = true;
    const [board, { limits }] = await holding(this.seats, () => Promise.all([boardOf(game), catalogue()]));
    if (!newest()) return;
    this.submit.disabled = false;
    this.game = board.game;
    const wanted = players ?? [this.players[0].value || "human", this.players[1].value || ""];
    this.players.forEach((player, side) => {
      player.label.textContent = `${board.sides[side].name} ${side === 0 ? "begins" : "is second"}`;
      player.offer(board, limits, wanted[side]);
    });
    this.remark.textContent = board.network_remark;
  }

  swap() {
    const [first, second] = this.players.map((player) => player.value);
    this.players[0].choose(second);
    this.players[1].choose(first);
  }

  /** What was chosen begins when the window is gone and the focus is back where it was. */
  closed() {
    if (this.element.returnValue !== BEGIN) return;
    const { game } = this;
    remember(`size-${game.split(":")[0]}`, game);
    this.onBegin({ game, players: [this.players[0].value, this.players[1].value] });
  }
}
