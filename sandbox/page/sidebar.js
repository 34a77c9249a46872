/**
 * The sidebar: workspace, who you are, channels, direct messages, apps.
 */
import { el, fill } from "./dom.js";
import { Popup } from "./popup.js";
import { clockTime, knownZone } from "./dates.js";

export class Sidebar {
  /**
   * @param {HTMLElement} node where to draw
   * @param {object} page {names, place, go, become, unread}
   */
  constructor(node, page) {
    this.node = node;
    this.page = page;
    this.workspace = el("div", { class: "workspace" });
    this.switcher = new PersonSwitcher(page);
    this.nav = el("nav", { class: "nav", "aria-label": "Channels" });
    fill(
      node,
      this.workspace,
      this.switcher.node,
      this.nav,
      el("p", { class: "fineprint", text: "A stand-in for Slack on this machine. Nothing here leaves it." }),
    );
  }

  paint({ team, channels }) {
    const name = team?.name ?? "Acme";
    if (this.workspace.textContent !== name + "Sandbox") {
      fill(this.workspace, el("span", { class: "workspace-name", text: name }), el("span", { class: "workspace-tag", text: "Sandbox" }));
    }
    this.switcher.paint();
    const focused = document.activeElement?.dataset?.go;
    fill(this.nav, this.#sections(channels));
    if (focused) this.nav.querySelector(`[data-go="${CSS.escape(focused)}"]`)?.focus();
  }

  /** What changes by the clock alone. */
  tick() {
    this.switcher.paint();
  }

  #sections(channels) {
    const { names } = this.page;
    const open = channels.filter((channel) => channel.kind === "channel" || (channel.kind === "private" && channel.is_member));
    const people = channels.filter((channel) => channel.kind === "im" && !names.isBot(channel.with));
    const app = channels.find((channel) => channel.kind === "im" && names.isBot(channel.with));
    return [
      section("Channels", open.filter((channel) => !channel.archived).map((channel) => this.#channel(channel))),
      people.length > 0 ? section("Direct messages", people.map((channel) => this.#channel(channel))) : null,
      section("Apps", [this.#app(app)]),
    ];
  }

  #channel(channel) {
    const { names } = this.page;
    const person = channel.kind === "im";
    const mark = person ? names.avatar(channel.with, "avatar-tiny") : channelMark(channel);
    return this.#row({ id: channel.id, label: person ? names.user(channel.with) : channel.name, mark, unread: this.page.unread(channel), here: this.page.place.channel === channel.id });
  }

  #app(channel) {
    const { names, place } = this.page;
    const here = place.home || (channel && place.channel === channel.id);
    return this.#row({ id: "home", label: names.app.name, mark: names.avatar(names.app.bot_user, "avatar-tiny"), unread: channel ? this.page.unread(channel) : 0, here, channel: channel?.id });
  }

  #row({ id, label, mark, unread, here, channel }) {
    // An app opens on its messages, once there are any; before, on its Home tab.
    const target = channel ?? id;
    return el(
      "button",
      {
        type: "button",
        class: `row${here ? " row-here" : ""}${unread > 0 ? " row-unread" : ""}`,
        "aria-current": here ? "page" : null,
        data: { go: id, goChannel: id === "home" ? channel : id },
        on: { click: () => this.page.go(target) },
      },
      mark,
      el("span", { class: "row-label", text: label }),
      unread > 0 ? el("span", { class: "unread", "aria-label": `${unread} unread`, text: String(unread) }) : null,
    );
  }
}

/** "#", or a drawn lock for a private channel. */
export function channelMark(channel) {
  return channel.kind === "private" ? el("span", { class: "hash lock", role: "img", "aria-label": "Private" }) : el("span", { class: "hash", "aria-hidden": "true", text: "#" });
}

function section(title, rows) {
  return el("section", { class: "nav-section" }, el("h2", { class: "nav-title", text: title }), rows);
}

/** "14:02 in Berlin", where that person is; null when nobody knows. */
function localTime(names, id) {
  const zone = knownZone(names.users[id]?.tz);
  return zone ? `${clockTime(new Date(), zone)} in ${zone.split("/").at(-1).replaceAll("_", " ")}` : null;
}

/** "You are Ana Ruiz ▾": anybody may be anybody here. */
class PersonSwitcher {
  constructor(page) {
    this.page = page;
    this.button = el("button", { type: "button", class: "switcher", "aria-haspopup": "menu", "aria-expanded": "false", data: { switcher: "open" } });
    this.popup = new Popup(this.button, { role: "menu", label: "Be somebody else", wide: true });
    const tip = el("p", { class: "switcher-tip", text: "You may be anyone here." });
    this.node = el("div", { class: "switcher-wrap" }, this.button, tip, this.popup.node);
    this.button.addEventListener("click", () => (this.popup.isOpen ? this.popup.close() : this.#open()));
    this.popup.node.addEventListener("keydown", (event) => this.#move(event));
  }

  paint() {
    const { names } = this.page;
    const name = names.user(names.me);
    const time = localTime(names, names.me);
    const print = JSON.stringify([name, time]);
    if (this.shown === print) return;
    this.shown = print;
    fill(
      this.button,
      names.avatar(names.me, "avatar-medium"),
      el("span", { class: "switcher-words" }, el("span", { class: "switcher-you", text: "You are" }), el("span", { class: "switcher-name", text: `${name} ▾` }), time ? el("span", { class: "switcher-time", text: time }) : null),
    );
  }

  #open() {
    const { names } = this.page;
    const people = [...names.people.values()].filter((person) => !person.is_bot && !person.deleted);
    this.popup.show([
      el("p", { class: "switcher-note", text: "Everyone sees their own page. Open a second window (↗) to be two people at once." }),
      people.map((person) => this.#person(person)),
    ]);
    this.popup.node.querySelector("[role=menuitem]")?.focus();
  }

  #person(person) {
    const { names } = this.page;
    const more = [person.is_restricted ? "guest" : null, localTime(names, person.id)];
    return el(
      "div",
      { class: "person" },
      el(
        "button",
        { type: "button", class: "person-be", role: "menuitem", data: { person: person.id }, "aria-current": person.id === names.me ? "true" : null, on: { click: () => this.#be(person.id) } },
        names.avatar(person.id, "avatar-medium"),
        el("span", { class: "person-words" }, el("span", { text: person.real_name || person.name }), el("span", { class: "person-more", text: more.filter(Boolean).join(" · ") })),
      ),
      el("a", { class: "person-window", href: this.page.addressOf(person.id), target: "_blank", rel: "noopener", "aria-label": `Be ${person.real_name} in a second window`, title: "In a second window", text: "↗" }),
    );
  }

  #be(id) {
    this.popup.close();
    this.button.focus();
    this.page.become(id);
  }

  #move(event) {
    const items = [...this.popup.node.querySelectorAll("[role=menuitem]")];
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    items[(to + items.length) % items.length]?.focus();
  }
}
