/**
 * The searchable list under a select: type to filter, arrows to move, Enter to choose, Esc to leave.
 */
import { el, fill, uid } from "./dom.js";
import { Popup } from "./popup.js";

const REMOTE_WAIT_MS = 200;

export class Picker {
  /**
   * @param {{anchor: HTMLElement, control: HTMLElement}} where the box the list hangs under, and what opens it
   * @param {ReturnType<import("./sources.js").sourceOf>} source
   * @param {{multi: boolean, isChosen: (value: string) => boolean, onChoose: (value: string) => void, label: string}} use
   */
  constructor({ anchor, control }, source, { multi, isChosen, onChoose, label }) {
    this.control = control;
    this.source = source;
    this.isChosen = isChosen;
    this.onChoose = onChoose;
    this.multi = multi;
    this.round = 0;
    const listId = uid("list");
    this.popup = new Popup(anchor, { control, wide: true, onClose: () => clearTimeout(this.timer) });
    this.search = el("input", {
      class: "picker-search", type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": listId,
      "aria-autocomplete": "list", "aria-label": `Search: ${label}`, placeholder: "Search", autocomplete: "off", spellcheck: "false",
    });
    this.list = el("div", { class: "picker-list", id: listId, role: "listbox", "aria-label": label, "aria-multiselectable": multi ? "true" : null });
    this.search.addEventListener("input", () => this.#typed());
    this.search.addEventListener("keydown", (event) => this.#key(event));
  }

  get node() {
    return this.popup.node;
  }

  toggle() {
    if (this.popup.isOpen) this.popup.close();
    else this.open();
  }

  open() {
    this.search.value = "";
    this.popup.show([this.search, this.list]);
    this.search.focus();
    this.#load("");
  }

  close() {
    this.popup.close();
  }

  /** Draw the options again, for instance because one was chosen. */
  renew() {
    if (this.popup.isOpen) this.#draw();
  }

  #typed() {
    clearTimeout(this.timer);
    const query = this.search.value;
    if (this.source.remote) this.timer = setTimeout(() => this.#load(query), REMOTE_WAIT_MS);
    else this.#load(query);
  }

  async #load(query) {
    const round = ++this.round;
    if (this.source.remote) fill(this.list, el("div", { class: "picker-note", text: "Loading…" }));
    const found = await this.source.search(query);
    if (round !== this.round) return; // An older answer came late.
    this.found = found;
    this.active = null;
    this.#draw();
    const chosen = this.list.querySelector("[aria-selected=true]");
    this.#activate(chosen && !this.multi ? chosen : this.list.querySelector("[role=option]"));
  }

  #draw() {
    const { groups, note } = this.found;
    const empty = groups.every((group) => group.options.length === 0);
    fill(this.list, empty ? el("div", { class: "picker-note", text: note ?? "Nothing found." }) : groups.map((group) => this.#group(group)));
    if (this.active !== null) this.#activate(this.#option(this.active));
    this.popup.place();
  }

  #group(group) {
    const options = group.options.map((option) => this.#drawOption(option));
    if (!group.label) return options;
    return el("div", { role: "group", "aria-label": group.label }, el("div", { class: "picker-group", text: group.label }), options);
  }

  #drawOption(option) {
    const node = el(
      "div",
      { class: "option", role: "option", id: uid("option"), "aria-selected": String(this.isChosen(option.value)), data: { value: option.value } },
      el("span", { class: "option-words" }, option.text),
      option.more ? el("span", { class: "option-more", text: option.more }) : null,
    );
    node.addEventListener("pointerdown", (event) => event.preventDefault()); // Focus stays in the search field.
    node.addEventListener("pointermove", () => this.#activate(node, { scroll: false }));
    node.addEventListener("click", () => this.#choose(node));
    return node;
  }

  #option(value) {
    return [...this.list.querySelectorAll("[role=option]")].find((node) => node.dataset.value === value) ?? null;
  }

  #activate(node, { scroll = true } = {}) {
    this.list.querySelector(".option-active")?.classList.remove("option-active");
    this.active = node?.dataset.value ?? null;
    node?.classList.add("option-active");
    if (node) this.search.setAttribute("aria-activedescendant", node.id);
    else this.search.removeAttribute("aria-activedescendant");
    if (scroll) node?.scrollIntoView({ block: "nearest" });
  }

  #choose(node) {
    if (!node) return;
    if (!this.multi) {
      this.close();
      this.control.focus();
    }
    this.onChoose(node.dataset.value);
  }

  #key(event) {
    const options = [...this.list.querySelectorAll("[role=option]")];
    const at = options.findIndex((node) => node.dataset.value === this.active);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to !== undefined) this.#activate(options[(to + options.length) % options.length]);
    else if (event.key === "Enter") this.#choose(options[at]);
    else if (event.key === "Tab") this.close();
    else return;
    if (event.key !== "Tab") event.preventDefault();
  }
}
