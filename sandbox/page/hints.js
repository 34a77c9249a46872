/**
 * What a newcomer to the examples of the demo may try first. Gone once dismissed.
 */
import { el, fill } from "./dom.js";

const KEY = "sandbox-hints-dismissed";

/** @param {object} page {go, write, channelNamed} */
export function paintHints(node, page) {
  if (remembered() || node.childElementCount > 0) return;
  const step = (verb, name) => {
    const channel = page.channelNamed(name);
    const target = channel ? el("button", { type: "button", class: "hint-link", on: { click: () => page.go(channel.id) } }, `#${name}`) : `#${name}`;
    return el("li", {}, verb, " ", target);
  };
  fill(
    node,
    el(
      "div",
      { class: "hints", role: "note", "aria-label": "What to try" },
      el("strong", { class: "hints-title", text: "New here? Try:" }),
      el("ol", {}, step("Click Approve in", "deploys"), step("Answer in", "reports"), step("Deny with reason… in", "general"), el("li", {}, "Type ", el("button", { type: "button", class: "hint-link hint-code", on: { click: () => page.write("/pending") } }, "/pending"))),
      el("button", { type: "button", class: "icon-button hints-x", "aria-label": "Dismiss", text: "×", on: { click: () => dismiss(node) } }),
    ),
  );
}

function dismiss(node) {
  node.replaceChildren();
  try {
    localStorage.setItem(KEY, "1");
  } catch {
    // Without storage it comes back with the next visit.
  }
}

function remembered() {
  try {
    return localStorage.getItem(KEY) === "1";
  } catch {
    return false;
  }
}
