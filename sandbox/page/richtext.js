/**
 * rich_text blocks: sections, lists, quotes and preformatted parts, with all their inline elements.
 */
import { el, link } from "./dom.js";
import { emojiNode, emojiText } from "./emoji.js";
import { dateNode } from "./dates.js";

const BULLETS = ["disc", "circle", "square"];
const NUMBERS = ["decimal", "lower-alpha", "lower-roman"];

/**
 * @param {{elements: object[]}} block a rich_text block
 * @param {import("./names.js").Names} names
 */
export function richText(block, names) {
  return (block.elements ?? []).map((part) => drawPart(part, names));
}

function drawPart(part, names) {
  const draw = PARTS[part.type];
  return draw ? draw(part, names) : el("div", { class: "unknown", text: `[${part.type}]` });
}

const PARTS = {
  rich_text_section: (part, names) => el("div", { class: "rt-section" }, inline(part.elements, names)),
  rich_text_quote: (part, names) => el("blockquote", { class: "quote" }, inline(part.elements, names)),
  rich_text_preformatted: (part, names) => el("pre", { class: "pre", tabindex: "0" }, inline(part.elements, names)),
  rich_text_list: drawList,
};

function drawList(part, names) {
  const indent = Math.min(Math.max(Number(part.indent) || 0, 0), 8);
  const ordered = part.style === "ordered";
  const items = (part.elements ?? []).map((item) => el("li", {}, inline(item.elements, names)));
  const list = el(ordered ? "ol" : "ul", { class: "rt-list", start: ordered ? 1 + (Number(part.offset) || 0) : null }, items);
  list.style.listStyleType = (ordered ? NUMBERS : BULLETS)[indent % 3];
  list.style.setProperty("--indent", String(indent));
  return list;
}

function inline(elements, names) {
  return (elements ?? []).map((element) => drawInline(element, names));
}

function drawInline(element, names) {
  const draw = INLINE[element.type];
  const nodes = draw ? [draw(element, names)].flat() : [document.createTextNode(`[${element.type}]`)];
  return styled(nodes, element.style);
}

const INLINE = {
  text: (element) => emojiText(String(element.text ?? ""), { names: false }),
  emoji: (element) => emojiNode(String(element.name)),
  user: (element, names) => names.mention("user", element.user_id),
  usergroup: (element, names) => names.mention("group", element.usergroup_id),
  channel: (element, names) => names.channelMention(element.channel_id),
  team: (element) => el("span", { class: "mention", text: element.team_id }),
  broadcast: (element, names) => names.mention("range", element.range),
  link: (element) => link(element.url, element.text || element.url),
  date: drawDate,
  color: (element) => [colourDot(element.value), el("code", { class: "code", text: element.value })],
};

function colourDot(value) {
  const dot = el("span", { class: "colour-dot", "aria-hidden": "true" });
  dot.style.backgroundColor = value;
  return dot;
}

function drawDate(element, names) {
  const node = dateNode(element, names.zone);
  if (!element.url) return node;
  const anchor = link(element.url, "");
  if (!(anchor instanceof Element)) return node;
  anchor.append(node);
  return anchor;
}

const WRAPS = [["code", "code"], ["strike", "s"], ["underline", "u"], ["italic", "em"], ["bold", "strong"]];

function styled(nodes, style) {
  let wrapped = nodes;
  for (const [name, tag] of WRAPS) {
    if (style?.[name]) wrapped = [el(tag, { class: tag === "code" ? "code" : null }, wrapped)];
  }
  return wrapped;
}
