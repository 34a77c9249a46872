/**
 * Blocks of the newer kind that hold other things: cards, carousels, containers; and alerts and videos.
 */
import { el, link } from "./dom.js";
import { drawElement } from "./elements.js";
import { richText } from "./richtext.js";
import { drawText, plain } from "./texts.js";

/** The sandbox fetches nothing from outside, so an image is its description. */
export function altText(image) {
  return el("span", { class: "image-alt", role: "img", "aria-label": image.alt_text, text: image.alt_text });
}

const ALERTS = { default: "Note", info: "Info", warning: "Warning", error: "Error", success: "Success" };

export function drawAlert(block, surface) {
  const level = block.level ?? "default";
  return el(
    "div",
    { class: `alert alert-${level}`, role: "note", "aria-label": ALERTS[level] },
    el("span", { class: "alert-mark", "aria-hidden": "true" }),
    el("span", { class: "text" }, drawText(block.text, surface.names)),
  );
}

export function drawCard(card, surface) {
  const { names } = surface;
  const line = (name, words) => (words ? el("div", { class: `card-${name} text` }, drawText(words, names)) : null);
  const icon = card.icon ? altText(card.icon) : card.slack_icon ? el("span", { class: "image-alt", text: card.slack_icon.name }) : null;
  const head = icon || card.title || card.subtitle ? el("div", { class: "card-head" }, icon, el("div", { class: "card-titles" }, line("title", card.title), line("subtitle", card.subtitle))) : null;
  const actions = card.actions ? el("div", { class: "card-actions" }, card.actions.map((element) => drawElement(element, { block: card }, surface))) : null;
  return el("div", { class: "card" }, card.hero_image ? el("div", { class: "card-hero" }, altText(card.hero_image)) : null, head, line("body", card.body), line("subtext", card.subtext), actions);
}

export function drawCarousel(block, surface) {
  const count = block.elements.length;
  const slides = block.elements.map((card, index) =>
    el("div", { class: "slide", role: "group", "aria-label": `${index + 1} of ${count}`, data: { blockId: card.block_id } }, drawCard(card, surface)),
  );
  return el("div", { class: "carousel", tabindex: "0", role: "region", "aria-label": `${count} cards side by side` }, slides);
}

/** @param {(block: object, surface: object) => Node} drawInner draws one block inside */
export function drawContainer(block, surface, drawInner) {
  const title = block.rich_text_title ? el("span", { class: "container-title" }, richText(block.rich_text_title, surface.names)) : el("span", { class: "container-title" }, drawText(block.title, surface.names));
  const head = [block.icon ? altText(block.icon) : null, el("span", { class: "container-words" }, title, block.subtitle ? el("span", { class: "container-subtitle" }, drawText(block.subtitle, surface.names)) : null)];
  const inner = el("div", { class: "container-body" }, block.child_blocks.map((child) => drawInner(child, surface)));
  const style = `container container-${block.width ?? "standard"}`;
  if (block.is_collapsible) {
    return el("details", { class: style, open: !block.default_collapsed }, el("summary", { class: "container-head" }, head), inner);
  }
  const ruled = block.has_header_divider ? " container-ruled" : "";
  return el("section", { class: style }, el("div", { class: `container-head${ruled}` }, head), inner);
}

/** Nothing is played: what the video is called, who made it, and where it is. */
export function drawVideo(block) {
  const title = block.title_url ? link(block.title_url, plain(block.title)) : plain(block.title);
  const by = [block.author_name, block.provider_name].filter(Boolean).join(" · ");
  return el(
    "div",
    { class: "video" },
    by ? el("div", { class: "video-by", text: by }) : null,
    el("div", { class: "video-title" }, title),
    block.description ? el("div", { class: "text" }, plain(block.description)) : null,
    el("div", { class: "video-still" }, el("span", { class: "video-play", "aria-hidden": "true", text: "▶" }), altText(block)),
  );
}
