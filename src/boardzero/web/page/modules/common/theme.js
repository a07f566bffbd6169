/** Light and dark: as the system has it, until a person chooses. `first_colours.js` shows both, from the first paint on. */

import { remember } from "./memory.js";

/** @returns {"light" | "dark"} */
export function currentTheme() {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

/** @param {(theme: "light" | "dark") => void} listener  called whenever the colours change */
export function onThemeChange(listener) {
  document.addEventListener("themechange", () => listener(currentTheme()));
}

export function switchTheme() {
  const theme = currentTheme() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  remember("theme", theme);
  document.dispatchEvent(new Event("themechange"));
}
