/**
 * Checkboxes and radio buttons: native inputs, so that keyboard and screen reader work by themselves.
 */
import { el, uid } from "./dom.js";
import { change } from "./change.js";
import { drawText } from "./texts.js";

export function drawCheckboxes(element, place, surface) {
  return drawChoices(element, place, surface, {
    type: "checkbox",
    read: (inputs) => inputs.filter((input) => input.checked).map((input) => input.value),
    holds: (value, option) => (value ?? []).includes(option.value),
  });
}

export function drawRadios(element, place, surface) {
  return drawChoices(element, place, surface, {
    type: "radio",
    read: (inputs) => inputs.find((input) => input.checked)?.value ?? null,
    holds: (value, option) => value === option.value,
  });
}

function drawChoices(element, place, surface, { type, read, holds }) {
  const name = uid("choice");
  const group = el("div", {
    class: "choices",
    role: type === "radio" ? "radiogroup" : "group",
    "aria-labelledby": place.labelledBy,
    "aria-describedby": place.describedBy,
    data: { actionId: element.action_id },
  });
  const inputs = [];
  const show = () => {
    const value = surface.value(place.block.block_id, element);
    for (const [index, option] of element.options.entries()) inputs[index].checked = holds(value, option);
  };
  for (const option of element.options) {
    const { row, input } = drawChoice(option, { type, name, surface });
    input.addEventListener("change", async () => {
      if (!(await change({ element, place, surface, node: group }, read(inputs)))) show();
    });
    inputs.push(input);
    group.append(row);
  }
  show();
  return group;
}

function drawChoice(option, { type, name, surface }) {
  const input = el("input", { type, name, value: option.value, data: { value: option.value } });
  const words = el(
    "span",
    { class: "choice-words" },
    el("span", { class: "text" }, drawText(option.text, surface.names)),
    option.description ? el("span", { class: "choice-more" }, drawText(option.description, surface.names)) : null,
  );
  return { row: el("label", { class: "choice" }, input, words), input };
}
