/**
 * Drawing a list of blocks, and painting it again without disturbing what has not changed.
 */
import { arrange, el, uid } from "./dom.js";
import { drawElement } from "./elements.js";
import { richText } from "./richtext.js";
import { drawText, plain } from "./texts.js";
import { altText, drawAlert, drawCard, drawCarousel, drawContainer, drawVideo } from "./cards.js";
import { drawChart } from "./charts.js";
import { drawDataTable, drawTable } from "./grids.js";
import { markdown } from "./markdown.js";
import { drawPlan, drawTask } from "./tasks.js";

/**
 * Paint blocks into a container. A block that is the same as before keeps its node, with focus, caret and open menus;
 * the others are drawn anew and take their values from the drafts of the surface.
 */
export function paintBlocks(container, blocks, surface) {
  const before = new Map([...container.children].map((node) => [node.drawnFrom, node]));
  const focus = rememberFocus(container);
  const nodes = blocks.map((block, index) => {
    const print = `${block.block_id ?? index} ${JSON.stringify(block)}`;
    const old = before.get(print);
    before.delete(print);
    if (old) return old;
    const node = drawBlock(block, surface);
    node.drawnFrom = print;
    return node;
  });
  arrange(container, nodes);
  focus?.();
}

/** A function that puts focus and caret back into the element that had it, if it was drawn anew. */
function rememberFocus(container) {
  const active = document.activeElement;
  if (!active || active === container || !container.contains(active)) return null;
  const block = active.closest("[data-block-id]")?.dataset.blockId;
  const action = active.closest("[data-action-id]")?.dataset.actionId;
  if (action === undefined) return null;
  const caret = [active.selectionStart, active.selectionEnd];
  return () => {
    if (active.isConnected && document.activeElement === active) return;
    const wanted = `[data-block-id="${CSS.escape(block)}"] [data-action-id="${CSS.escape(action)}"]`;
    const home = container.querySelector(wanted);
    const target = home?.matches("input, textarea, button") ? home : home?.querySelector("input, textarea, button");
    target?.focus({ preventScroll: true });
    if (caret[0] !== null && target?.setSelectionRange) restoreCaret(target, caret);
  };
}

function restoreCaret(target, caret) {
  try {
    target.setSelectionRange(...caret);
  } catch {
    // Number and date fields have no caret.
  }
}

function drawBlock(block, surface) {
  const draw = BLOCKS[block.type] ?? drawUnknown;
  return el("div", { class: `block block-${block.type}`, data: { blockId: block.block_id, blockType: block.type } }, draw(block, surface));
}

const BLOCKS = {
  header: (block, surface) => el(`h${block.level ?? 3}`, { class: "header" }, drawText(block.text, surface.names)),
  section: drawSection,
  context: drawContext,
  divider: () => el("hr", { class: "divider" }),
  image: drawImage,
  actions: (block, surface) => (block.elements ?? []).map((element) => drawElement(element, { block }, surface)),
  input: drawInput,
  rich_text: (block, surface) => richText(block, surface.names),
  markdown: (block) => markdown(block.text),
  table: (block, surface) => drawTable(block, surface.names),
  data_table: (block, surface) => drawDataTable(block, surface.names),
  data_visualization: drawChart,
  video: drawVideo,
  alert: drawAlert,
  card: drawCard,
  carousel: drawCarousel,
  container: (block, surface) => drawContainer(block, surface, drawBlock),
  context_actions: (block, surface) => (block.elements ?? []).map((element) => drawElement(element, { block }, surface)),
  plan: drawPlan,
  task_card: drawTask,
};

function drawSection(block, surface) {
  const body = el(
    "div",
    { class: "section-body" },
    block.text ? el("div", { class: "text" }, drawText(block.text, surface.names)) : null,
    block.fields ? el("div", { class: "fields" }, block.fields.map((field) => el("div", { class: "fact text" }, drawText(field, surface.names)))) : null,
  );
  const accessory = block.accessory ? el("div", { class: "accessory" }, drawElement(block.accessory, { block }, surface)) : null;
  return [body, accessory];
}

function drawContext(block, surface) {
  return (block.elements ?? []).map((element) =>
    element.type === "image" ? altText(element) : el("span", { class: "text" }, drawText(element, surface.names)),
  );
}

function drawImage(block) {
  return [block.title ? el("div", { class: "image-title", text: plain(block.title) }) : null, altText(block)];
}

function drawInput(block, surface) {
  const ids = { label: uid("label"), hint: uid("hint"), error: uid("error") };
  const described = [block.hint ? ids.hint : null, ids.error].filter(Boolean).join(" ");
  const control = drawElement(block.element, { block, labelledBy: ids.label, describedBy: described, quiet: !block.dispatch_action }, surface);
  const target = control.matches(".field") ? control : control.querySelector(".field, .select, .multi-open");
  if (target && !target.id) target.id = uid("control");
  return [
    el("label", { class: "input-label", id: ids.label, for: target?.id }, drawText(block.label, surface.names), block.optional ? el("span", { class: "optional", text: " (optional)" }) : null),
    control,
    el("div", { class: "error", id: ids.error, role: "alert", data: { errorFor: block.block_id } }),
    block.hint ? el("div", { class: "hint", id: ids.hint }, drawText(block.hint, surface.names)) : null,
  ];
}

function drawUnknown(block) {
  return el("div", { class: "unknown", text: `[a block of type ${block.type}: the sandbox does not draw it]` });
}

/** Show errors under their fields, and take away the others. @returns the fields that are not there */
export function showErrors(container, errors) {
  const missing = new Set(Object.keys(errors));
  for (const node of container.querySelectorAll("[data-error-for]")) {
    const words = errors[node.dataset.errorFor] ?? "";
    node.textContent = words;
    node.parentElement.classList.toggle("has-error", words !== "");
    missing.delete(node.dataset.errorFor);
  }
  return [...missing];
}
