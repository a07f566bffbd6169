/**
 * The address of the page says what it shows, so that a link or a reload brings it back:
 *
 *     /play/ID?game=connect4&moves=4453&first=human&second=random
 *                                           a live game; where the server no longer knows it, the position is played on
 *     /study?game=connect4&moves=4453&ply=2 a game being studied, at one of its positions
 *     /learn/RUN                            a training run
 */

/** @typedef {"play" | "study" | "learn"} ViewName */

/**
 * @typedef {Object} Address
 * @property {ViewName} view
 * @property {string} id  of a live game or a run, or empty
 * @property {Record<string, string>} query
 */

/** @returns {Address} */
export function readAddress() {
  const [, view = "", id = ""] = window.location.pathname.split("/");
  const known = view === "study" || view === "learn" ? view : "play";
  return { view: known, id: decodeURIComponent(id), query: Object.fromEntries(new URLSearchParams(window.location.search)) };
}

/**
 * @param {ViewName} view
 * @param {string} [id]
 * @param {Record<string, string | number | null | undefined>} [query]
 * @returns {string}
 */
export function writeAddress(view, id = "", query = {}) {
  const said = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = new URLSearchParams(said.map(([key, value]) => [key, String(value)])).toString();
  return `/${view}${id ? `/${encodeURIComponent(id)}` : ""}${search ? `?${search}` : ""}`;
}

/** @param {string} address  from now on what a reload brings back */
export function keepAddress(address) {
  if (address !== window.location.pathname + window.location.search) window.history.replaceState(null, "", address);
}

/** @param {string} address  go there, so that the back button leads here again */
export function visit(address) {
  window.history.pushState(null, "", address);
  window.dispatchEvent(new Event("visit"));
}
