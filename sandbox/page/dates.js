/**
 * Slack's date tokens, in the zone of the reader.
 */
import { el } from "./dom.js";

const LOCALE = "en-US";
const DAY_MS = 86_400_000;

/** The zone if this browser knows it, else undefined, which means the browser's own. */
export function knownZone(zone) {
  if (typeof zone !== "string" || zone === "") return undefined;
  try {
    new Intl.DateTimeFormat(LOCALE, { timeZone: zone });
    return zone;
  } catch {
    return undefined;
  }
}

/**
 * A format such as "{date_short_pretty} at {time}" for a moment.
 *
 * @param {number} timestamp unix seconds
 * @param {string} format text with Slack's tokens
 * @param {{zone?: string, now?: number}} reader zone of the reader; now in milliseconds
 * @returns {string | null} null when a token is not known: the caller shows the fallback
 */
export function formatDate(timestamp, format, { zone, now = Date.now() } = {}) {
  const moment = new Date(Number(timestamp) * 1000);
  if (Number.isNaN(moment.getTime())) return null;
  let known = true;
  const text = String(format).replace(/\{(\w+)\}/g, (token, name) => {
    const make = TOKENS[name];
    if (make === undefined) known = false;
    return make === undefined ? token : make(moment, zone, new Date(now));
  });
  return known ? text : null;
}

const TOKENS = {
  date_num: (at, zone) => isoDay(at, zone),
  date_slash: (at, zone) => isoDay(at, zone).replaceAll("-", "/"),
  date: (at, zone) => withOrdinal(at, zone, { month: "long", day: "numeric", year: "numeric" }),
  date_short: (at, zone) => part(at, zone, { month: "short", day: "numeric", year: "numeric" }),
  date_long: (at, zone) => withOrdinal(at, zone, { weekday: "long", month: "long", day: "numeric", year: "numeric" }),
  date_pretty: (at, zone, now) => nearDay(at, zone, now) ?? TOKENS.date(at, zone),
  date_short_pretty: (at, zone, now) => nearDay(at, zone, now) ?? TOKENS.date_short(at, zone),
  date_long_pretty: (at, zone, now) => nearDay(at, zone, now) ?? TOKENS.date_long(at, zone),
  day_divider_pretty: (at, zone, now) => dayName(at, { zone, now: now.getTime() }),
  time: (at, zone) => part(at, zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  time_secs: (at, zone) => part(at, zone, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }),
  ago: (at, zone, now) => ago(at, now),
};

function part(at, zone, options) {
  return new Intl.DateTimeFormat(LOCALE, { timeZone: zone, ...options }).format(at);
}

/** "2026-11-30" as the calendar of that zone has it. */
function isoDay(at, zone) {
  return new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).format(at);
}

/** Slack writes "November 30th, 2026". */
function withOrdinal(at, zone, options) {
  const parts = new Intl.DateTimeFormat(LOCALE, { timeZone: zone, ...options }).formatToParts(at);
  return parts.map((piece) => (piece.type === "day" ? piece.value + ordinal(Number(piece.value)) : piece.value)).join("");
}

function ordinal(day) {
  if (day >= 11 && day <= 13) return "th";
  return { 1: "st", 2: "nd", 3: "rd" }[day % 10] ?? "th";
}

function nearDay(at, zone, now) {
  const days = Math.round((Date.parse(isoDay(at, zone)) - Date.parse(isoDay(now, zone))) / DAY_MS);
  return { "-1": "yesterday", 0: "today", 1: "tomorrow" }[days] ?? null;
}

function ago(at, now) {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const units = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? units[3];
  return new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" }).format(Math.trunc(seconds / size), unit);
}

/** "Today", "Yesterday" or the long date: the line between two days of messages. */
export function dayName(at, { zone, now = Date.now() } = {}) {
  const near = nearDay(at, zone, new Date(now));
  return near === null ? TOKENS.date_long(at, zone) : near[0].toUpperCase() + near.slice(1);
}

/** "14:02" */
export function clockTime(at, zone) {
  return TOKENS.time(at, zone);
}

/** A `time` element for a rich text date; its words are renewed by `renewDates`, because "today" ends at midnight. */
export function dateNode(element, zone) {
  const text = formatDate(element.timestamp, element.format, { zone });
  const shown = text ?? element.fallback ?? String(element.timestamp);
  const at = new Date(Number(element.timestamp) * 1000);
  const valid = !Number.isNaN(at.getTime());
  return el("time", {
    datetime: valid ? at.toISOString() : null,
    title: valid ? part(at, zone, { dateStyle: "full", timeStyle: "long" }) : null,
    data: text === null ? {} : { timestamp: element.timestamp, format: element.format },
    text: shown,
  });
}

/** Write the words of every date on the page again. */
export function renewDates(root, zone) {
  for (const node of root.querySelectorAll("time[data-format]")) {
    const text = formatDate(node.dataset.timestamp, node.dataset.format, { zone });
    if (text !== null && text !== node.textContent) node.textContent = text;
  }
}
