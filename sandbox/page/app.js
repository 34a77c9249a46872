/**
 * The page: reads the state of the workspace as one person, draws it, and follows its changes.
 */
import { Api, Unanswered } from "./api.js";
import { permalink, readAddress, settleAddress, writeAddress } from "./address.js";
import { Composer } from "./composer.js";
import { el, fill } from "./dom.js";
import { renewDates } from "./dates.js";
import { paintHints } from "./hints.js";
import { Home } from "./home.js";
import { Menu } from "./menu.js";
import { MessageList } from "./messages.js";
import { ModalStack } from "./modal.js";
import { Names } from "./names.js";
import { Sidebar, channelMark } from "./sidebar.js";
import { Stream } from "./stream.js";
import { Toasts } from "./toasts.js";

const DATES_EVERY_MS = 30_000;
const RETRY_MS = 1500;
const byId = (id) => document.getElementById(id);

class Page {
  constructor() {
    this.names = new Names();
    this.place = { channel: null, home: false };
    this.read = new Map();
    this.state = { channels: [] };
    this.live = { stream: true, answers: true };
    this.toasts = new Toasts(byId("toasts"));
    this.notify = (text) => this.toasts.show(text);
    this.sidebar = new Sidebar(byId("sidebar"), this);
    this.menu = new Menu(byId("app"), byId("sidebar"));
    this.composer = new Composer(byId("composer"), this);
  }

  /** Read who is here, be one of them, and follow. */
  async start() {
    this.wanted = settleAddress();
    const { team, people, bot } = await new Api("").people();
    this.team = team;
    this.names.learn({ people });
    this.names.app.bot_user = bot;
    window.addEventListener("hashchange", () => this.#follow());
    document.addEventListener("click", (event) => this.#link(event));
    setInterval(() => {
      renewDates(document.body, this.names.zone);
      if (this.names.me) this.sidebar.tick();
    }, DATES_EVERY_MS);
    await this.#follow();
  }

  /** Go where the address says. */
  async #follow() {
    const { me, place } = readAddress();
    const known = this.names.people.get(me);
    const next = known && !known.is_bot ? me : this.names.me ?? firstPerson(this.names);
    if (next !== this.names.me) this.#be(next);
    this.#stand(place);
    this.menu.close();
    if (this.place.home) await this.#openHome();
    await this.refresh();
  }

  /** Everything that was shown belongs to the person before, so it is dropped. */
  #be(id) {
    this.names.me = id;
    this.api = new Api(id);
    this.messages = new MessageList(this);
    this.home = new Home(this);
    this.modal?.paint([]);
    this.modal = new ModalStack(this);
    this.read.clear();
    this.painted = null;
    this.stream?.close();
    this.stream = new Stream(this.api.streamUrl(), {
      onChange: () => this.refresh(),
      onLive: (live) => this.#reachable({ stream: live }),
    });
  }

