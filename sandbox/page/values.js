/**
 * What an element holds: its value before anybody touched it, and whether it holds one at all.
 *
 * Values travel as the control API wants them: a select's option value or null, a list of option values for
 * checkboxes and multi selects, text for inputs, an id or ids for people and channels.
 */
const one = (element) => element.initial_option?.value ?? null;
const many = (element) => (element.initial_options ?? []).map((option) => option.value);

const INITIAL = {
  static_select: one,
  external_select: one,
  radio_buttons: one,
  users_select: (element) => element.initial_user ?? null,
  channels_select: (element) => element.initial_channel ?? null,
  conversations_select: (element) => element.initial_conversation ?? null,
  multi_static_select: many,
  multi_external_select: many,
  checkboxes: many,
  multi_users_select: (element) => element.initial_users ?? [],
  multi_channels_select: (element) => element.initial_channels ?? [],
  multi_conversations_select: (element) => element.initial_conversations ?? [],
  plain_text_input: (element) => element.initial_value ?? "",
  number_input: (element) => element.initial_value ?? "",
  email_text_input: (element) => element.initial_value ?? "",
  url_text_input: (element) => element.initial_value ?? "",
  datepicker: (element) => element.initial_date ?? null,
  timepicker: (element) => element.initial_time ?? null,
  datetimepicker: (element) => element.initial_date_time ?? null,
  rich_text_input: (element) => element.initial_value ?? null,
  file_input: () => [],
};

export function isStateful(element) {
  return element?.type in INITIAL;
}

export function initialValue(element) {
  return INITIAL[element.type](element);
}

/** Every stateful element of a list of blocks, with the block it sits in. */
export function statefulElements(blocks) {
  return withInner(blocks ?? []).flatMap((block) => elementsOf(block).filter(isStateful).map((element) => ({ block, element })));
}

/** Blocks, and those inside containers. */
function withInner(blocks) {
  return blocks.flatMap((block) => [block, ...withInner(block.child_blocks ?? [])]);
}

function elementsOf(block) {
  if (block.type === "input") return [block.element];
  if (block.type === "section") return block.accessory ? [block.accessory] : [];
  return block.type === "actions" ? block.elements ?? [] : [];
}

/** Options of an element, those of its groups included. */
export function optionsOf(element) {
  return element.options ?? (element.option_groups ?? []).flatMap((group) => group.options ?? []);
}
