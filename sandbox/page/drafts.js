/**
 * What people typed and chose and have not sent: kept while block_id, action_id and type of the element stay the
 * same, as Slack does, and forgotten otherwise.
 */
import { statefulElements } from "./values.js";

export class Drafts {
  #kept = new Map();

  /** The value a person left here, or undefined when they touched nothing. */
  get(blockId, element) {
    return this.#kept.get(key(blockId, element))?.value;
  }

  set(blockId, element, value) {
    this.#kept.set(key(blockId, element), { value });
  }

  forget(blockId, element) {
    this.#kept.delete(key(blockId, element));
  }

  /** Forget whatever these blocks do not have any more. */
  keepOnly(blocks) {
    const present = new Set(statefulElements(blocks).map(({ block, element }) => key(block.block_id, element)));
    for (const kept of this.#kept.keys()) {
      if (!present.has(kept)) this.#kept.delete(kept);
    }
  }
}

function key(blockId, element) {
  return JSON.stringify([blockId, element.action_id, element.type]);
}
