/**
 * data_visualization: pies, and bars, lines and areas over categories; with their numbers for who cannot see them.
 */
import { el, svg } from "./dom.js";

const WIDTH = 480;
const HEIGHT = 200;
const LEFT = 44;
const COLOURS = 12;

export function drawChart(block) {
  const { chart } = block;
  const picture = chart.type === "pie" ? pie(chart.segments) : axes(chart);
  const names = chart.type === "pie" ? chart.segments.map((part) => `${part.label}: ${part.value}`) : chart.series.map((series) => series.name);
  return el(
    "figure",
    { class: "chart", role: "img", "aria-label": `${block.title}. ${spoken(chart)}` },
    el("figcaption", { class: "chart-title", text: block.title }),
    picture,
    el("div", { class: "chart-names" }, names.map((name, index) => el("span", { class: `chart-name colour-${index % COLOURS}`, text: name }))),
  );
}

function spoken(chart) {
  if (chart.type === "pie") return chart.segments.map((part) => `${part.label} ${part.value}`).join(", ");
  return chart.series.map((series) => `${series.name}: ${series.data.map((point) => `${point.label} ${point.value}`).join(", ")}`).join(". ");
}

function pie(segments) {
  const total = segments.reduce((sum, part) => sum + part.value, 0);
  let turned = 0;
  const slices = segments.map((part, index) => {
    const from = turned;
    turned += part.value / total;
    return slice(from, turned, index);
  });
  return svg("svg", { viewBox: "-1.05 -1.05 2.1 2.1", class: "chart-pie", "aria-hidden": "true" }, slices);
}

function slice(from, to, index) {
  const colour = { class: `colour-${index % COLOURS}` };
  if (to - from > 0.999) return svg("circle", { r: 1, ...colour });
  const at = (turn) => `${Math.sin(turn * 2 * Math.PI).toFixed(4)} ${(-Math.cos(turn * 2 * Math.PI)).toFixed(4)}`;
  return svg("path", { d: `M0 0L${at(from)}A1 1 0 ${to - from > 0.5 ? 1 : 0} 1 ${at(to)}Z`, ...colour });
}

function axes(chart) {
  const { categories, x_label: below, y_label: beside } = chart.axis_config;
  const values = chart.series.flatMap((series) => series.data.map((point) => point.value));
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const y = (value) => HEIGHT - ((value - low) / (high - low || 1)) * HEIGHT;
  const step = (WIDTH - LEFT) / categories.length;
  const x = (category) => LEFT + step * (categories.indexOf(category) + 0.5);
  const draw = { bar: bars, line: lines, area: areas }[chart.type];
  const label = (at, text, more = {}) => svg("text", { ...at, class: "chart-text", ...more }, text);
  return svg(
    "svg",
    { viewBox: `0 -30 ${WIDTH} ${HEIGHT + 74}`, class: "chart-axes", "aria-hidden": "true" },
    beside ? label({ x: 0, y: -18 }, beside) : null,
    [...new Set([low, 0, high])].map((value) => [svg("line", { x1: LEFT, x2: WIDTH, y1: y(value), y2: y(value), class: "chart-rule" }), label({ x: LEFT - 6, y: y(value) + 4 }, String(value), { "text-anchor": "end" })]),
    draw(chart.series, { x, y, step }),
    categories.map((category) => label({ x: x(category), y: HEIGHT + 18 }, category, { "text-anchor": "middle" })),
    below ? label({ x: (LEFT + WIDTH) / 2, y: HEIGHT + 38 }, below, { "text-anchor": "middle" }) : null,
  );
}

function bars(all, { x, y, step }) {
  const width = (step * 0.7) / all.length;
  return all.map((series, index) =>
    series.data.map((point) => {
      const [top, bottom] = [Math.min(y(point.value), y(0)), Math.max(y(point.value), y(0))];
      const left = x(point.label) - step * 0.35 + width * index;
      return svg("rect", { x: left, y: top, width: Math.max(width - 1, 1), height: Math.max(bottom - top, 0.5), class: `colour-${index % COLOURS}` });
    }),
  );
}

function path(series, { x, y }) {
  const points = [...series.data].sort((one, other) => x(one.label) - x(other.label));
  return points.map((point) => `${x(point.label)},${y(point.value)}`);
}

function lines(all, scale) {
  return all.map((series, index) => [
    svg("polyline", { points: path(series, scale).join(" "), class: `chart-line colour-${index % COLOURS}` }),
    path(series, scale).map((point) => svg("circle", { cx: point.split(",")[0], cy: point.split(",")[1], r: 3.5, class: `colour-${index % COLOURS}` })),
  ]);
}

function areas(all, scale) {
  return all.map((series, index) => {
    const points = path(series, scale);
    const edge = (point) => `${point.split(",")[0]},${scale.y(0)}`;
    return svg("polygon", { points: [edge(points[0]), ...points, edge(points.at(-1))].join(" "), class: `chart-area colour-${index % COLOURS}` });
  });
}
