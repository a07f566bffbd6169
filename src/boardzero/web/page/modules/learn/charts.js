/** Live charts of runs, drawn by plotly (served from the installed package, loaded when first needed). */

import { fill, html } from "../common/elements.js";
import { onThemeChange } from "../common/theme.js";

/** @typedef {{title: string, events: Record<string, any>[]}} Curve  one run */
/** @typedef {{name: string, x: number[], y: number[]}} Series */

const COLOURS = ["#3a6df0", "#e8590c", "#2b9a66", "#c2255c", "#8a5cf6", "#b08900"];
const DASHES = ["solid", "dot", "dash", "dashdot"];

/** @type {{title: string, series: (events: Record<string, any>[]) => Series[], suffix?: string, fromZero?: boolean}[]} */
const CHARTS = [
  {
    title: "Losses",
    series: (events) => [
      generations(events, "policy", "policy_loss"),
      generations(events, "value", "value_loss"),
      generations(events, "plies left", "plies_left_loss"),
      generations(events, "final board", "final_board_loss"),
    ],
  },
  { title: "Mistakes against perfect play", suffix: " %", fromZero: true, series: mistakes },
  {
    title: "Speed, a second", fromZero: true,
    series: (events) => [
      generations(events, "simulations", "simulations_per_second"),
      generations(events, "evaluations", "evaluations_per_second"),
    ],
  },
  { title: "Moves a game", series: (events) => [generations(events, "moves", "mean_plies")] },
  { title: "Points won", suffix: " %", fromZero: true, series: (events) => strengths(events, (event) => 100 * event.score) },
  { title: "Rating above the opponent", series: (events) => strengths(events, ratingDifference) },
];

/** @type {Promise<any> | null} */
let loading = null;

function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = html(
      "script",
      {
        src: "/plotly.min.js",
        onload: () => resolve(/** @type {any} */ (window).Plotly),
        onerror: () => {
          loading = null; // it is asked for again
          reject(new Error("The charts could not be loaded."));
        },
      },
    );
    document.head.append(script);
  });
  return loading;
}

export class Charts {
  constructor() {
    this.places = CHARTS.map((chart) => ({
      chart,
      drawing: html("div", { class: "plot" }),
      remark: html("p", { class: "quiet small none", hidden: true }, "Not measured yet."),
    }));
    this.element = html(
      "div",
      { class: "charts" },
      this.places.map(({ chart, drawing, remark }) => html(
        "figure",
        { class: "card chart" },
        html("figcaption", {}, chart.title),
        drawing,
        remark,
      )),
    );
    /** @type {Curve[]} */
    this.curves = [];
    this.waiting = false;
    onThemeChange(() => this.element.isConnected && this.show(this.curves));
  }

  /** Draw these runs over one another, at most once a frame. @param {Curve[]} curves */
  async show(curves) {
    this.curves = curves;
    if (this.waiting) return;
    this.waiting = true;
    try {
      const drawer = await plotly();
      await new Promise((resolve) => requestAnimationFrame(resolve));
      if (this.element.isConnected) for (const place of this.places) this.draw(drawer, place);
    } finally {
      this.waiting = false;
    }
  }

  /** @param {any} drawer @param {Charts["places"][number]} place */
  draw(drawer, { chart, drawing, remark }) {
    const several = this.curves.length > 1;
    const traces = this.curves.flatMap((curve, run) =>
      chart.series(curve.events).filter((series) => series.x.length).map((series, index) => ({
        x: series.x, y: series.y, mode: series.x.length > 1 ? "lines" : "markers",
        name: several ? `${curve.title}: ${series.name}` : series.name,
        line: {
          color: COLOURS[(several ? run : index) % COLOURS.length],
          width: 2,
          dash: several ? DASHES[index % DASHES.length] : "solid",
        },
        hovertemplate: `%{y:.4~g}${chart.suffix ?? ""}<extra>%{fullData.name}</extra>`,
      })),
    );
    remark.hidden = traces.length > 0;
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", describe(chart.title, traces));
    if (traces.length) drawer.react(drawing, traces, layoutOf(chart), { displayModeBar: false, responsive: true });
    else fill(drawing);
  }
}

/**
 * What a screen reader says of a chart: where every curve has come to.
 * @param {string} title
 * @param {{name: string, y: number[]}[]} traces
 */
function describe(title, traces) {
  const ends = traces.map((trace) => `${trace.name} ${trace.y[trace.y.length - 1].toPrecision(3)}`);
  return `${title}: ${ends.length ? ends.join(", ") : "not measured yet"}`;
}

/** @param {typeof CHARTS[number]} chart */
function layoutOf(chart) {
  const style = getComputedStyle(document.documentElement);
  const [text, line, ground] = ["--quiet", "--line", "--raised"].map((name) => style.getPropertyValue(name).trim());
  const axis = { gridcolor: line, zeroline: false, linecolor: line, automargin: true };
  return {
    height: 190, margin: { l: 40, r: 8, t: 6, b: 34 }, paper_bgcolor: "transparent", plot_bgcolor: "transparent",
    font: { color: text, size: 11, family: getComputedStyle(document.body).fontFamily },
    xaxis: { ...axis, title: { text: "minutes", standoff: 4 }, rangemode: "tozero" },
    yaxis: { ...axis, ticksuffix: chart.suffix?.trim() ?? "", rangemode: chart.fromZero ? "tozero" : "normal" },
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: { size: 10 } },
    hoverlabel: { bgcolor: ground, bordercolor: line, font: { color: style.getPropertyValue("--text").trim() } },
    hovermode: "x unified", showlegend: true,
  };
}

/** @param {Record<string, any>[]} events @param {string} name @param {string} field @returns {Series} */
function generations(events, name, field) {
  const done = events.filter((event) => event.event === "GenerationDone" && typeof event[field] === "number");
  return { name, x: done.map(minutesOf), y: done.map((event) => event[field]) };
}

/** @param {Record<string, any>[]} events @returns {Series[]} */
function mistakes(events) {
  const measured = events.filter((event) => event.event === "PerfectPlayMeasured" && event.positions);
  return [{
    name: "mistakes",
    x: measured.map(minutesOf),
    y: measured.map((event) => (100 * event.mistakes) / event.positions),
  }];
}

/**
 * One series for every kind of opponent.
 * @param {Record<string, any>[]} events
 * @param {(event: Record<string, any>) => number} value
 * @returns {Series[]}
 */
function strengths(events, value) {
  const measured = events.filter((event) => event.event === "StrengthMeasured" && typeof event.score === "number");
  return [...new Set(measured.map((event) => String(event.kind)))].map((kind) => {
    const met = measured.filter((event) => event.kind === kind);
    return { name: `against ${kind}`, x: met.map(minutesOf), y: met.map(value) };
  });
}

/** In Elo's measure; a score of all or nothing is taken as half a point short of it. @param {Record<string, any>} event */
function ratingDifference(event) {
  const games = [...event.moving_first, ...event.moving_second].reduce((sum, number) => sum + number, 0) || 1;
  const score = Math.min(Math.max(event.score, 0.5 / games), 1 - 0.5 / games);
  return 400 * Math.log10(score / (1 - score));
}

/** @param {Record<string, any>} event */
function minutesOf(event) {
  return event.seconds / 60;
}
