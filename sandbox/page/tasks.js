/**
 * Plans and tasks: what an agent does, step by step.
 */
import { el, link } from "./dom.js";
import { richText } from "./richtext.js";

const STATUS = { pending: ["○", "Pending"], in_progress: ["◐", "In progress"], complete: ["✓", "Complete"], error: ["!", "Error"] };

export function drawTask(task, surface) {
  const [mark, words] = STATUS[task.status];
  const more = [
    task.details ? el("div", { class: "task-more" }, richText(task.details, surface.names)) : null,
    task.output ? el("div", { class: "task-more" }, richText(task.output, surface.names)) : null,
    task.sources?.length ? el("div", { class: "task-sources" }, task.sources.map((source) => link(source.url, source.text))) : null,
  ].filter(Boolean);
  const head = [el("span", { class: `task-mark task-${task.status}`, role: "img", "aria-label": words, title: words, text: mark }), el("span", { class: "task-title", text: task.title })];
  if (more.length === 0) return el("div", { class: "task" }, el("div", { class: "task-head" }, head));
  return el("details", { class: "task", open: true }, el("summary", { class: "task-head" }, head), more);
}

export function drawPlan(block, surface) {
  const done = block.tasks.filter((task) => task.status === "complete").length;
  return el(
    "section",
    { class: "plan", "aria-label": block.title },
    el("div", { class: "plan-head" }, el("span", { class: "plan-title", text: block.title }), el("span", { class: "plan-count", text: `${done} of ${block.tasks.length} done` })),
    el("ol", { class: "plan-tasks" }, block.tasks.map((task) => el("li", {}, drawTask(task, surface)))),
  );
}
