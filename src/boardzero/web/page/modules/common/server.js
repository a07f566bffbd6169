/**
 * Talking to the server: questions, commands, and streams of events. Refusals are errors whose message is the server's
 * sentence.
 */

export class Refusal extends Error {
  /** @param {string} sentence @param {number} status */
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

/** @typedef {Record<string, string | number | null | undefined>} Query  null, undefined and "" are left out */

const ANSWER_MILLISECONDS = 60_000; // that an answer may take: a server that hangs must not keep a button for ever
export const LONG_MILLISECONDS = 150_000; // where the server has to search, or to start a training

/**
 * @param {string} path  below /api
 * @param {Query} [query]
 * @param {number} [patience]  milliseconds
 * @returns {Promise<any>}
 */
export function ask(path, query = {}, patience = ANSWER_MILLISECONDS) {
  return answerOf(addressOf(path, query), { headers: { Accept: "application/json" } }, patience);
}

/**
 * @param {string} path  below /api
 * @param {object} body
 * @param {number} [patience]  milliseconds
 * @returns {Promise<any>}
 */
export function send(path, body = {}, patience = ANSWER_MILLISECONDS) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  return answerOf(addressOf(path), { method: "POST", headers, body: JSON.stringify(body) }, patience);
}

const SHORTEST_MILLISECONDS = 2000;
const LONGEST_MILLISECONDS = 60_000;

/**
 * Listen to a stream until it ends or is closed; `end` and `trouble` are what streams of study finish with. A stream that
 * breaks off, or that a busy server refuses, is opened again; `open` is called each time. What can never be had (there is no
 * such game) is told as `trouble`.
 * @param {string} path  below /api
 * @param {Query} query
 * @param {Record<string, (data: any) => void>} listeners  by the kind of event
 * @returns {() => void} closes the stream
 */
export function listen(path, query, listeners) {
  /** @type {EventSource} */
  let source;
  let [timer, patience, closed] = [0, SHORTEST_MILLISECONDS, false];
  const address = addressOf(path, query);
  const open = () => {
    source = new EventSource(address);
    source.addEventListener("open", () => (patience = SHORTEST_MILLISECONDS));
    source.addEventListener("error", async () => {
      if (source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
      const sentence = await refusalOf(address);
      if (closed) return;
      if (sentence) {
        listeners.trouble?.({ error: sentence });
        return;
      }
      timer = window.setTimeout(open, patience);
      patience = Math.min(2 * patience, LONGEST_MILLISECONDS);
    });
    for (const kind of new Set([...Object.keys(listeners), "end", "trouble"])) {
      source.addEventListener(kind, (event) => {
        if (kind === "end" || kind === "trouble") source.close();
        listeners[kind]?.(JSON.parse(/** @type {MessageEvent} */ (event).data || "{}"));
      });
    }
  };
  open();
  return () => {
    closed = true;
    window.clearTimeout(timer);
    source.close();
  };
}

/**
 * Why a stream is refused for good; empty where it is worth another try. (An EventSource does not tell.)
 * @param {string} address
 * @returns {Promise<string>}
 */
async function refusalOf(address) {
  const enough = new AbortController();
  const timer = window.setTimeout(() => enough.abort(), ANSWER_MILLISECONDS);
  try {
    const response = await fetch(address, { signal: enough.signal });
    if (response.status < 400 || response.status >= 500) return "";
    return (await response.json()).error ?? `The server answered ${response.status}.`;
  } catch {
    return "";
  } finally {
    window.clearTimeout(timer);
    enough.abort();
  }
}

/** @param {string} path @param {Query} [query] */
function addressOf(path, query = {}) {
  const said = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = new URLSearchParams(said.map(([key, value]) => [key, String(value)])).toString();
  return `/api/${path}${search ? `?${search}` : ""}`;
}

/** @param {string} address @param {RequestInit} request @param {number} patience  milliseconds @returns {Promise<any>} */
async function answerOf(address, request, patience) {
  const enough = new AbortController();
  const timer = window.setTimeout(() => enough.abort(), patience);
  try {
    const response = await fetch(address, { ...request, signal: enough.signal });
    const content = contentOf(await response.text());
    if (!response.ok) throw new Refusal(content.error ?? `The server answered ${response.status}.`, response.status);
    return content;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const late = `The server has not answered for ${patience / 1000} seconds. Try again.`;
    throw new Refusal(enough.signal.aborted ? late : "The server does not answer. Is it still running?", 0);
  } finally {
    window.clearTimeout(timer);
  }
}

/** @param {string} text  JSON, unless something stands between the server and the page */
function contentOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
