/**
 * Inputs that the sandbox takes in a simpler form than Slack: formatted text as plain lines, files as their names.
 */
import { el, uid } from "./dom.js";
import { change } from "./change.js";
import { plain } from "./texts.js";

const LINE_PX = 22;

/** What a person would have typed to get this rich text. */
function typed(value) {
  if (value === null || typeof value === "string") return value ?? "";
  const words = (element) => element.text ?? element.url ?? (element.name ? `:${element.name}:` : "");
  const line = (part) => (part.elements ?? []).map((piece) => (piece.elements ? line(piece) : words(piece))).join(part.type === "rich_text_list" ? "\n" : "");
  return (value.elements ?? []).map(line).join("\n");
}

export function drawRichTextInput(element, place, surface) {
  const node = el("textarea", {
    class: "field",
    id: uid("field"),
    rows: element.min_lines ?? 3,
    placeholder: element.placeholder ? plain(element.placeholder) : null,
    "aria-labelledby": place.labelledBy,
    "aria-describedby": place.describedBy,
    "aria-label": place.labelledBy ? null : "Text",
    data: { actionId: element.action_id, autofocus: element.focus_on_load ? "yes" : undefined },
  });
  if (element.max_lines) node.style.maxHeight = `${element.max_lines * LINE_PX + 16}px`;
  node.value = typed(surface.value(place.block.block_id, element));
  node.addEventListener("input", () => surface.keep(place.block.block_id, element, node.value));
  node.addEventListener("change", () => change({ element, place, surface, node }, node.value || null));
  return node;
}

export function drawFileInput(element, place, surface) {
  const most = element.max_files ?? 10;
  const node = el("input", {
    type: "file",
    class: "field",
    id: uid("field"),
    multiple: most > 1,
    accept: element.filetypes?.map((kind) => `.${kind}`).join(","),
    "aria-labelledby": place.labelledBy,
    "aria-describedby": place.describedBy,
    data: { actionId: element.action_id },
  });
  const chosen = el("div", { class: "hint" });
  const show = () => {
    const names = surface.value(place.block.block_id, element);
    chosen.textContent = names.length > 0 ? names.join(", ") : `Up to ${most} ${most === 1 ? "file" : "files"}. The app is told their names; nothing is uploaded.`;
  };
  node.addEventListener("change", () => {
    change({ element, place, surface, node }, [...node.files].slice(0, most).map((file) => file.name)).then(show);
  });
  show();
  return el("div", { class: "file-input" }, node, chosen);
}
