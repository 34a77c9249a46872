/**
 * Who and what an id is: people, groups, channels, and how they look.
 */
import { el } from "./dom.js";
import { knownZone } from "./dates.js";

const COLOURS = 8;

export class Names {
  constructor() {
    this.people = new Map();
    this.users = {};
    this.groups = {};
    this.channels = [];
    this.app = { name: "App", bot_user: null };
    this.me = null;
  }

  /** Take over what the server says. The object stays the same, so whoever holds it sees the news. */
  learn({ people, state }) {
    if (people) this.people = new Map(people.map((person) => [person.id, person]));
    if (state) {
      this.users = state.users ?? {};
      this.groups = state.usergroups ?? {};
      this.channels = state.channels ?? [];
      this.app = state.app ?? this.app;
      this.me = state.me ?? this.me;
    }
  }

  /** Zone of the person this page is; undefined means the browser's. */
  get zone() {
    return knownZone(this.users[this.me]?.tz);
  }

  isBot(id) {
    return id === this.app.bot_user || this.people.get(id)?.is_bot === true;
  }

  /** Display name of a person or bot; the id when nobody knows it. */
  user(id) {
    if (id === this.app.bot_user && this.app.name) return this.app.name;
    const known = this.users[id] ?? this.people.get(id);
    return known?.real_name || known?.name || String(id);
  }

  group(id) {
    return this.groups[id]?.handle ?? String(id);
  }

  channel(id) {
    const found = this.channels.find((channel) => channel.id === id);
    return found?.kind === "im" ? this.user(found.with) : found?.name ?? String(id);
  }

  /** A highlighted mention; one's own name in another colour, as in Slack. */
  mention(kind, id) {
    const label = kind === "user" ? this.user(id) : kind === "group" ? this.group(id) : id;
    const own = kind === "user" && id === this.me;
    return el("span", { class: own ? "mention mention-me" : "mention", data: { mention: id }, text: `@${label}` });
  }

  channelMention(id) {
    return el("span", { class: "mention", data: { mention: id }, text: `#${this.channel(id)}` });
  }

  /** A square with initials, coloured by id; the app has its mark. */
  avatar(id, size = "") {
    const classes = `avatar ${size}`;
    if (this.isBot(id)) return el("span", { class: `${classes} avatar-app`, "aria-hidden": "true" });
    return el("span", { class: `${classes} avatar-${hash(id) % COLOURS}`, "aria-hidden": "true", text: initials(this.user(id)) });
  }
}

function initials(name) {
  const words = [...String(name).trim().split(/\s+/)].filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return letters.map((word) => [...word][0].toUpperCase()).join("");
}

function hash(text) {
  let value = 7;
  for (const char of String(text)) value = (value * 31 + char.codePointAt(0)) >>> 0;
  return value;
}
