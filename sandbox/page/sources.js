/**
 * Where the options of a select come from: its own list, the people, the channels, or the app.
 */
import { optionsOf } from "./values.js";
import { plain } from "./texts.js";

const DEFAULT_MIN_QUERY = 3;

/**
 * @returns {{search: (query: string) => Promise<{groups: object[], note?: string}>, label: (value: string) => string, remote: boolean}}
 *   `groups`: [{label?, options: [{value, text, more?}]}]; `note` says why there is nothing to choose
 */
export function sourceOf(element, blockId, surface) {
  if (element.type.endsWith("external_select")) return remoteSource(element, blockId, surface);
  if (element.type.endsWith("users_select")) return localSource(() => [{ options: people(surface.names) }]);
  if (/(channels|conversations)_select$/.test(element.type)) return localSource(() => [{ options: channels(surface.names) }]);
  return localSource(() => groupsOf(element));
}

function localSource(groups) {
  return {
    remote: false,
    search: async (query) => ({ groups: filtered(groups(), query) }),
    label: (value) => groups().flatMap((group) => group.options).find((option) => option.value === value)?.text ?? value,
  };
}

function filtered(groups, query) {
  const wanted = query.trim().toLowerCase();
  const match = (option) => wanted === "" || option.text.toLowerCase().includes(wanted);
  return groups.map((group) => ({ ...group, options: group.options.filter(match) })).filter((group) => group.options.length > 0);
}

function remoteSource(element, blockId, surface) {
  const least = element.min_query_length ?? DEFAULT_MIN_QUERY;
  for (const option of initialOptions(element)) surface.labels.set(option.value, plain(option.text));
  return {
    remote: true,
    label: (value) => surface.labels.get(value) ?? value,
    search: async (query) => {
      if (query.length < least) {
        return { groups: [], note: `Type ${least === 1 ? "a letter" : `at least ${least} letters`} to search.` };
      }
      const answer = await surface.options(blockId, element, query);
      if (!answer.ok) return { groups: [], note: "The options could not be loaded. Type to try again." };
      const groups = groupsOf(answer);
      for (const option of groups.flatMap((group) => group.options)) surface.labels.set(option.value, option.text);
      return { groups };
    },
  };
}

function initialOptions(element) {
  return element.initial_options ?? (element.initial_option ? [element.initial_option] : []);
}

function groupsOf(element) {
  if (!element.option_groups) return [{ options: optionsOf(element).map(shown) }];
  return element.option_groups.map((group) => ({ label: plain(group.label), options: (group.options ?? []).map(shown) }));
}

function shown(option) {
  return { value: option.value, text: plain(option.text), more: option.description ? plain(option.description) : undefined };
}

function people(names) {
  return [...names.people.values()]
    .filter((person) => !person.deleted && !person.is_bot)
    .map((person) => ({ value: person.id, text: person.real_name || person.name }));
}

function channels(names) {
  return names.channels
    .filter((channel) => channel.kind !== "im" && !channel.archived)
    .map((channel) => ({ value: channel.id, text: `#${channel.name}` }));
}
