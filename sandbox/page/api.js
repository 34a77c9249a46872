/**
 * The control API of the sandbox, as functions. Every call is made as one person, the `as` of this page.
 */
export class Api {
  /** @param {string} me id of the person this page is */
  constructor(me) {
    this.me = me;
  }

  people() {
    return get("/sandbox/people");
  }

  state() {
    return get(`/sandbox/state?as=${encodeURIComponent(this.me)}`);
  }

  channel(id) {
    return get(`/sandbox/channel/${encodeURIComponent(id)}?as=${encodeURIComponent(this.me)}`);
  }

  streamUrl() {
    return `/sandbox/stream?as=${encodeURIComponent(this.me)}`;
  }

  /** A click or a choice. `action`: {surface, channel?, ts?, view_id?, block_id, action_id, value, state}. */
  act(action) {
    return this.#post("act", action);
  }

  submit(viewId, state) {
    return this.#post("submit", { view_id: viewId, state });
  }

  /** Close the view on top, or the whole stack. */
  close(viewId, { everything }) {
    return this.#post("close", { view_id: viewId, clear: everything });
  }

  /** A notice was shown: the server may forget it. */
  dismiss(id) {
    return this.#post("dismiss", { id });
  }

  command(channel, command, text) {
    return this.#post("command", { channel, command, text });
  }

  message(channel, text) {
    return this.#post("message", { channel, text });
  }

  openHome() {
    return this.#post("home", {});
  }

  /** Options of an external select: {options} or {option_groups} or {ok: false, warning}. */
  options(question) {
    return this.#post("options", question);
  }

  #post(name, body) {
    return post(`/sandbox/${name}`, { as: this.me, ...body });
  }
}

/** Nothing, or nothing readable, came back. */
export class Unanswered extends Error {}

/** Throws Unanswered. */
async function get(path) {
  try {
    const response = await fetch(path, { headers: { Accept: "application/json" }, cache: "no-store" });
    if (response.ok) return await response.json();
    throw new Unanswered(`${path} answered ${response.status}`);
  } catch (problem) {
    throw problem instanceof Unanswered ? problem : new Unanswered(`${path}: ${problem.message}`);
  }
}

/** POST never throws: a lost server is an outcome like any other, `{ok: false, warning}`. */
async function post(path, body) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.json().catch(() => null);
    if (answer !== null && typeof answer === "object") {
      return { ...answer, ok: response.ok && answer.ok !== false && !answer.warning, warning: answer.warning ?? answer.error };
    }
    return { ok: false, warning: `The sandbox answered ${response.status}.` };
  } catch {
    return { ok: false, warning: "The sandbox cannot be reached. Is it still running?" };
  }
}
