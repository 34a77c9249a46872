/**
 * The stream of changes. It only says that something changed; what changed is then read. After a break everything is
 * read again, so nothing is missed.
 */
const RETRY_MS = 1500;

export class Stream {
  /**
   * @param {string} url address of the event stream
   * @param {{onChange: (event: object) => void, onLive: (live: boolean) => void}} handlers
   */
  constructor(url, { onChange, onLive }) {
    this.url = url;
    this.onChange = onChange;
    this.onLive = onLive;
    this.closed = false;
    this.#connect();
  }

  #connect() {
    const source = new EventSource(this.url);
    this.source = source;
    source.addEventListener("open", () => {
      this.onLive(true);
      this.onChange({});
    });
    source.addEventListener("message", (event) => this.onChange(parse(event.data)));
    source.addEventListener("error", () => {
      if (this.closed) return;
      this.onLive(false);
      // The browser retries a broken stream itself, but gives up on an error page.
      if (source.readyState === EventSource.CLOSED) this.timer = setTimeout(() => this.#connect(), RETRY_MS);
    });
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.source.close();
  }
}

function parse(data) {
  try {
    return JSON.parse(data);
  } catch {
    return {};
  }
}
