/**
 * Short warnings: the app did not answer in time, the server is away.
 */
import { el } from "./dom.js";

const SHOWN_MS = 9000;

export class Toasts {
  constructor(node) {
    this.node = node;
    this.seen = new Set();
  }

  /** Notices of the server, each shown once and then forgotten by `dismiss`. */
  paint(notices, dismiss) {
    const fresh = (notices ?? []).filter((notice) => !this.seen.has(notice.id));
    this.seen = new Set((notices ?? []).map((notice) => notice.id));
    for (const notice of fresh) {
      this.show(notice.text);
      dismiss(notice.id);
    }
  }

  /** Show a warning; the same words are not stacked. */
  show(text) {
    const words = text || "Something went wrong. Try again.";
    if ([...this.node.children].some((toast) => toast.dataset.words === words)) return;
    const toast = el("div", { class: "toast", data: { words } }, el("span", { class: "toast-mark", "aria-hidden": "true", text: "!" }), el("span", { class: "toast-words", text: words }), el("button", { type: "button", class: "icon-button", "aria-label": "Dismiss", text: "×", on: { click: () => toast.remove() } }));
    this.node.append(toast);
    setTimeout(() => toast.remove(), SHOWN_MS);
  }
}
