/**
 * Confirmation dialogs of elements. They are the client's own business: the app hears nothing of a "no".
 */
import { el } from "./dom.js";
import { drawText, plain } from "./texts.js";

/** Ask, if there is something to ask. @returns {Promise<boolean>} */
export function confirmed(confirm, names) {
  return confirm ? ask(confirm, names) : Promise.resolve(true);
}

function ask(confirm, names) {
  const danger = confirm.style === "danger";
  return new Promise((resolve) => {
    const dialog = el(
      "dialog",
      { class: "dialog confirm", "aria-label": plain(confirm.title) },
      el("h2", { class: "dialog-title" }, drawText(confirm.title, names)),
      el("div", { class: "confirm-text text" }, drawText(confirm.text, names)),
      el(
        "div",
        { class: "dialog-foot" },
        el("button", { type: "button", class: "button", data: { confirm: "no" }, on: { click: () => dialog.close("no") } }, plain(confirm.deny)),
        el("button", { type: "button", class: `button ${danger ? "button-danger" : "button-primary"}`, data: { confirm: "yes" }, on: { click: () => dialog.close("yes") } }, plain(confirm.confirm)),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
