/**
 * What happens when a person changes an element: ask when the app wants a confirmation, remember, deliver.
 */
import { confirmed } from "./confirm.js";

/**
 * @param {{element: object, place: object, surface: import("./surface.js").Surface, node: HTMLElement}} at
 * @param {*} value the new value
 * @returns {Promise<boolean>} false when the person took it back: the caller shows the old value again
 */
export async function change({ element, place, surface, node }, value) {
  const blockId = place.block.block_id;
  // Without a question to ask it is remembered before anything waits: whoever draws it next draws the new value.
  if (!place.quiet && element.confirm && !(await confirmed(element.confirm, surface.names))) return false;
  surface.keep(blockId, element, value);
  clearError(node);
  if (!place.quiet) await surface.act(blockId, element, value, node);
  return true;
}

/** An error under a field goes away as soon as the field is touched. */
export function clearError(node) {
  const block = node.closest(".has-error");
  if (!block) return;
  block.classList.remove("has-error");
  block.querySelector("[data-error-for]")?.replaceChildren();
}
