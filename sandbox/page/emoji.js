/**
 * Emoji by Slack's names. The seven of the palette are drawn by the style sheet, so that they look alike on machines
 * without an emoji font; the character stays in the text for readers and for copying.
 */
import { el } from "./dom.js";

const EMOJI = {
  large_yellow_circle: "🟡",
  large_blue_circle: "🔵",
  white_check_mark: "✅",
  x: "❌",
  warning: "⚠️",
  no_entry: "⛔",
  white_circle: "⚪",
  red_circle: "🔴",
  large_green_circle: "🟢",
  large_orange_circle: "🟠",
  black_circle: "⚫",
  heavy_check_mark: "✔️",
  ballot_box_with_check: "☑️",
  no_entry_sign: "🚫",
  hourglass: "⌛",
  hourglass_flowing_sand: "⏳",
  alarm_clock: "⏰",
  bell: "🔔",
  rocket: "🚀",
  fire: "🔥",
  tada: "🎉",
  eyes: "👀",
  wave: "👋",
  pray: "🙏",
  heart: "❤️",
  smile: "😄",
  smiley: "😃",
  slightly_smiling_face: "🙂",
  thinking_face: "🤔",
  thumbsup: "👍",
  "+1": "👍",
  thumbsdown: "👎",
  "-1": "👎",
  lock: "🔒",
  unlock: "🔓",
  key: "🔑",
  bulb: "💡",
  memo: "📝",
  mag: "🔍",
  link: "🔗",
  package: "📦",
  wrench: "🔧",
  gear: "⚙️",
  robot_face: "🤖",
  speech_balloon: "💬",
  question: "❓",
  exclamation: "❗",
  information_source: "ℹ️",
  arrow_right: "➡️",
  arrow_left: "⬅️",
  arrow_up: "⬆️",
  arrow_down: "⬇️",
  white_large_square: "⬜",
  star: "⭐",
  sparkles: "✨",
};

const DRAWN = new Set([
  "large_yellow_circle", "large_blue_circle", "white_check_mark", "x", "warning", "no_entry", "white_circle",
]);

const NAME_OF = new Map(Object.entries(EMOJI).map(([name, char]) => [char, name]));

/** A node for an emoji name; an unknown name stays `:name:`. */
export function emojiNode(name) {
  const char = EMOJI[name];
  if (char === undefined) return document.createTextNode(`:${name}:`);
  const drawn = DRAWN.has(name) ? ` emoji-drawn emoji-${name}` : "";
  return el("span", { class: `emoji${drawn}`, role: "img", "aria-label": name.replaceAll("_", " "), title: `:${name}:`, text: char });
}

const COLONS = /:([a-z0-9_+-]+):/g;
const CHARS = new RegExp([...DRAWN].map((name) => EMOJI[name]).join("|"), "g");

/** Text as nodes: palette characters are drawn, and with `names` also `:name:` becomes its emoji. */
export function emojiText(text, { names = true } = {}) {
  const pattern = names ? new RegExp(`${COLONS.source}|${CHARS.source}`, "g") : CHARS;
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const name = match[1] ?? NAME_OF.get(match[0]);
    if (EMOJI[name] === undefined) continue;
    if (match.index > end) nodes.push(document.createTextNode(text.slice(end, match.index)));
    nodes.push(emojiNode(name));
    end = match.index + match[0].length;
  }
  if (end < text.length) nodes.push(document.createTextNode(text.slice(end)));
  return nodes;
}
