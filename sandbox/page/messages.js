/**
 * The message list of one channel: days, threads, live repaints, and staying at the end while somebody is there.
 */
import { arrange, el, fill } from "./dom.js";
import { dayName } from "./dates.js";
import { MessageView } from "./message.js";

const NEAR_END_PX = 80;
const SAME_BREATH_S = 300;

export class MessageList {
  /** @param {object} page {api, names, notify, refresh} */
  constructor(page) {
    this.page = page;
    this.list = el("div", { class: "message-list", role: "log", "aria-label": "Messages" });
    this.scroller = el("div", { class: "scroller", tabindex: "0", "aria-label": "Messages" }, this.list);
    this.more = el("button", { type: "button", class: "jump", hidden: true, on: { click: () => this.toEnd() } }, "New messages ↓");
    this.node = el("div", { class: "messages" }, this.scroller, this.more);
    this.scroller.addEventListener("scroll", () => {
      if (this.#nearEnd()) this.more.hidden = true;
    });
    this.clear();
  }

  clear() {
    this.channel = null;
    this.views = new Map();
    this.days = new Map();
    this.list.replaceChildren();
    this.more.hidden = true;
    this.firstNew = null;
    this.newLine = el("div", { class: "new-line", role: "separator", "aria-label": "New messages" }, el("span", { text: "New" }));
  }

  /** Show these messages of a channel, oldest first. A line stands over those that were unread when it was opened. */
  paint(channel, messages) {
    const opened = this.channel !== channel.id;
    if (opened) {
      this.clear();
      this.firstNew = firstUnread(messages, channel.unread, this.page.names.me);
    }
    this.channel = channel.id;
    this.list.dataset.channel = channel.id;
    const stay = opened || this.#nearEnd();
    const known = this.views.size;
    const kept = messages.filter((message) => !message.deleted);
    const nodes = this.#nodes(channel, kept, opened);
    arrange(this.list, nodes.length > 0 ? nodes : [emptyChannel(channel, this.page.names)]);
    if (stay) this.toEnd();
    else if (this.views.size > known) this.more.hidden = false;
  }

  #nodes(channel, messages, opened) {
    const views = new Map();
    const days = new Map();
    const nodes = [];
    let before = null;
    for (const message of inThreads(messages)) {
      const day = dayName(new Date(seconds(message) * 1000), { zone: this.page.names.zone });
      if (!message.reply && day !== before?.day) nodes.push(this.#day(day, days));
      if (message.ts === this.firstNew) {
        nodes.push(this.newLine);
        before = { day };
      }
      const view = this.#view(channel, message, views);
      view.paint(message, { compact: follows(message, before), flash: !opened });
      nodes.push(view.node);
      before = { ...message, day: message.reply ? before?.day ?? day : day };
    }
    this.views = views;
    this.days = days;
    return nodes;
  }

  #day(day, days) {
    const node = this.days.get(day) ?? el("div", { class: "day", role: "separator" }, el("span", { text: day }));
    days.set(day, node);
    return node;
  }

  #view(channel, message, views) {
    const key = `${message.ephemeral ? "private" : "open"} ${message.ts}`;
    const view = this.views.get(key) ?? new MessageView(this.page, channel.id, message);
    views.set(key, view);
    return view;
  }

  /** Bring one message into sight. @returns {boolean} whether it is here */
  reveal(ts) {
    const node = this.list.querySelector(`[data-ts="${CSS.escape(ts)}"]`);
    if (!node) return false;
    node.scrollIntoView({ block: "center" });
    node.classList.remove("flash");
    requestAnimationFrame(() => node.classList.add("flash"));
    return true;
  }

  toEnd() {
    this.more.hidden = true;
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  #nearEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
  }
}

/** The ts of the first of so many messages of others that were not read yet; null where all were. */
function firstUnread(messages, count, me) {
  const others = messages.filter((message) => message.user !== me);
  return count > 0 ? others.at(-Math.min(count, others.length))?.ts ?? null : null;
}

function seconds(message) {
  return Number.parseFloat(message.ts) || Number(message.at) || 0;
}

/** Replies right under what they answer; the sandbox shows threads open. */
function inThreads(messages) {
  const roots = new Set(messages.filter((message) => !isReply(message)).map((message) => message.ts));
  const replies = new Map();
  for (const message of messages) {
    if (isReply(message) && roots.has(message.thread_ts)) {
      replies.set(message.thread_ts, [...(replies.get(message.thread_ts) ?? []), { ...message, reply: true }]);
    }
  }
  return messages
    .filter((message) => !isReply(message) || !roots.has(message.thread_ts))
    .flatMap((message) => [message, ...(replies.get(message.ts) ?? [])]);
}

function isReply(message) {
  return Boolean(message.thread_ts) && message.thread_ts !== message.ts;
}

/** Short lines of the same person in a row share one name and picture. */
function follows(message, before) {
  if (!before || before.user !== message.user || message.ephemeral || before.ephemeral) return false;
  if (hasParts(message) || hasParts(before) || Boolean(message.reply) !== Boolean(before.reply)) return false;
  return seconds(message) - seconds(before) < SAME_BREATH_S;
}

function hasParts(message) {
  return Boolean(message.blocks?.length || message.attachments?.length);
}

function emptyChannel(channel, names) {
  const where = channel.kind === "im" ? `your messages with ${names.user(channel.with)}` : `#${channel.name}`;
  const node = el("div", { class: "empty" });
  fill(node, el("h3", { text: "Nothing here yet" }), el("p", { text: `This is the very beginning of ${where}.` }));
  return node;
}
