/** Sentences for people: read out by screen readers, and shown for a while where something went wrong. */

import { byId } from "./elements.js";

const SHOWN_MILLISECONDS = 6000;
let timer = 0;

/**
 * Said by screen readers when they are free; not shown.
 * @param {string} sentence
 */
export function say(sentence) {
  const region = byId("spoken");
  if (region.textContent !== sentence) region.textContent = sentence;
}

/**
 * Shown at the foot of the page for a few seconds.
 * @param {string} sentence
 * @param {"news" | "trouble"} [kind]
 */
export function show(sentence, kind = "news") {
  const notice = byId("notice");
  notice.textContent = sentence;
  notice.className = `notice ${kind} visible`;
  window.clearTimeout(timer);
  timer = window.setTimeout(() => notice.classList.remove("visible"), SHOWN_MILLISECONDS);
}

/**
 * Do something that the server may refuse, and show the refusal.
 * @template Result
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result | undefined>} undefined where it was refused
 */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    show(error instanceof Error ? error.message : String(error), "trouble");
    return undefined;
  }
}
