/** The view where trainings are started and watched. */

import { keepAddress, writeAddress } from "../common/address.js";
import { attempt, say, show } from "../common/announce.js";
import { forgetBoards, titleOf } from "../common/catalogue.js";
import { button } from "../common/controls.js";
import { fill, html } from "../common/elements.js";
import { count, duration } from "../common/format.js";
import { Newest } from "../common/newest.js";
import { ask, listen, send } from "../common/server.js";
import { Charts } from "./charts.js";
import { Generations } from "./generations.js";
import { RunList } from "./run_list.js";
import { SelfPlay } from "./selfplay.js";
import { StartRun } from "./start_run.js";

/** @typedef {import("../common/types.js").Run} Run */
/** @typedef {import("../common/address.js").Address} Address */

const TILES = ["Generation", "Time", "Games", "Positions", "Simulations/s", "Mistakes"];
const COMPARE_MILLISECONDS = 10_000; // between two looks at runs that are compared
const KEPT = new Set(["GenerationDone", "PerfectPlayMeasured", "StrengthMeasured", "NetworksCompared"]);
const REMARKS = new Set(["DamageFound", "Remark"]);

export class LearnView {
  constructor() {
    /** @type {Run[]} */
    this.runs = [];
    /** @type {Run | null} */
    this.run = null;
    /** @type {Record<string, any>[]} of the run that is watched */
    this.events = [];
    this.underWay = "";
    this.remark = ""; // what whoever waits should know; it stands until the next generation is done
    this.wish = ""; // what the run was asked for, until it is so
    /** @type {Map<string, Run>} with their events, by id */
    this.compared = new Map();
    this.stop = () => {};
    this.watches = new Newest();
    this.refreshes = new Newest();
    this.comparisons = new Newest();
    /** @type {string[]} runs that are to be compared */
    this.comparing = [];
    this.looking = 0; // a timer
    this.charts = new Charts();
    this.selfplay = new SelfPlay();
    this.generations = new Generations();
    this.start = new StartRun((run) => attempt(() => this.started(run)));
    this.list = new RunList((run) => attempt(() => this.watch(run)), (ids) => attempt(() => this.compare(ids)));
    this.build();
    document.addEventListener(
      "visibilitychange",
      () => (document.hidden ? this.stop() : this.element.isConnected && this.follow()),
    );
  }

  build() {
    this.title = html("h1", {}, "Watch it learn");
    this.subtitle = html("p", { class: "quiet" }, "\u00a0");
    this.state = html("span", { class: "run-state" });
    this.progress = html("progress", { max: "1", value: "0", "aria-label": "Progress of the training" });
    this.doing = html("p", { class: "quiet small doing" }, "\u00a0");
    this.stopButton = button("stop", "Stop", () => this.command("stop"), { single: true });
    this.resumeButton = button("start", "Resume", () => this.command("resume"), { single: true });
    this.numbers = TILES.map(() => html("dd", {}, "–"));
    const tiles = TILES.map((name, index) => html("div", {}, html("dt", {}, name), this.numbers?.[index]));
    this.tiles = html("dl", { class: "tiles" }, tiles);
    this.startButton = button(
      "plus",
      "Start a training",
      () => attempt(() => this.start.open()),
      { primary: true, single: true },
    );
    this.main = html(
      "div",
      { class: "run" },
      html(
        "header",
        { class: "run-head" },
        html("div", {}, this.title, this.subtitle),
        this.state,
        this.stopButton,
        this.resumeButton,
      ),
      html("div", { class: "run-progress" }, this.progress, this.doing),
      this.tiles,
      this.charts.element,
    );
    this.element = html(
      "section",
      { class: "view learn", "aria-label": "Watch it learn" },
      html(
        "div",
        { class: "learn-side" },
        this.startButton,
        html("div", { class: "card" }, html("h2", {}, "Trainings"), this.list.element),
        this.selfplay.element,
        this.generations.element,
      ),
      this.main,
      this.start.element,
    );
  }

