/** What this browser remembers between visits. A browser that forbids it is no trouble: nothing is remembered then. */

const PREFIX = "boardzero-";

/**
 * @template Value
 * @param {string} key
 * @param {Value} otherwise
 * @returns {Value}
 */
export function recall(key, otherwise) {
  try {
    const text = window.localStorage.getItem(PREFIX + key);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** @param {string} key @param {unknown} value */
export function remember(key, value) {
  try {
    window.localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // a private window may refuse; the page works without
  }
}
