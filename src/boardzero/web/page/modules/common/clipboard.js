/** Copying text, also where the page was not opened securely and browsers offer no clipboard. */

import { html } from "./elements.js";

/** @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = html("textarea", { class: "off-screen" }, text);
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
