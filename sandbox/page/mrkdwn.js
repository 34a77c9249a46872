/**
 * Slack's mrkdwn, drawn from text nodes: bold, italic, strike, code, quotes, links, mentions, dates, emoji.
 */
import { el, link } from "./dom.js";
import { emojiText } from "./emoji.js";
import { dateNode } from "./dates.js";

/** Undo the three escapes Slack knows, and only these. */
export function unescape(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/**
 * @param {string} text mrkdwn as sent, with `&lt;` and friends
 * @param {import("./names.js").Names} names
 * @returns {Node[]}
 */
export function mrkdwn(text, names) {
  const nodes = [];
  for (const piece of String(text).split(/(```[\s\S]+?```)/)) {
    if (piece.startsWith("```") && piece.endsWith("```") && piece.length > 6) {
      nodes.push(el("pre", { class: "pre", text: unescape(piece.slice(3, -3)).replace(/^\n|\n$/g, "") }));
    } else {
      nodes.push(...lines(piece, names));
    }
  }
  return nodes;
}

function lines(text, names) {
  const nodes = [];
  let quote = null;
  for (const [index, line] of text.split("\n").entries()) {
    const quoted = /^(&gt;|>) ?/.exec(line);
    if (quoted) {
      if (quote === null) nodes.push((quote = el("blockquote", { class: "quote" })));
      else quote.append("\n");
      quote.append(...inline(line.slice(quoted[0].length), names));
      continue;
    }
    if (index > 0 && quote === null) nodes.push(document.createTextNode("\n"));
    quote = null;
    nodes.push(...inline(line, names));
  }
  return nodes;
}

// A mark counts only at a word's edge, as in Slack: snake_case_names and 2*3*4 stay as they are.
const SPANS = [
  { pattern: /`([^`\n]+)`/, draw: (inner) => el("code", { class: "code", text: unescape(inner) }) },
  { pattern: /<([^<>\n]+)>/, draw: (inner, names) => control(inner, names) },
  { pattern: /(?<![\w*])\*(?=\S)([^*\n]*[^*\s])\*(?![\w*])/, draw: (inner, names) => el("strong", {}, ...inline(inner, names)) },
  { pattern: /(?<![\w_])_(?=\S)([^_\n]*[^_\s])_(?![\w_])/, draw: (inner, names) => el("em", {}, ...inline(inner, names)) },
  { pattern: /(?<![\w~])~(?=\S)([^~\n]*[^~\s])~(?![\w~])/, draw: (inner, names) => el("s", {}, ...inline(inner, names)) },
];

function inline(text, names) {
  const nodes = [];
  let rest = text;
  while (rest !== "") {
    const found = firstSpan(rest);
    if (found === null) break;
    const { match, draw } = found;
    nodes.push(...emojiText(unescape(rest.slice(0, match.index))), draw(match[1], names));
    rest = rest.slice(match.index + match[0].length);
  }
  return rest === "" ? nodes : [...nodes, ...emojiText(unescape(rest))];
}

function firstSpan(text) {
  let first = null;
  for (const { pattern, draw } of SPANS) {
    const match = pattern.exec(text);
    if (match !== null && (first === null || match.index < first.match.index)) first = { match, draw };
  }
  return first;
}

/** What stands between < and >: a mention, a date or a link. */
function control(inner, names) {
  const [target, ...labels] = inner.split("|");
  const label = labels.join("|");
  if (target.startsWith("@")) return names.mention("user", target.slice(1));
  if (target.startsWith("#")) return names.channelMention(target.slice(1));
  if (target.startsWith("!subteam^")) return names.mention("group", target.slice(9));
  if (target.startsWith("!date^")) return date(target, label, names);
  if (target.startsWith("!")) return names.mention("range", target.slice(1));
  return link(unescape(target), unescape(label || target));
}

function date(target, fallback, names) {
  const [, timestamp, format] = target.split("^");
  return dateNode({ timestamp, format, fallback: unescape(fallback) }, names.zone);
}
