/**
 * Buttons and overflow menus.
 */
import { el, safeUrl } from "./dom.js";
import { confirmed } from "./confirm.js";
import { Popup } from "./popup.js";
import { drawText, plain } from "./texts.js";

export function drawButton(element, place, surface) {
  const style = ["primary", "danger"].includes(element.style) ? ` button-${element.style}` : "";
  const props = {
    class: `button${style}`,
    "aria-label": element.accessibility_label,
    data: { actionId: element.action_id, value: element.value },
  };
  const press = (node) => pressed(node, element, place, surface);
  const href = element.url ? safeUrl(element.url) : null;
  if (href !== null) {
    // A link button opens its page and is delivered all the same.
    return el("a", { ...props, href, target: "_blank", rel: "noopener noreferrer", on: { click: (event) => press(event.currentTarget) } }, drawText(element.text, surface.names));
  }
  return el("button", { ...props, type: "button", on: { click: (event) => press(event.currentTarget) } }, drawText(element.text, surface.names));
}

async function pressed(node, element, place, surface) {
  // A second click while the first is on its way is a real second click in Slack, too: it is not swallowed here.
  if (!(await confirmed(element.confirm, surface.names))) return;
  await surface.act(place.block.block_id, element, element.value ?? null, node);
}

export function drawOverflow(element, place, surface) {
  const button = el("button", {
    type: "button",
    class: "button button-more",
    "aria-label": "More actions",
    "aria-haspopup": "menu",
    "aria-expanded": "false",
    data: { actionId: element.action_id },
    text: "⋯",
  });
  const wrap = el("span", { class: "overflow" }, button);
  const popup = new Popup(button, { role: "menu", label: "More actions" });
  wrap.append(popup.node);
  button.addEventListener("click", () => {
    if (popup.isOpen) return popup.close();
    popup.show(element.options.map((option) => overflowItem(option, popup, { element, place, surface, node: button })));
    popup.node.querySelector("[role=menuitem]")?.focus();
    return undefined;
  });
  popup.node.addEventListener("keydown", (event) => moveInMenu(event, popup));
  return wrap;
}

function overflowItem(option, popup, { element, place, surface, node }) {
  const choose = async () => {
    popup.close();
    node.focus();
    if (!(await confirmed(element.confirm, surface.names))) return;
    if (option.url && safeUrl(option.url)) window.open(safeUrl(option.url), "_blank", "noopener,noreferrer");
    await surface.act(place.block.block_id, element, option.value, node);
  };
  return el(
    "button",
    { type: "button", class: "option", role: "menuitem", tabindex: "-1", data: { value: option.value }, on: { click: choose } },
    el("span", { text: plain(option.text) }),
    option.description ? el("span", { class: "option-more", text: plain(option.description) }) : null,
  );
}

function moveInMenu(event, popup) {
  const items = [...popup.node.querySelectorAll("[role=menuitem]")];
  const at = items.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Tab") popup.close();
  if (to === undefined) return;
  event.preventDefault();
  items[(to + items.length) % items.length]?.focus();
}
