/**
 * The App Home tab.
 */
import { el, fill } from "./dom.js";
import { Surface } from "./surface.js";

export class Home {
  /** @param {object} page {api, names, notify, refresh} */
  constructor(page) {
    this.page = page;
    this.blocks = el("div", { class: "blocks home-blocks" });
    this.node = el("div", { class: "scroller home", tabindex: "0", role: "region", "aria-label": "Home tab" });
    this.surface = null;
  }

  /** @param {{id?: string, blocks: object[]} | null} view the published view, null before there is one */
  paint(view) {
    if (!view) {
      this.surface = null;
      fill(this.node, el("div", { class: "empty" }, el("h3", { text: "Nothing here" }), el("p", { text: "This app has no Home tab, or it is not running." })));
      return;
    }
    if (this.surface === null) {
      this.surface = new Surface(this.page, { surface: "home", view_id: view.id });
      this.blocks.replaceChildren();
      fill(this.node, this.blocks);
    }
    this.surface.where.view_id = view.id;
    this.surface.paint(this.blocks, view.blocks);
  }
}
