/**
 * Modals: the top of this person's stack of views as a real dialog. What was typed in a view below stays for when it
 * comes up again.
 */
import { el, fill } from "./dom.js";
import { showErrors } from "./blocks.js";
import { Surface } from "./surface.js";
import { drawText, plain } from "./texts.js";

export class ModalStack {
  /** @param {object} page {api, names, notify, refresh} */
  constructor(page) {
    this.page = page;
    this.surfaces = new Map();
    this.shown = null;
    this.views = [];
  }

  /** Show the views the server says are open, top last. */
  paint(views) {
    this.views = views ?? [];
    const ids = new Set(this.views.map((view) => view.id));
    for (const id of this.surfaces.keys()) {
      if (!ids.has(id)) this.surfaces.delete(id);
    }
    const top = this.views.at(-1);
    if (!top) this.#shut();
    else this.#show(top);
  }

  #show(view) {
    if (!this.dialog) this.#open();
    const fresh = this.shown !== view.id;
    if (fresh) this.body.replaceChildren();
    this.shown = view.id;
    this.dialog.dataset.viewId = view.id;
    this.#frame(view);
    const surface = this.#surface(view);
    surface.paint(this.body, view.blocks);
    if (fresh) {
      this.body.scrollTop = 0;
      this.#focusFirst();
    }
  }

  #surface(view) {
    if (!this.surfaces.has(view.id)) this.surfaces.set(view.id, new Surface(this.page, { surface: "view", view_id: view.id }));
    return this.surfaces.get(view.id);
  }

  #open() {
    this.head = el("div", { class: "modal-head" });
    this.body = el("div", { class: "modal-body", tabindex: "-1" });
    this.foot = el("div", { class: "modal-foot" });
    this.dialog = el("dialog", { class: "dialog modal" }, this.head, this.body, this.foot);
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault(); // Esc asks the server to close; the stack decides what is then on top.
      this.#close(false);
    });
    this.dialog.addEventListener("keydown", (event) => this.#key(event));
    document.body.append(this.dialog);
    this.dialog.showModal();
  }

  #shut() {
    if (!this.dialog) return;
    this.dialog.close();
    this.dialog.remove();
    this.dialog = null;
    this.shown = null;
    this.frame = null;
  }

  /** Title and buttons; drawn again only when their words changed, so that a focused button stays focused. */
  #frame(view) {
    const print = JSON.stringify([view.id, view.title, view.submit, view.close, this.views.length]);
    if (this.frame === print) return;
    this.frame = print;
    const names = this.page.names;
    this.dialog.setAttribute("aria-label", plain(view.title));
    fill(
      this.head,
      this.views.length > 1 ? el("button", { type: "button", class: "icon-button", "aria-label": "Back", text: "‹", on: { click: () => this.#close(false) } }) : null,
      el("span", { class: "avatar avatar-app avatar-small", "aria-hidden": "true" }),
      el("h2", { class: "dialog-title" }, drawText(view.title, names)),
      el("button", { type: "button", class: "icon-button modal-x", "aria-label": "Close", text: "×", on: { click: () => this.#close(true) } }),
    );
    const close = view.close ? drawText(view.close, names) : view.submit ? "Cancel" : "Close";
    fill(
      this.foot,
      el("div", { class: "modal-error", role: "alert" }),
      el("button", { type: "button", class: "button", data: { modal: "close" }, on: { click: () => this.#close(false) } }, close),
      view.submit ? el("button", { type: "button", class: "button button-primary", data: { modal: "submit" }, on: { click: () => this.#submit() } }, drawText(view.submit, names)) : null,
    );
  }

  #focusFirst() {
    const wanted = this.body.querySelector("[data-autofocus]") ?? this.body.querySelector(".block-input .field, .block-input .select, .block-input .multi-open, .block-input input");
    // A page that is only read must not put a finger on its Approve button: the text gets the focus instead.
    (wanted ?? this.body).focus({ preventScroll: !wanted });
  }

  #key(event) {
    const inField = event.target.matches("input.field") || (event.target.matches("textarea.field") && (event.ctrlKey || event.metaKey));
    if (event.key === "Enter" && inField && !event.isComposing && this.foot.querySelector("[data-modal=submit]")) {
      event.preventDefault();
      this.#submit();
    }
  }

  async #submit() {
    const view = this.views.at(-1);
    const button = this.foot.querySelector("[data-modal=submit]");
    if (!view || button.disabled) return;
    button.disabled = true;
    button.setAttribute("aria-busy", "true");
    const outcome = await this.page.api.submit(view.id, this.surfaces.get(view.id).state());
    button.disabled = false;
    button.removeAttribute("aria-busy");
    this.#outcome(view, outcome);
    await this.page.refresh();
  }

  #outcome(view, outcome) {
    if (this.shown !== view.id || !this.dialog) return;
    const missing = showErrors(this.body, outcome.errors ?? {});
    const trouble = outcome.ok ? missing.map((id) => outcome.errors[id]).join(" ") : outcome.warning ?? "We had some trouble connecting. Try again?";
    this.foot.querySelector(".modal-error").textContent = trouble;
    const first = this.body.querySelector(".has-error");
    first?.querySelector(".field, .select, .multi-open, input")?.focus();
    first?.scrollIntoView({ block: "nearest" });
  }

  async #close(all) {
    const view = this.views.at(-1);
    if (!view) return;
    await this.page.api.close(view.id, { everything: all });
    await this.page.refresh();
  }
}
