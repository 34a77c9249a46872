/**
 * Elements by type. Each draw function gets (element, place, surface) and answers one node with data-action-id.
 *
 * `place`: {block, labelledBy?, describedBy?, quiet?}: the block it sits in, the ids of its label and of its hint and
 * error, and whether a change is only remembered (input blocks) or delivered at once (everything else).
 */
import { el } from "./dom.js";
import { drawButton, drawOverflow } from "./buttons.js";
import { drawFeedback, drawIconButton, drawWorkflowButton } from "./reactions.js";
import { drawFileInput, drawRichTextInput } from "./richinputs.js";
import { drawCheckboxes, drawRadios } from "./choices.js";
import { drawMultiSelect, drawSelect } from "./selects.js";
import { drawDate, drawDateTime, drawTextInput, drawTime } from "./inputs.js";

const ELEMENTS = {
  button: drawButton,
  workflow_button: drawWorkflowButton,
  feedback_buttons: drawFeedback,
  icon_button: drawIconButton,
  overflow: drawOverflow,
  checkboxes: drawCheckboxes,
  radio_buttons: drawRadios,
  static_select: drawSelect,
  external_select: drawSelect,
  users_select: drawSelect,
  channels_select: drawSelect,
  conversations_select: drawSelect,
  multi_static_select: drawMultiSelect,
  multi_external_select: drawMultiSelect,
  multi_users_select: drawMultiSelect,
  multi_channels_select: drawMultiSelect,
  multi_conversations_select: drawMultiSelect,
  plain_text_input: drawTextInput,
  number_input: drawTextInput,
  email_text_input: drawTextInput,
  url_text_input: drawTextInput,
  rich_text_input: drawRichTextInput,
  file_input: drawFileInput,
  datepicker: drawDate,
  timepicker: drawTime,
  datetimepicker: drawDateTime,
};

export function drawElement(element, place, surface) {
  const draw = ELEMENTS[element?.type];
  if (draw) return draw(element, place, surface);
  if (element?.type === "image") return el("span", { class: "image-alt", role: "img", "aria-label": element.alt_text, text: element.alt_text });
  return el("span", { class: "unknown", text: `[${element?.type}: the sandbox does not draw it]` });
}
