/**
 * Text objects: plain_text stays as it is, mrkdwn is drawn.
 */
import { emojiText } from "./emoji.js";
import { mrkdwn } from "./mrkdwn.js";

/** Nodes of a text object. @returns {Node[]} */
export function drawText(text, names) {
  if (!text) return [];
  if (text.type === "mrkdwn") return mrkdwn(text.text, names);
  return emojiText(String(text.text ?? ""), { names: text.emoji !== false });
}

/** The bare words of a text object, for labels that cannot hold nodes. */
export function plain(text) {
  return String(text?.text ?? "");
}
