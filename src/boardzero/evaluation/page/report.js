"use strict";
const report = JSON.parse(document.getElementById("report").textContent);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const plotSettings = { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d"] };

function coloured(layout) {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink").trim(), edge = style.getPropertyValue("--edge").trim();
  const result = { ...layout, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: ink, size: 12, family: getComputedStyle(document.body).fontFamily },
    hoverlabel: { bgcolor: style.getPropertyValue("--card").trim(), font: { color: ink }, bordercolor: edge } };
  for (const axis of ["xaxis", "yaxis"]) result[axis] = { ...layout[axis], gridcolor: edge, linecolor: edge, automargin: true };
  return result;
}
function drawCharts() {
  for (const chart of report.charts) {
    Plotly.react(document.getElementById("chart-" + chart.key), chart.data, coloured(chart.layout), plotSettings);
  }
}
const SVG = "http://www.w3.org/2000/svg";
function add(parent, name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}
function drawBoard(svg, game, frame) {
  const size = 40, left = game.ranks.length ? 26 : 6, bottom = 24;
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${left + game.columns * size + 6} ${6 + game.rows * size + bottom}`);
  add(svg, "rect", { x: left - 4, y: 2, width: game.columns * size + 8, height: game.rows * size + 8, rx: 8, fill: "var(--board)" });
  const shares = new Map(frame.policy || []);
  frame.cells.forEach((piece, cell) => {
    const x = left + (cell % game.columns + 0.5) * size, y = 6 + (Math.floor(cell / game.columns) + 0.5) * size;
    const fill = piece === 0 ? "var(--cell)" : piece % 2 === 1 ? "var(--first)" : "var(--second)";
    const stone = add(svg, "circle", { cx: x, cy: y, r: 16.5, fill });
    if (piece > 2) stone.setAttribute("stroke-dasharray", "4 3"), stone.setAttribute("stroke", "var(--ink)");
    if (frame.last.includes(cell)) add(svg, "circle", { cx: x, cy: y, r: 17.5, fill: "none", stroke: "var(--ink)", "stroke-width": 2.5 });
    const ink = piece % 2 === 1 ? "var(--on-first)" : "var(--on-second)";
    const label = { x, y: y + 4.5, "text-anchor": "middle", "font-size": 13 };
    if (piece && frame.numbers[cell]) add(svg, "text", { ...label, fill: ink, "font-weight": 600 }, frame.numbers[cell]);
    if (shares.has(cell) && !piece) {
      const share = shares.get(cell);
      const hue = frame.turn === 0 ? "var(--first)" : "var(--second)";
      add(svg, "circle", { cx: x, cy: y, r: Math.max(2.5, 16 * Math.sqrt(share)), fill: hue, opacity: 0.45 });
      if (share >= 0.02) add(svg, "text", { ...label, fill: "var(--ink)", "font-size": 11.5 }, Math.round(100 * share));
    }
  });
  game.files.forEach((name, column) => add(svg, "text", { x: left + (column + 0.5) * size, y: 6 + game.rows * size + 19, "text-anchor": "middle", "font-size": 12, fill: "var(--soft)" }, name));
  game.ranks.forEach((name, row) => add(svg, "text", { x: 12, y: 6 + (row + 0.5) * size + 4, "text-anchor": "middle", "font-size": 12, fill: "var(--soft)" }, name));
}
function drawValues(svg, game, current) {
  const width = 330, height = 54, count = game.frames.length - 1;
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const x = (ply) => 4 + ply / Math.max(1, count) * (width - 8), y = (value) => height / 2 - value * (height / 2 - 5);
  add(svg, "line", { x1: 0, x2: width, y1: height / 2, y2: height / 2, stroke: "var(--edge)" });
  const points = game.frames.map((frame, ply) => [ply, frame.value]).filter(([, value]) => value !== null && value !== undefined);
  add(svg, "polyline", { points: points.map(([ply, value]) => `${x(ply)},${y(value)}`).join(" "), fill: "none", stroke: "var(--accent)", "stroke-width": 2 });
  add(svg, "line", { x1: x(current), x2: x(current), y1: 0, y2: height, stroke: "var(--soft)", "stroke-dasharray": "3 3" });
}
function showGame(game, number) {
  const box = document.getElementById("game-" + number);
  const [board, values] = box.querySelectorAll("svg"), slider = box.querySelector("input"), opinion = box.querySelector(".opinion");
  const last = game.frames.length - 1;
  slider.max = last;
  function show(ply) {
    slider.value = ply;
    const frame = game.frames[ply];
    drawBoard(board, game, frame);
    drawValues(values, game, ply);
    opinion.replaceChildren();
    const say = (text, tag) => { const part = document.createElement(tag || "div"); part.textContent = text; opinion.appendChild(part); };
    say(ply === last ? `after move ${ply}: the end` : `after move ${ply}: ${game.players[frame.turn]} to move, plays ${frame.played}`, "b");
    if (frame.value !== null && frame.value !== undefined) say(`expected result for ${game.players[0]}: ${frame.value > 0 ? "+" : ""}${frame.value.toFixed(2)}`);
    if (frame.moves && frame.moves.length) say("search: " + frame.moves.map(([move, share]) => `${move}: ${Math.round(100 * share)} %`).join(", "));
  }
  const [back, on] = box.querySelectorAll("button");
  back.addEventListener("click", () => show(Math.max(0, Number(slider.value) - 1)));
  on.addEventListener("click", () => show(Math.min(last, Number(slider.value) + 1)));
  slider.addEventListener("input", () => show(Number(slider.value)));
  show(game.shown);
}
drawCharts();
dark.addEventListener("change", drawCharts);
report.games.forEach(showGame);