  #stand(place) {
    if (place === "home") this.place = { channel: null, home: true };
    else if (place) this.place = { channel: place, home: false };
    else if (this.state.channels.length > 0) this.place = { channel: this.state.channels[0].id, home: false };
  }

  async #openHome() {
    const outcome = await this.api.openHome();
    if (!outcome.ok) this.notify(outcome.warning);
  }

  /** Read and draw again. Calls while one is under way are answered by one more round after it. */
  refresh() {
    if (this.round) {
      this.again ??= this.round.catch(() => {}).then(() => {
        this.again = null;
        return this.#round();
      });
      return this.again;
    }
    return this.#round();
  }

  #round() {
    const loaded = this.#load().then(
      () => this.#reachable({ answers: true }),
      (problem) => {
        this.#reachable({ answers: false });
        if (!(problem instanceof Unanswered)) throw problem;
        setTimeout(() => this.refresh(), RETRY_MS);
      },
    );
    this.round = loaded.finally(() => (this.round = null));
    return this.round;
  }

  #reachable(news) {
    this.live = { ...this.live, ...news };
    byId("offline").hidden = this.live.stream && this.live.answers;
  }

  async #load() {
    const { api } = this;
    const state = await api.state();
    if (api !== this.api) return; // Somebody else meanwhile.
    this.names.learn({ state });
    this.state = state;
    if (!this.place.home && !this.channel()) this.place = { channel: state.channels[0]?.id ?? null, home: false };
    const channel = this.channel();
    const messages = channel ? (await api.channel(channel.id)).messages : [];
    if (api !== this.api || (channel && this.place.channel !== channel.id)) return;
    if (channel) this.read.set(channel.id, channel.unread);
    this.#paint(channel, messages);
  }

  #paint(channel, messages) {
    document.title = `${channel ? this.label(channel) : this.names.app.name} · ${this.team?.name ?? "Acme"}`;
    this.sidebar.paint({ team: this.team, channels: this.state.channels });
    this.#head(channel);
    this.#body(channel, messages);
    this.modal.paint(this.state.modal);
    this.toasts.paint(this.state.notices, (id) => this.api.dismiss(id));
    // They are about the examples of Signoff's demo, whose address asks for them.
    if (new URLSearchParams(window.location.search).has("hints")) paintHints(byId("hints"), this);
    if (this.wanted?.channel === channel?.id) this.#reveal();
  }

  #head(channel) {
    const app = this.appChannel();
    const print = JSON.stringify([this.place, channel?.name, app?.id]);
    if (print === this.headPrint) return;
    this.headPrint = print;
    const menu = el("button", { type: "button", class: "icon-button menu", "aria-label": "Channels", "aria-expanded": "false", "aria-controls": "sidebar", text: "☰", on: { click: (event) => this.menu.toggle(event.currentTarget) } });
    const ofApp = this.place.home || (app && channel?.id === app.id);
    if (!ofApp) {
      const kind = channel?.kind === "private" ? "Private channel" : null;
      fill(byId("pane-head"), menu, channel && channel.kind !== "im" ? channelMark(channel) : null, el("h1", { class: "pane-title", text: channel ? this.label(channel) : "" }), kind ? el("span", { class: "pane-note", text: kind }) : null);
      return;
    }
    const tab = (label, here, target) => el("button", { type: "button", class: `tab${here ? " tab-here" : ""}`, "aria-current": here ? "page" : null, data: { tab: label.toLowerCase() }, on: { click: () => this.go(target) } }, label);
    fill(
      byId("pane-head"),
      menu,
      this.names.avatar(this.names.app.bot_user, "avatar-medium"),
      el("h1", { class: "pane-title", text: this.names.app.name }),
      el("div", { class: "tabs" }, tab("Home", this.place.home, "home"), app ? tab("Messages", !this.place.home, app.id) : null),
    );
  }

  #body(channel, messages) {
    const body = byId("pane-body");
    const wanted = channel ? this.messages.node : this.home.node;
    if (body.firstChild !== wanted) body.replaceChildren(wanted);
    byId("composer").hidden = !channel;
    if (channel) {
      this.composer.open(channel, channel.kind === "channel" ? `#${channel.name}` : this.label(channel));
      this.messages.paint(channel, messages);
    } else {
      this.home.paint(this.state.home);
    }
  }

  channel() {
    return this.state.channels.find((channel) => channel.id === this.place.channel) ?? null;
  }

  channelNamed(name) {
    return this.state.channels.find((channel) => channel.kind === "channel" && channel.name === name) ?? null;
  }

  /** The direct messages with the app, once there are any. */
  appChannel() {
    return this.state.channels.find((channel) => channel.kind === "im" && this.names.isBot(channel.with)) ?? null;
  }

  label(channel) {
    if (channel.kind === "im") return this.names.user(channel.with);
    return channel.name;
  }

  commands() {
    return (this.state.commands ?? []).map((command) => command.command ?? command);
  }

  /** Unread messages: what came since this window last stood in the channel. */
  unread(channel) {
    if (channel.id === this.place.channel) return 0;
    const seen = Math.min(this.read.get(channel.id) ?? 0, channel.unread);
    this.read.set(channel.id, seen);
    return channel.unread - seen;
  }

  /** Go to a channel, or to "home". */
  go(place) {
    window.location.hash = writeAddress(this.names.me, place);
  }

  become(id) {
    window.location.hash = writeAddress(id, this.place.home ? "home" : this.place.channel);
  }

  addressOf(id) {
    return writeAddress(id, this.place.home ? "home" : this.place.channel);
  }

  /** Put words into the message box, for the person to send. */
  write(text) {
    const input = byId("composer-text");
    if (this.place.home) this.go(this.state.channels[0]?.id);
    input.value = text;
    input.dispatchEvent(new Event("input"));
    input.focus();
  }

  /** Links to messages of this workspace lead there inside the page. */
  #link(event) {
    const anchor = event.target.closest?.("a[href]");
    if (!anchor || event.ctrlKey || event.metaKey) return;
    if (anchor.dataset.jump) {
      event.preventDefault();
      return;
    }
    const target = permalink(anchor.href);
    if (!target || !this.state.channels.some((channel) => channel.id === target.channel)) return;
    event.preventDefault();
    this.wanted = target;
    if (this.place.channel === target.channel) this.#reveal();
    else this.go(target.channel);
  }

  #reveal() {
    if (this.wanted && !this.messages.reveal(this.wanted.ts)) this.notify("That message is not here.");
    this.wanted = null;
  }
}

function firstPerson(names) {
  return [...names.people.values()].find((person) => !person.is_bot && !person.deleted)?.id ?? null;
}

new Page().start().catch((problem) => {
  fill(byId("pane-body"), el("div", { class: "empty" }, el("h3", { text: "The sandbox does not answer" }), el("p", { text: `${problem.message}. Reload this page once it runs.` })));
});