  /** @param {Address} address */
  async enter({ id }) {
    const newest = this.watches.begin();
    await this.refresh();
    if (!newest()) return;
    const wanted = id || this.run?.id;
    const running = this.runs.find((run) => run.state === "running");
    const chosen = this.runs.find((run) => run.id === wanted) ?? running ?? this.runs[0];
    if (chosen) await this.watch(chosen);
    else this.draw();
  }

  leave() {
    this.watches.forget();
    this.comparisons.forget();
    window.clearTimeout(this.looking);
    this.stop();
    this.selfplay.end();
  }

  async refresh() {
    const newest = this.refreshes.begin();
    const answer = await ask("runs");
    if (!newest()) return;
    this.runs = answer.runs;
    if (this.startButton) this.startButton.disabled = !answer.can_train || answer.running !== null;
    this.list.show(this.runs, this.run?.id ?? "");
  }

  /** @param {Run} run */
  async started(run) {
    const newest = this.watches.begin();
    await this.refresh();
    if (newest()) await this.watch(run);
  }

  /** @param {Run} run */
  async watch(run) {
    const newest = this.watches.begin();
    if (this.run?.id !== run.id) {
      this.stop(); // news of another run would be taken for news of this one
      this.forget();
      if (this.doing) this.doing.textContent = "\u00a0";
    }
    this.run = run;
    keepAddress(writeAddress("learn", run.id));
    this.draw();
    this.list.show(this.runs, run.id);
    await attempt(() => this.selfplay.begin(run.game));
    if (!newest()) return;
    this.follow();
    this.lookAgainSoon();
  }

  /** Listen to the run's events: first all that happened, then what happens. */
  follow() {
    this.stop();
    const { run } = this;
    if (!run || document.hidden) return;
    this.stop = listen(`runs/${run.id}/events`, {}, {
      open: () => this.forget(), // all that happened comes again, also where the stream had broken off
      training: (event) => this.happened(event),
      run: (newest) => this.changed(newest),
      selfplay: (game) => this.selfplay.take(game),
      trouble: ({ error }) => show(error, "trouble"),
    });
  }

  forget() {
    this.events = [];
    this.underWay = this.remark = this.wish = "";
  }

  /** @param {Record<string, any>} event */
  happened(event) {
    if (KEPT.has(event.event)) {
      this.events.push(event);
      this.drawNumbers();
    }
    if (event.event === "GenerationDone") {
      this.remark = "";
      say(`Generation ${event.generation} is done.`);
    }
    if (REMARKS.has(event.event)) {
      this.remark = event.sentence;
      say(event.sentence);
    }
    this.underWay = sentenceOf(event) || this.underWay;
    this.drawDoing();
  }

  drawDoing() {
    const { run } = this;
    if (!run || !this.doing) return;
    const active = run.state === "running" || run.state === "starting";
    const rest = run.trouble || (run.state === "finished" ? "Done." : "It can be resumed at any time.");
    const said = this.wish || (active ? [this.underWay, this.remark].filter(Boolean).join(" · ") : rest);
    if (said) this.doing.textContent = said;
  }

  /** @param {Run} newest */
  changed(newest) {
    if (newest.id !== this.run?.id) return; // another one is watched by now
    const ended = this.run?.state !== newest.state;
    if (newest.generation !== this.run?.generation) forgetBoards();
    this.run = newest;
    this.runs = this.runs.map((run) => (run.id === newest.id ? newest : run));
    if (ended) {
      this.underWay = this.wish = "";
      attempt(() => this.refresh());
    }
    this.draw();
  }

