/**
 * Attachments: the older way to add to a message, with a coloured bar; their blocks are like those of the message.
 */
import { el, fill, link } from "./dom.js";
import { dateNode } from "./dates.js";
import { mrkdwn } from "./mrkdwn.js";

const COLOURS = { good: "#2eb67d", warning: "#ecb22e", danger: "#e01e5a" };

export class AttachmentView {
  /** @param {object} names {@link import("./names.js").Names} */
  constructor(names) {
    this.names = names;
    this.blocks = el("div", { class: "blocks" });
    this.before = el("div", { class: "attachment-pretext text" });
    this.words = el("div", { class: "attachment-words" });
    this.bar = el("div", { class: "attachment" }, this.words, this.blocks);
    this.node = el("div", {}, this.before, this.bar);
  }

  /** Everything but its blocks, which the surface of the message paints. */
  paint(attachment) {
    this.bar.style.borderLeftColor = colour(attachment.color);
    fill(this.before, attachment.pretext ? mrkdwn(attachment.pretext, this.names) : []);
    this.before.hidden = !attachment.pretext;
    const shown = attachment.blocks?.length ? [] : words(attachment, this.names);
    fill(this.words, shown);
    this.words.hidden = shown.length === 0;
  }
}

function colour(name) {
  if (typeof name !== "string") return "";
  return COLOURS[name] ?? (/^[0-9a-fA-F]{3,6}$/.test(name) ? `#${name}` : "");
}

function words(attachment, names) {
  const line = (name, text) => (text ? el("div", { class: `attachment-${name} text` }, mrkdwn(text, names)) : null);
  const linked = (name, text, url) => (text ? el("div", { class: `attachment-${name}` }, url ? link(url, String(text)) : String(text)) : null);
  const image = (url) => (url ? el("span", { class: "image-alt", role: "img", "aria-label": "Image", text: `Image: ${url}` }) : null);
  const shown = [
    linked("author", attachment.author_name, attachment.author_link),
    linked("title", attachment.title, attachment.title_link),
    line("text", attachment.text),
    fields(attachment.fields, names),
    image(attachment.image_url ?? attachment.thumb_url),
    oldButtons(attachment.actions),
    footer(attachment, names),
  ].filter(Boolean);
  return shown.length > 0 ? shown : [line("text", attachment.fallback)].filter(Boolean);
}

function fields(given, names) {
  if (!Array.isArray(given) || given.length === 0) return null;
  const one = (field) => el("div", { class: `fact${field.short ? "" : " fact-wide"}` }, el("strong", { text: String(field.title ?? "") }), el("div", { class: "text" }, mrkdwn(field.value ?? "", names)));
  return el("div", { class: "fields" }, given.map(one));
}

/** Buttons from before there were blocks: drawn, but nobody can press them here. */
function oldButtons(given) {
  if (!Array.isArray(given) || given.length === 0) return null;
  const one = (action) => el("button", { type: "button", class: "button", disabled: true, title: "The sandbox does not send clicks on attachment actions; use blocks.", text: String(action.text ?? action.name ?? "") });
  return el("div", { class: "attachment-actions" }, given.map(one));
}

function footer(attachment, names) {
  if (!attachment.footer && !attachment.ts) return null;
  const at = attachment.ts ? dateNode({ timestamp: attachment.ts, format: "{date_short_pretty} at {time}" }, names.zone) : null;
  return el("div", { class: "attachment-footer" }, attachment.footer ? String(attachment.footer) : null, attachment.footer && at ? " · " : null, at);
}
