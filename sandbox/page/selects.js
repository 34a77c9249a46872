/**
 * Menus: one choice, or several shown as chips.
 */
import { el, fill, uid } from "./dom.js";
import { change } from "./change.js";
import { Picker } from "./picker.js";
import { sourceOf } from "./sources.js";
import { plain } from "./texts.js";

const PLACEHOLDER = { one: "Choose an option", many: "Choose options" };

export function drawSelect(element, place, surface) {
  const shown = el("span", { class: "select-value", id: uid("value") });
  const button = el("button", { type: "button", class: "select", ...labels(place, shown.id), data: { actionId: element.action_id } }, shown, el("span", { class: "caret", "aria-hidden": "true" }));
  const menu = new Menu(element, place, { surface, node: button });
  const picker = new Picker({ anchor: button, control: button }, menu.source, {
    multi: false,
    label: menu.label,
    isChosen: (value) => value === menu.value,
    onChoose: (value) => menu.set(value),
  });
  const clear = el("button", { type: "button", class: "clear", "aria-label": "Clear the choice", text: "×", on: { click: () => menu.set(null) } });
  const clearable = place.block.type === "input" && place.block.optional === true;
  menu.onShow = (value) => {
    shown.textContent = value === null ? placeholder(element, "one") : menu.source.label(value);
    shown.classList.toggle("placeholder", value === null);
    clear.hidden = !clearable || value === null;
  };
  menu.show();
  button.addEventListener("click", () => picker.toggle());
  button.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") {
      event.preventDefault();
      picker.open();
    }
  });
  return el("span", { class: "select-wrap" }, button, clear, picker.node);
}

export function drawMultiSelect(element, place, surface) {
  const chips = el("span", { class: "chips" });
  const hint = uid("value");
  const opener = el("button", { type: "button", class: "multi-open", ...labels(place, hint), data: { actionId: element.action_id } }, el("span", { id: hint, class: "placeholder" }));
  const box = el("span", { class: "multi" }, chips, opener, el("span", { class: "caret", "aria-hidden": "true" }));
  const menu = new Menu(element, place, { surface, node: opener });
  const picker = new Picker({ anchor: box, control: opener }, menu.source, {
    multi: true,
    label: menu.label,
    isChosen: (value) => menu.value.includes(value),
    onChoose: (value) => toggle(menu, element, value),
  });
  menu.onShow = (values) => {
    fill(chips, values.map((value) => chip(value, menu)));
    opener.firstChild.textContent = values.length === 0 ? placeholder(element, "many") : "Add";
    box.classList.toggle("multi-filled", values.length > 0);
    picker.renew();
  };
  menu.show();
  box.addEventListener("click", (event) => {
    if (!event.target.closest(".chip")) picker.toggle();
  });
  picker.search.addEventListener("keydown", (event) => {
    if (event.key === "Backspace" && picker.search.value === "" && menu.value.length > 0) menu.set(menu.value.slice(0, -1));
  });
  return el("span", { class: "select-wrap" }, box, picker.node);
}

/** The value of a menu, and what shows it. */
class Menu {
  constructor(element, place, { surface, node }) {
    this.at = { element, place, surface, node };
    this.source = sourceOf(element, place.block.block_id, surface);
    this.label = place.block.label ? plain(place.block.label) : placeholder(element, "one");
    this.onShow = () => {};
  }

  get value() {
    return this.at.surface.value(this.at.place.block.block_id, this.at.element);
  }

  show() {
    this.onShow(this.value);
  }

  async set(value) {
    const told = change(this.at, value);
    this.show(); // At once: the app may take its three seconds.
    await told;
    this.show();
  }
}

function toggle(menu, element, value) {
  const chosen = menu.value;
  if (chosen.includes(value)) menu.set(chosen.filter((other) => other !== value));
  else if (chosen.length < (element.max_selected_items ?? Infinity)) menu.set([...chosen, value]);
}

function chip(value, menu) {
  const label = menu.source.label(value);
  const remove = () => menu.set(menu.value.filter((other) => other !== value));
  return el(
    "span",
    { class: "chip", data: { value } },
    el("span", { class: "chip-words", text: label }),
    el("button", { type: "button", class: "chip-remove", "aria-label": `Remove ${label}`, text: "×", on: { click: remove } }),
  );
}

function labels(place, valueId) {
  return {
    "aria-haspopup": "listbox",
    "aria-expanded": "false",
    "aria-labelledby": [place.labelledBy, valueId].filter(Boolean).join(" "),
    "aria-describedby": place.describedBy,
  };
}

function placeholder(element, kind) {
  return element.placeholder ? plain(element.placeholder) : PLACEHOLDER[kind];
}
