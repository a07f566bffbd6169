/** Where the page begins: the views, the way between them, the colours, and keys that work everywhere. */

import { readAddress, visit, writeAddress } from "./common/address.js";
import { attempt } from "./common/announce.js";
import { byId } from "./common/elements.js";
import { holding } from "./common/holding.js";
import { Newest } from "./common/newest.js";
import { currentTheme, onThemeChange, switchTheme } from "./common/theme.js";

/** @typedef {import("./common/address.js").ViewName} ViewName */

/**
 * @typedef {Object} View
 * @property {HTMLElement} element
 * @property {(address: import("./common/address.js").Address) => Promise<void>} enter
 * @property {() => void} leave
 * @property {(event: KeyboardEvent) => void} [onKey]
 */

/** A view is loaded when it is first seen. @type {Record<ViewName, () => Promise<View>>} */
const VIEWS = {
  play: async () => new (await import("./play/play.js")).PlayView(),
  study: async () => new (await import("./study/study.js")).StudyView(),
  learn: async () => new (await import("./learn/learn.js")).LearnView(),
};
const TITLES = { play: "Play", study: "Study", learn: "Watch it learn" };

/** @type {Partial<Record<ViewName, Promise<View>>>} */
const loaded = {};
/** @type {View | null} */
let current = null;
const arrivals = new Newest();

/** @param {ViewName} name */
function load(name) {
  const loading = (loaded[name] ??= VIEWS[name]());
  loading.catch(() => delete loaded[name]); // it is asked for again
  return loading;
}

async function showAddress() {
  const newest = arrivals.begin();
  const address = readAddress();
  const view = await attempt(() => load(address.view));
  if (!view || !newest()) return;
  if (current !== view) {
    current?.leave();
    current = view;
    byId("view").replaceChildren(view.element);
  }
  document.title = `${TITLES[address.view]} · boardzero`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("data-view") === address.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  await holding(view.element, () => attempt(() => view.enter(address)));
}

/** @param {MouseEvent} event  a link to another view */
function follow(event) {
  const link = /** @type {Element} */ (event.target).closest("a[data-view]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const view = /** @type {ViewName} */ (link.getAttribute("data-view"));
  if (readAddress().view !== view) visit(writeAddress(view));
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const target = /** @type {Element} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, dialog")) return;
  if (!current?.element.inert) current?.onKey?.(event);
}

function nameThemeButton() {
  byId("theme").setAttribute("aria-label", currentTheme() === "dark" ? "Use light colours" : "Use dark colours");
}

nameThemeButton();
onThemeChange(nameThemeButton);
byId("theme").addEventListener("click", switchTheme);
document.addEventListener("click", follow);
document.addEventListener("keydown", onKey);
window.addEventListener("popstate", showAddress);
window.addEventListener("visit", showAddress);
showAddress();
