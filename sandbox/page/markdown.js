/**
 * The text of a markdown block: headings, lists, quotes, code, tables, and the marks inside a line. Not all of
 * CommonMark; what it does not know stays as it was written.
 */
import { el, link } from "./dom.js";
import { emojiText } from "./emoji.js";

/** @returns {Node[]} */
export function markdown(text) {
  const lines = String(text).split("\n");
  const nodes = [];
  while (lines.length > 0) nodes.push(part(lines));
  return nodes.filter(Boolean);
}

/** Take one part from the front of the lines. */
function part(lines) {
  if (lines[0].trim() === "") {
    lines.shift();
    return null;
  }
  const kind = PARTS.find(({ starts }) => starts(lines[0], lines[1]));
  if (kind) return kind.draw(lines);
  const plain = [lines.shift()];
  while (lines.length > 0 && lines[0].trim() !== "" && !PARTS.some(({ starts }) => starts(lines[0], lines[1]))) plain.push(lines.shift());
  return el("p", { class: "md-text text" }, inline(plain.join("\n")));
}

function takeWhile(lines, test) {
  const taken = [];
  while (lines.length > 0 && test(lines[0])) taken.push(lines.shift());
  return taken;
}

const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(\[[ xX]\]\s+)?/;
const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());

const PARTS = [
  {
    starts: (line) => /^\s*```/.test(line),
    draw: (lines) => {
      lines.shift();
      const code = takeWhile(lines, (line) => !/^\s*```/.test(line));
      lines.shift();
      return el("pre", { class: "pre", tabindex: "0", text: code.join("\n") });
    },
  },
  {
    starts: (line) => /^#{1,6}\s/.test(line),
    draw: (lines) => {
      const [, marks, words] = /^(#+)\s+(.*)$/.exec(lines.shift());
      return el(`h${Math.max(marks.length, 2)}`, { class: `header md-${marks.length}` }, inline(words));
    },
  },
  { starts: (line) => /^\s*([-*_])(\s*\1){2,}\s*$/.test(line), draw: (lines) => (lines.shift(), el("hr", { class: "divider" })) },
  { starts: (line) => /^\s*>/.test(line), draw: (lines) => el("blockquote", { class: "quote" }, markdown(takeWhile(lines, (line) => /^\s*>/.test(line)).map((line) => line.replace(/^\s*> ?/, "")).join("\n"))) },
  { starts: (line) => ITEM.test(line), draw: (lines) => list(takeWhile(lines, (line) => ITEM.test(line) || /^\s+\S/.test(line))) },
  {
    starts: (line, next) => line.includes("|") && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(next ?? ""),
    draw: (lines) => {
      const head = cells(lines.shift());
      lines.shift();
      const rows = takeWhile(lines, (line) => line.includes("|")).map(cells);
      const line = (row, tag) => el("tr", {}, row.map((cell) => el(tag, { class: "cell" }, inline(cell))));
      return el("div", { class: "grid-scroll", tabindex: "0", role: "region", "aria-label": "Table" }, el("table", { class: "grid" }, el("thead", {}, line(head, "th")), el("tbody", {}, rows.map((row) => line(row, "td")))));
    },
  },
];

function list(lines) {
  const [, indent, mark] = ITEM.exec(lines[0]);
  const ordered = /\d/.test(mark);
  const items = [];
  while (lines.length > 0) {
    const found = ITEM.exec(lines[0]);
    const first = lines.shift();
    const box = found?.[3] ? (/x/i.test(found[3]) ? "☑ " : "☐ ") : null;
    const deeper = takeWhile(lines, (line) => line.search(/\S/) > indent.length);
    const nested = deeper.length > 0 ? markdown(deeper.map((line) => line.slice(Math.min(line.search(/\S/), indent.length + 2))).join("\n")) : [];
    items.push(el("li", {}, box, inline(found ? first.slice(found[0].length) : first.trim()), nested));
  }
  return el(ordered ? "ol" : "ul", { class: "md-list", start: ordered ? Number.parseInt(mark, 10) : null }, items);
}

const SPANS = [
  { pattern: /`([^`\n]+)`/, draw: ([, inner]) => el("code", { class: "code", text: inner }) },
  { pattern: /!\[([^\]\n]*)\]\([^)\s]+\)/, draw: ([, alt]) => el("span", { class: "image-alt", role: "img", "aria-label": alt, text: alt }) },
  { pattern: /\[([^\]\n]+)\]\(([^)\s]+)\)/, draw: ([, label, url]) => link(url, label) },
  { pattern: /<?(https?:\/\/[^\s<>|)]+)>?/, draw: ([, url]) => link(url, url) },
  { pattern: /\*\*(?=\S)([\s\S]*?\S)\*\*/, draw: ([, inner]) => el("strong", {}, inline(inner)) },
  { pattern: /~~(?=\S)([\s\S]*?\S)~~/, draw: ([, inner]) => el("s", {}, inline(inner)) },
  { pattern: /(?<![\w*])\*(?=[^\s*])([^*\n]*[^*\s])\*(?![\w*])/, draw: ([, inner]) => el("em", {}, inline(inner)) },
  { pattern: /(?<![\w_])_(?=[^\s_])([^_\n]*[^_\s])_(?![\w_])/, draw: ([, inner]) => el("em", {}, inline(inner)) },
];

function inline(text) {
  const nodes = [];
  let rest = text;
  for (let first = firstSpan(rest); first; first = firstSpan(rest)) {
    nodes.push(...emojiText(rest.slice(0, first.match.index)), first.draw(first.match));
    rest = rest.slice(first.match.index + first.match[0].length);
  }
  return [...nodes, ...emojiText(rest)];
}

function firstSpan(text) {
  const found = SPANS.map(({ pattern, draw }) => ({ match: pattern.exec(text), draw })).filter(({ match }) => match !== null);
  return found.sort((one, other) => one.match.index - other.match.index)[0] ?? null;
}
