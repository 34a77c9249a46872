/**
 * One message: who, when, and its blocks or its text.
 */
import { arrange, el, fill } from "./dom.js";
import { AttachmentView } from "./attachments.js";
import { clockTime, dateNode } from "./dates.js";
import { mrkdwn } from "./mrkdwn.js";
import { Surface } from "./surface.js";

export class MessageView {
  /**
   * @param {object} page {api, names, notify, refresh}
   * @param {string} channel id of its channel
   * @param {{ts: string}} message
   */
  constructor(page, channel, message) {
    this.page = page;
    this.surface = new Surface(page, { surface: "message", channel, ts: message.ts });
    this.attachments = new Map();
    this.blocks = null;
    this.head = el("div", { class: "message-head" });
    this.content = el("div", { class: "message-content" });
    this.gutter = el("div", { class: "message-gutter" });
    this.node = el("article", { class: "message", data: { ts: message.ts, channel } }, this.gutter, el("div", { class: "message-main" }, this.head, this.content));
  }

  /**
   * @param {object} message as GET /sandbox/channel gives it
   * @param {{compact: boolean, flash: boolean}} how `flash`: point out a change
   */
  paint(message, { compact, flash }) {
    const print = JSON.stringify([message, compact]);
    if (this.print === print) return;
    const changed = this.print !== undefined;
    this.print = print;
    this.node.classList.toggle("ephemeral", Boolean(message.ephemeral));
    this.node.classList.toggle("reply", Boolean(message.reply));
    this.node.classList.toggle("compact", compact);
    this.#head(message, compact);
    this.#body(message);
    if (changed && flash) this.#flash();
  }

  #head(message, compact) {
    const { names } = this.page;
    const at = new Date(Number.parseFloat(message.ts) * 1000);
    const time = clockTime(at, names.zone);
    fill(this.gutter, compact ? el("span", { class: "compact-time", text: time }) : names.avatar(message.user, message.reply ? "avatar-small" : ""));
    this.node.setAttribute("aria-label", `${names.user(message.user)}, ${time}${message.ephemeral ? ", only visible to you" : ""}`);
    const byline = [
      el("span", { class: "author", text: names.user(message.user) }),
      names.isBot(message.user) ? el("span", { class: "badge", text: "APP" }) : null,
      el("a", { class: "time", href: `#${message.ts}`, "aria-label": `Sent at ${time}`, data: { jump: message.ts } }, dateNode({ timestamp: at.getTime() / 1000, format: "{time}" }, names.zone)),
      message.edited ? el("span", { class: "edited", text: "(edited)" }) : null,
    ];
    fill(this.head, message.ephemeral ? el("div", { class: "only-you", text: "Only visible to you" }) : null, compact ? null : el("div", { class: "byline" }, byline));
  }

  /** Blocks, or else the text; then the attachments. */
  #body(message) {
    const parts = [];
    const nodes = [];
    if (message.blocks?.length) {
      this.blocks ??= el("div", { class: "blocks" });
      nodes.push(this.blocks);
      parts.push({ container: this.blocks, blocks: message.blocks });
    } else {
      this.blocks = null;
      if (message.text) nodes.push(el("div", { class: "text message-text" }, mrkdwn(message.text, this.page.names)));
    }
    for (const attachment of message.attachments ?? []) {
      const view = this.#attachment(attachment.id);
      view.paint(attachment);
      nodes.push(view.node);
      parts.push({ container: view.blocks, blocks: attachment.blocks ?? [] });
    }
    arrange(this.content, nodes);
    this.surface.paintParts(parts);
  }

  #attachment(id) {
    if (!this.attachments.has(id)) this.attachments.set(id, new AttachmentView(this.page.names));
    return this.attachments.get(id);
  }

  #flash() {
    this.node.classList.remove("flash");
    requestAnimationFrame(() => this.node.classList.add("flash"));
  }
}
