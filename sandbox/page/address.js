/**
 * Where this window is, in the address after `#`: `#/U07…/C07…`, or `#/U07…/home`. So two windows can be two people,
 * and a reload stays where it was.
 */
export function readAddress(hash = window.location.hash) {
  const [, me, place] = /^#\/([A-Z0-9-]+)(?:\/([A-Za-z0-9]+))?/.exec(hash) ?? [];
  return { me: me ?? null, place: place ?? null };
}

export function writeAddress(me, place) {
  return place ? `#/${me}/${place}` : `#/${me}`;
}

/**
 * A window opened on a permalink is served this page, too; its address becomes a place in the channel.
 *
 * @returns {{channel: string, ts: string} | null} the message
 */
export function settleAddress() {
  const target = permalink(window.location.href);
  if (target !== null) window.history.replaceState(null, "", `/#/-/${target.channel}`);
  return target;
}

/**
 * The message a link leads to, if it is a permalink (`…/archives/C07…/p1764511320000100`) of a Slack workspace or of
 * this sandbox.
 *
 * @returns {{channel: string, ts: string} | null}
 */
export function permalink(href) {
  const url = new URL(href, window.location.href);
  const ours = url.host === window.location.host || url.hostname.endsWith(".slack.com");
  const match = ours ? /\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})$/.exec(url.pathname) : null;
  return match ? { channel: match[1], ts: `${match[2]}.${match[3]}` } : null;
}
