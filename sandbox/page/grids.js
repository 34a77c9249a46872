/**
 * Tables: `table` as it stands, `data_table` in pages.
 */
import { el, fill } from "./dom.js";
import { richText } from "./richtext.js";

const DEFAULT_PAGE = 5;

function cell(value, names) {
  if (value.type === "rich_text") return richText(value, names);
  return value.text ?? String(value.value);
}

function row(cells, tag, names, setting = () => ({})) {
  return el(
    "tr",
    {},
    cells.map((value, column) => {
      const { align = value.type === "raw_number" ? "right" : "left", wrapped = true, header = false } = setting(column);
      const name = header ? "th" : tag;
      return el(name, { class: `cell cell-${align}${wrapped ? "" : " cell-line"}`, scope: name === "th" ? (header ? "row" : "col") : null }, cell(value, names));
    }),
  );
}

export function drawTable(block, names) {
  const settings = block.column_settings ?? [];
  const setting = (column) => ({ align: settings[column]?.align ?? "left", wrapped: settings[column]?.is_wrapped ?? false });
  const [first, ...rest] = block.rows;
  const table = el("table", { class: "grid" }, el("thead", {}, row(first, "th", names, setting)), el("tbody", {}, rest.map((cells) => row(cells, "td", names, setting))));
  return el("div", { class: "grid-scroll", tabindex: "0", role: "region", "aria-label": "Table" }, table);
}

export function drawDataTable(block, names) {
  const [first, ...rest] = block.rows;
  const size = block.page_size ?? DEFAULT_PAGE;
  const pages = Math.ceil(rest.length / size);
  const leading = block.row_header_column_index ?? 0;
  const setting = (column) => (column === leading ? { header: true, align: "left" } : {});
  const above = (column) => ({ align: rest[0][column].type === "raw_number" && column !== leading ? "right" : "left" });
  const body = el("tbody");
  const where = el("span", { role: "status" });
  let page = 0;
  const step = (label, by) => el("button", { type: "button", class: "button", text: label, on: { click: () => show(page + by) } });
  const [back, on] = [step("‹ Back", -1), step("More ›", 1)];
  const show = (next) => {
    page = next;
    fill(body, rest.slice(page * size, (page + 1) * size).map((cells) => row(cells, "td", names, setting)));
    where.textContent = `Page ${page + 1} of ${pages}`;
    back.disabled = page === 0;
    on.disabled = page === pages - 1;
  };
  show(0);
  const table = el("table", { class: "grid" }, el("caption", { class: "grid-caption", text: block.caption }), el("thead", {}, row(first, "th", names, above)), body);
  return [
    el("div", { class: "grid-scroll", tabindex: "0", role: "region", "aria-label": block.caption }, table),
    pages > 1 ? el("div", { class: "grid-pages" }, back, where, on) : null,
  ];
}
