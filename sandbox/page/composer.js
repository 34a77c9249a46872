/**
 * The message box: plain messages and slash commands, with a list of the commands as soon as "/" is typed.
 */
import { el, fill, uid } from "./dom.js";
import { Popup } from "./popup.js";

const ABOUT = {
  "/pending": { usage: "[mine | questions | approvals | all]", about: "What waits for you" },
  "/signoff": { usage: "help | withdraw CODE", about: "Help, or take back what you asked" },
};

const NARROW_PX = 480;
const CLOSED = { read_only: "Nobody may write in this channel.", thread_only: "This channel takes replies only." };

export class Composer {
  /**
   * @param {HTMLElement} node where to draw
   * @param {object} page {api, notify, refresh, commands, messages}
   */
  constructor(node, page) {
    this.page = page;
    this.drafts = new Map();
    this.channel = null;
    this.place = null;
    const listId = uid("commands");
    this.input = el("textarea", { id: "composer-text", class: "composer-text", rows: "1", "aria-label": "Message", "aria-controls": listId, "aria-autocomplete": "list", autocomplete: "off" });
    this.send = el("button", { type: "button", class: "composer-send", "aria-label": "Send", title: "Send (Enter)", text: "➤", disabled: true });
    this.box = el("div", { class: "composer-box" }, this.input, this.send);
    this.hints = new Popup(this.box, { role: "listbox", label: "Commands", wide: true, control: this.input });
    this.hints.node.id = listId;
    this.note = el("div", { class: "composer-note", role: "alert" });
    this.closed = el("div", { class: "composer-closed", hidden: true });
    fill(node, this.note, this.box, this.closed, this.hints.node);
    this.input.addEventListener("input", () => this.#typed());
    this.input.addEventListener("keydown", (event) => this.#key(event));
    this.send.addEventListener("click", () => this.#send());
  }

  /** Write into this channel; text begun in another one, or as somebody else, waits there. */
  open(channel, label) {
    const place = `${this.page.names.me} ${channel.id}`;
    if (this.place !== place) {
      if (this.place) this.drafts.set(this.place, this.input.value);
      this.place = place;
      this.channel = channel.id;
      this.input.value = this.drafts.get(place) ?? "";
      this.#typed();
    }
    this.input.placeholder = window.innerWidth > NARROW_PX ? `Message ${label}, or type / for commands` : `Message ${label}`;
    const why = channel.archived ? "This channel is archived." : CLOSED[channel.posting] ?? null;
    this.box.hidden = why !== null;
    this.closed.hidden = why === null;
    this.closed.textContent = why ?? "";
  }

  #typed() {
    this.send.disabled = this.input.value.trim() === "";
    this.note.textContent = "";
    this.input.style.height = "auto";
    this.input.style.height = `${Math.min(this.input.scrollHeight, 200)}px`;
    this.#hint();
  }

  #hint() {
    const typed = this.input.value;
    const fitting = /^\/\S*$/.test(typed) ? this.page.commands().filter((command) => command.startsWith(typed)) : [];
    if (fitting.length === 0) {
      if (this.hints.isOpen) this.hints.close();
      return;
    }
    this.hints.show([el("div", { class: "picker-group", text: "Commands" }), fitting.map((command, index) => this.#option(command, index === 0))]);
  }

  #option(command, active) {
    const known = ABOUT[command] ?? { usage: "", about: "" };
    return el(
      "div",
      { class: `option command${active ? " option-active" : ""}`, role: "option", "aria-selected": String(active), data: { command }, on: { pointerdown: (event) => event.preventDefault(), click: () => this.#complete(command) } },
      el("span", {}, el("strong", { text: command }), el("span", { class: "command-usage", text: ` ${known.usage}` })),
      el("span", { class: "option-more", text: known.about }),
    );
  }

  #complete(command) {
    this.input.value = `${command} `;
    this.#typed();
    this.input.focus();
  }

  #key(event) {
    if (event.isComposing) return;
    if (this.hints.isOpen && this.#keyInHints(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.#send();
    }
  }

  #keyInHints(event) {
    const options = [...this.hints.node.querySelectorAll(".option")];
    const at = options.findIndex((node) => node.classList.contains("option-active"));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to !== undefined) {
      options[at]?.classList.remove("option-active");
      options[(to + options.length) % options.length].classList.add("option-active");
      return true;
    }
    const chosen = options[at]?.dataset.command;
    if (event.key === "Escape") this.hints.close();
    else if (event.key === "Tab" || (event.key === "Enter" && this.input.value !== chosen)) this.#complete(chosen);
    else return false;
    return true;
  }

  async #send() {
    const text = this.input.value.trim();
    if (text === "" || this.box.hidden) return;
    const [, command, rest] = /^(\/\S+)\s*([\s\S]*)$/.exec(text) ?? [];
    if (command && !this.page.commands().includes(command)) {
      this.note.textContent = `${command} is not a command here. Type / to see those that are.`;
      return;
    }
    this.input.value = "";
    this.#typed();
    const { api } = this.page;
    const outcome = command ? await api.command(this.channel, command, rest) : await api.message(this.channel, text);
    if (!outcome.ok) this.#failed(text, outcome.warning);
    await this.page.refresh();
    this.page.messages.toEnd();
  }

  #failed(text, warning) {
    if (this.input.value === "") {
      this.input.value = text;
      this.#typed();
    }
    this.page.notify(warning);
  }
}