  draw() {
    const { run } = this;
    for (const element of [
      this.state,
      this.progress,
      this.tiles,
      this.charts.element,
      this.selfplay.element,
      this.generations.element,
    ]) if (element) element.hidden = !run;
    const active = run?.state === "running" || run?.state === "starting";
    if (this.stopButton) this.stopButton.hidden = !run || !active || !run.mine;
    if (this.resumeButton) this.resumeButton.hidden = !run || active || run.state === "finished";
    if (!run) return;
    fill(/** @type {HTMLElement} */ (this.title), run.title);
    attempt(() => this.drawSubtitle(run));
    const state = /** @type {HTMLElement} */ (this.state);
    state.className = `run-state ${run.state}`;
    state.textContent = run.state;
    /** @type {HTMLProgressElement} */ (this.progress).value = run.share;
    this.drawDoing();
    this.generations.show(run, this.runs);
    this.list.show(this.runs, run.id);
    this.drawNumbers();
  }

  /** @param {Run} run */
  async drawSubtitle(run) {
    const title = await titleOf(run.game);
    const length = run.minutes ? ` · ${run.minutes} minutes` : run.generations ? ` · ${run.generations} generations` : "";
    if (this.subtitle && this.run?.id === run.id) this.subtitle.textContent = title + length;
  }

  drawNumbers() {
    const { run } = this;
    if (!run || !this.tiles) return;
    const last = (/** @type {string} */ kind) => this.events.findLast((event) => event.event === kind);
    const [done, perfect] = [last("GenerationDone"), last("PerfectPlayMeasured")];
    const values = [
      String(done?.generation ?? run.generation),
      duration(run.seconds),
      count(done?.games ?? run.games),
      count(done?.positions ?? run.positions),
      done ? count(done.simulations_per_second) : "–",
      perfect ? `${((100 * perfect.mistakes) / perfect.positions).toFixed(1)}\u202f%` : "–",
    ];
    this.numbers.forEach((number, index) => (number.textContent = values[index]));
    const others = [...this.compared.values()].filter((other) => other.id !== run.id).map((other) => ({
      title: other.title,
      events: other.events ?? [],
    }));
    attempt(() => this.charts.show([{ title: run.title, events: this.events }, ...others]));
  }

  /** @param {string[]} ids  runs to be drawn beside the one that is watched */
  async compare(ids) {
    this.comparing = ids;
    const newest = this.comparisons.begin();
    const wanted = ids.filter((id) => isActive(this.compared.get(id)));
    const found = await Promise.all(wanted.map((id) => ask(`runs/${id}`)));
    if (!newest()) return;
    const all = new Map([...this.compared, ...found.map((run) => /** @type {[string, Run]} */ ([run.id, run]))]);
    this.compared = new Map([...all].filter(([id]) => ids.includes(id)));
    this.drawNumbers();
    this.lookAgainSoon();
  }

  /** Runs that are compared go on too. */
  lookAgainSoon() {
    window.clearTimeout(this.looking);
    if (!this.element.isConnected || !this.comparing.some((id) => isActive(this.compared.get(id)))) return;
    this.looking = window.setTimeout(async () => {
      if (!document.hidden) await this.compare(this.comparing).catch(() => undefined); // asked again soon
      this.lookAgainSoon();
    }, COMPARE_MILLISECONDS);
  }

  /** @param {"stop" | "resume"} what */
  command(what) {
    return attempt(async () => {
      const { run } = this;
      if (!run) return;
      this.wish = what === "stop" ? "Stopping…" : "Resuming…";
      this.drawDoing();
      const newest = await send(`runs/${run.id}/${what}`).catch((error) => {
        this.wish = "";
        this.drawDoing();
        throw error;
      });
      this.changed(newest);
      await this.refresh();
    });
  }
}

/** Is there, or may there be, more to know of a run than we do? @param {Run | undefined} run */
function isActive(run) {
  return !run || run.state === "running" || run.state === "starting";
}

/** What is going on, in a line. @param {Record<string, any>} event */
function sentenceOf(event) {
  switch (event.event) {
    case "SelfPlayProgress":
      return `Playing for generation ${event.generation + 1}: ${count(event.positions)} of ${count(event.wanted)} ${event.unit}`;
    case "LearningProgress":
      return `Learning generation ${event.generation}: step ${count(event.step)} of ${count(event.steps)}`;
    case "GenerationDone":
      return `Generation ${event.generation} is done`;
    default:
      return "";
  }
}
