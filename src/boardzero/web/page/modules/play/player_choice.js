/**
 * The choice of one player: a person, a named level, or any other player with its strength in simulations, seconds or
 * depth.
 */

import { fill, html } from "../common/elements.js";

/** @typedef {import("../common/types.js").BoardInformation} BoardInformation */

/** @typedef {import("../common/catalogue.js").Limits} Limits */
/** @typedef {import("../common/types.js").PlayerKind} PlayerKind */

/** @type {Record<string, {title: string, usual: number, least: number, step: string}>} */
const MEASURES = {
  sims: { title: "simulations", usual: 200, least: 1, step: "1" },
  seconds: { title: "seconds", usual: 1, least: 0.05, step: "any" },
  depth: { title: "plies deep", usual: 4, least: 1, step: "1" },
};

export class PlayerChoice {
  /**
   * @param {string} label
   * @param {() => void} [onChange]
   */
  constructor(label, onChange = () => {}) {
    this.onChange = onChange;
    this.select = html("select", { onchange: () => this.chosen() });
    this.amount = html(
      "input",
      {
        type: "number",
        "aria-label": `${label}: strength`,
        required: true,
        inputmode: "decimal",
        onchange: () => this.onChange(),
      },
    );
    this.measure = html("select", { "aria-label": `${label}: measure of strength`, onchange: () => this.measured() });
    this.network = html("select", { "aria-label": `${label}: network`, onchange: () => this.onChange() });
    this.strength = html("div", { class: "strength" }, this.amount, this.measure);
    this.about = html("p", { class: "quiet about" });
    this.label = html("span", {}, label);
    this.element = html(
      "div",
      { class: "player-choice" },
      html("label", { class: "field" }, this.label, this.select),
      this.network,
      this.strength,
      this.about,
    );
    /** @type {BoardInformation | null} */
    this.board = null;
    /** @type {Limits | null} */
    this.limits = null;
  }

  /**
   * @param {BoardInformation} board
   * @param {Limits} limits  how much this server allows
   * @param {string} player  the choice to begin with; where this game does not offer it, the medium level
   */
  offer(board, limits, player) {
    this.board = board;
    this.limits = limits;
    const levels = board.levels.map((level) => html("option", { value: level.player }, level.title));
    const machine = board.players.find((kind) => board.levels[0]?.player.startsWith(`${kind.name}:`))?.title ?? "Machine";
    const others = board.players
      .filter((kind) => kind.name !== "human")
      .map((kind) => html(
        "option",
        { value: `=${kind.name}`, disabled: !kind.available },
        kind.available ? kind.title : `${kind.title} (not for this game)`,
      ));
    fill(
      this.select,
      html("option", { value: "human" }, "Human"),
      html("optgroup", { label: `${machine}, by level` }, levels),
      html("optgroup", { label: "Any player, any strength" }, others),
    );
    const shipped = board.network ? [html("option", { value: "" }, "shipped network")] : [];
    fill(this.network, shipped, board.networks.map((network) => html("option", { value: network.id }, network.title)));
    this.choose(player);
  }

  /** @param {string} player  a specification */
  choose(player) {
    if (!this.board) return;
    const [name, text = ""] = player.split(":");
    const kind = this.board.players.find((one) => one.name === name && one.available);
    const listed = [...this.select.options].some((option) => option.value === player);
    if (listed) this.select.value = player;
    else if (kind && name !== "human") this.select.value = `=${name}`;
    else this.select.value = (this.board.levels[2] ?? this.board.levels[0])?.player ?? "human";
    this.showStrength();
    if (listed || !kind) return;
    const parameters = Object.fromEntries(text.split(",").map((pair) => pair.split("=")));
    const measure = Object.keys(MEASURES).find((key) => key in parameters);
    if (parameters.network) this.network.value = parameters.network;
    if (measure) {
      this.measure.value = measure;
      this.limitAmount();
      this.amount.value = parameters[measure];
    }
  }

  chosen() {
    this.showStrength();
    this.onChange();
  }

  measured() {
    this.limitAmount();
    this.amount.value = String(MEASURES[this.measure.value].usual);
    this.onChange();
  }

  /** Only what the chosen player takes is to be seen. */
  showStrength() {
    const kind = this.kind();
    const takes = kind?.takes.filter((key) => key in MEASURES) ?? [];
    this.strength.hidden = takes.length === 0;
    this.amount.disabled = this.strength.hidden; // what is not seen must not keep the window from being sent
    this.network.hidden = !kind?.takes.includes("network") || this.network.options.length < 2;
    fill(this.measure, takes.map((key) => html("option", { value: key }, MEASURES[key].title)));
    if (takes.length) this.amount.value = String(usualAmount(kind?.usual ?? "", takes[0]));
    this.limitAmount();
    this.about.textContent = this.describe();
  }

  /** The browser refuses amounts that the server would refuse, and says why. */
  limitAmount() {
    const kind = this.kind();
    const measure = MEASURES[this.measure.value];
    if (!kind || !measure || !this.limits) return;
    this.amount.min = String(measure.least);
    this.amount.step = measure.step;
    this.amount.max = String(mostOf(kind, this.measure.value, this.limits));
  }

  /** What is said of the chosen player. */
  describe() {
    const kind = this.kind();
    if (kind) return (kind.takes.includes("network") && kind.available ? "" : kind.remark) || kind.about;
    const [name] = this.select.value.split(":");
    const known = this.board?.players.find((one) => one.name === name);
    return name === "human" ? known?.about ?? "" : `${known?.title ?? name}, ${strengthOf(this.select.value)}.`;
  }

  kind() {
    return this.board?.players.find((one) => `=${one.name}` === this.select.value);
  }

  /** @returns {string} the player's specification */
  get value() {
    const kind = this.kind();
    if (!kind) return this.select.value;
    const said = [];
    if (kind.takes.includes("network") && this.network.value) said.push(`network=${this.network.value}`);
    if (!this.strength.hidden) said.push(`${this.measure.value}=${this.amount.value}`);
    return said.length ? `${kind.name}:${said.join(",")}` : kind.name;
  }
}

/** @param {PlayerKind} kind @param {string} measure @param {Limits} limits @returns {number} */
function mostOf({ name }, measure, limits) {
  if (measure === "sims") return name === "mcts" ? limits.rollouts : limits.simulations;
  return measure === "depth" ? limits.depth : limits.seconds;
}

/** @param {string} usual  `mcts:sims=2000` @param {string} measure */
function usualAmount(usual, measure) {
  const found = new RegExp(`${measure}=([0-9.]+)`).exec(usual);
  return found ? Number(found[1]) : MEASURES[measure].usual;
}

/** @param {string} player  `mcts:sims=100` → `100 simulations` */
function strengthOf(player) {
  const parameters = Object.fromEntries((player.split(":")[1] ?? "").split(",").map((pair) => pair.split("=")));
  const measure = Object.keys(MEASURES).find((key) => key in parameters);
  const amount = measure ? `${parameters[measure]} ${MEASURES[measure].title}` : "";
  return [parameters[measure ?? ""] === "1" ? amount.replace(/s$/, "") : amount, parameters.temperature ? "varied play" : ""]
    .filter(Boolean)
    .join(", ");
}
