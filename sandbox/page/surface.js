/**
 * A surface is what blocks are drawn on: a message, a modal view, or the Home tab. It knows what people left in its
 * elements and how a click on it is delivered.
 */
import { Drafts } from "./drafts.js";
import { paintBlocks } from "./blocks.js";
import { initialValue, statefulElements } from "./values.js";

export class Surface {
  /**
   * @param {object} page the page: {api, names, notify, refresh}
   * @param {{surface: "message" | "view" | "home", channel?: string, ts?: string, view_id?: string}} where
   */
  constructor(page, where) {
    this.page = page;
    this.where = where;
    this.names = page.names;
    this.drafts = new Drafts();
    this.labels = new Map();
    this.blocks = [];
  }

  paint(container, blocks) {
    this.paintParts([{ container, blocks: blocks ?? [] }]);
  }

  /** A message has its own blocks and those of its attachments: one surface, several places. */
  paintParts(parts) {
    this.blocks = parts.flatMap((part) => part.blocks);
    this.drafts.keepOnly(this.blocks);
    for (const { container, blocks } of parts) paintBlocks(container, blocks, this);
  }

  /** What this element holds now. */
  value(blockId, element) {
    const draft = this.drafts.get(blockId, element);
    // A select that was cleared holds null, which is not "never touched".
    return draft === undefined ? initialValue(element) : draft;
  }

  keep(blockId, element, value) {
    this.drafts.set(blockId, element, value);
  }

  /**
   * What all stateful elements show now, as {block_id: {action_id: value}}. The server tells touched from untouched.
   */
  state() {
    const state = {};
    for (const { block, element } of statefulElements(this.blocks)) {
      (state[block.block_id] ??= {})[element.action_id] = this.value(block.block_id, element);
    }
    return state;
  }

  /** Deliver a click or a choice; `node` shows that it is under way, and a warning when nobody answered. */
  async act(blockId, element, value, node) {
    node.setAttribute("aria-busy", "true");
    const outcome = await this.page.api.act({
      ...this.where, block_id: blockId, action_id: element.action_id, value, state: this.state(),
    });
    node.removeAttribute("aria-busy");
    if (!outcome.ok) this.page.notify(outcome.warning);
    await this.page.refresh();
    return outcome;
  }

  /** Ask the app for the options of an external select. */
  options(blockId, element, query) {
    return this.page.api.options({ ...this.where, block_id: blockId, action_id: element.action_id, query });
  }
}
