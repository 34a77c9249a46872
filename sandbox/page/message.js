/**
 * One message: who, when, and its blocks or its text.
 */
import { el, fill } from "./dom.js";
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
    if (message.blocks?.length) this.#blocks(message);
    else this.#text(message);
    if (changed && flash) this.#flash();
  }

  #head(message, compact) {
    const { names } = this.page;
    const at = new Date(Number.parseFloat(message.ts) * 1000);
    const time = clockTime(at, names.zone);
    fill(this.gutter, compact ? el("span", { class: "compact-time", text: time }) : names.avatar(message.user, message.reply ? "avatar-small" : ""));
    const byline = [
      el("span", { class: "author", text: names.user(message.user) }),
      names.isBot(message.user) ? el("span", { class: "badge", text: "APP" }) : null,
      el("a", { class: "time", href: `#${message.ts}`, "aria-label": `Sent at ${time}`, data: { jump: message.ts } }, dateNode({ timestamp: at.getTime() / 1000, format: "{time}" }, names.zone)),
      message.edited ? el("span", { class: "edited", text: "(edited)" }) : null,
    ];
    fill(this.head, message.ephemeral ? el("div", { class: "only-you", text: "Only visible to you" }) : null, compact ? null : el("div", { class: "byline" }, byline));
  }

  #blocks(message) {
    if (!this.blocks) {
      this.blocks = el("div", { class: "blocks" });
      fill(this.content, this.blocks);
    }
    this.surface.paint(this.blocks, message.blocks);
  }

  #text(message) {
    this.blocks = null;
    this.surface.drafts.keepOnly([]);
    fill(this.content, el("div", { class: "text message-text" }, mrkdwn(message.text ?? "", this.page.names)));
  }

  #flash() {
    this.node.classList.remove("flash");
    requestAnimationFrame(() => this.node.classList.add("flash"));
  }
}
