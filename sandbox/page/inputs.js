/**
 * Fields to type in: text, numbers, addresses, days and times.
 */
import { el, uid } from "./dom.js";
import { change, clearError } from "./change.js";
import { plain } from "./texts.js";

const KEYSTROKE_WAIT_MS = 400;

const HTML_TYPES = { number_input: "number", email_text_input: "email", url_text_input: "url" };

export function drawTextInput(element, place, surface) {
  const node = field(element, place, element.multiline ? "textarea" : "input", {
    type: element.multiline ? null : HTML_TYPES[element.type] ?? "text",
    step: element.type === "number_input" && element.is_decimal_allowed ? "any" : null,
    min: element.min_value,
    max: element.max_value,
    maxlength: element.max_length,
    rows: element.multiline ? 3 : null,
    placeholder: element.placeholder ? plain(element.placeholder) : null,
  });
  const at = { element, place, surface, node };
  node.value = surface.value(place.block.block_id, element) ?? "";
  const triggers = place.quiet ? [] : element.dispatch_action_config?.trigger_actions_on ?? ["on_enter_pressed"];
  listen(node, at, triggers);
  if (!element.max_length) return node;
  return el("span", { class: "field-wrap" }, node, counter(node, element.max_length));
}

function listen(node, at, triggers) {
  const { element, place, surface } = at;
  let timer;
  node.addEventListener("input", () => {
    surface.keep(place.block.block_id, element, node.value);
    clearError(node);
    if (!triggers.includes("on_character_entered")) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (node.isConnected) change(at, node.value); // Closed meanwhile: it is lost, as in Slack.
    }, KEYSTROKE_WAIT_MS);
  });
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || (element.multiline && !event.ctrlKey && !event.metaKey)) return;
    if (triggers.includes("on_enter_pressed")) change(at, node.value);
  });
}

/** How many characters are left; silent until few are. */
function counter(node, most) {
  const left = el("span", { class: "counter", "aria-hidden": "true" });
  const count = () => {
    const rest = most - node.value.length;
    left.textContent = rest <= Math.max(20, most / 10) ? String(rest) : "";
  };
  node.addEventListener("input", count);
  count();
  return left;
}

export function drawDate(element, place, surface) {
  return pick(element, place, surface, { type: "date", show: (value) => value ?? "", read: (text) => text || null });
}

export function drawTime(element, place, surface) {
  return pick(element, place, surface, { type: "time", show: (value) => value ?? "", read: (text) => text || null });
}

export function drawDateTime(element, place, surface) {
  return pick(element, place, surface, {
    type: "datetime-local",
    show: (value) => (value === null ? "" : localMinute(value)),
    read: (text) => (text ? Math.round(new Date(text).getTime() / 1000) : null),
  });
}

/** Unix seconds as "2026-11-30T18:02" on this machine's clock, which is how the browser's field reads it. */
function localMinute(seconds) {
  const at = new Date(seconds * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function pick(element, place, surface, { type, show, read }) {
  const node = field(element, place, "input", { type });
  const current = () => surface.value(place.block.block_id, element);
  node.value = show(current());
  node.addEventListener("change", async () => {
    if (!(await change({ element, place, surface, node }, read(node.value)))) node.value = show(current());
  });
  return node;
}

function field(element, place, tag, props) {
  return el(tag, {
    class: "field",
    id: uid("field"),
    autocomplete: "off",
    "aria-labelledby": place.labelledBy,
    "aria-describedby": place.describedBy,
    "aria-required": place.block.type === "input" && place.block.optional !== true ? "true" : null,
    data: { actionId: element.action_id, autofocus: element.focus_on_load ? "yes" : undefined },
    ...props,
  });
}
