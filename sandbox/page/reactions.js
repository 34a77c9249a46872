/**
 * The small buttons under an agent's answer (feedback, icons), and buttons that start a workflow.
 */
import { el } from "./dom.js";
import { confirmed } from "./confirm.js";
import { drawText, plain } from "./texts.js";

const icon = (name) => el("span", { class: `icon icon-${name}`, "aria-hidden": "true" });

export function drawFeedback(element, place, surface) {
  const one = (choice, mark) => {
    const words = plain(choice.text);
    const press = async (event) => {
      const node = event.currentTarget;
      for (const other of group.children) other.setAttribute("aria-pressed", String(other === node));
      await surface.act(place.block.block_id, element, choice.value, node);
    };
    return el("button", { type: "button", class: "button button-small", "aria-label": choice.accessibility_label ?? words, "aria-pressed": "false", title: words, on: { click: press } }, icon(mark), words);
  };
  const group = el("span", { class: "feedback", role: "group", "aria-label": "Feedback", data: { actionId: element.action_id } });
  group.append(one(element.positive_button, "up"), one(element.negative_button, "down"));
  return group;
}

export function drawIconButton(element, place, surface) {
  const seenBy = element.visible_to_user_ids;
  const words = plain(element.text);
  const press = async (event) => {
    const node = event.currentTarget;
    if (await confirmed(element.confirm, surface.names)) await surface.act(place.block.block_id, element, element.value ?? null, node);
  };
  const hidden = Boolean(seenBy) && !seenBy.includes(surface.names.me);
  return el("button", { type: "button", class: "button button-small", hidden, "aria-label": element.accessibility_label ?? words, title: words, data: { actionId: element.action_id }, on: { click: press } }, icon(element.icon), words);
}

/** Slack starts a workflow itself and tells the app nothing; here nothing starts. */
export function drawWorkflowButton(element, place, surface) {
  const style = element.style ? ` button-${element.style}` : "";
  const press = async () => {
    if (await confirmed(element.confirm, surface.names)) surface.page.notify("Slack would start a workflow now. The sandbox has none.");
  };
  return el("button", { type: "button", class: `button${style}`, "aria-label": element.accessibility_label, data: { actionId: element.action_id }, on: { click: press } }, drawText(element.text, surface.names));
}
