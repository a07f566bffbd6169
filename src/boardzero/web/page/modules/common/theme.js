/** Light and dark: as the system has it, until a person chooses (`first_colours.js` brings the choice back). */

import { remember } from "./memory.js";

/** @returns {"light" | "dark"} */
export function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** @param {(theme: "light" | "dark") => void} listener  called whenever the colours change */
export function onThemeChange(listener) {
  document.addEventListener("themechange", () => listener(currentTheme()));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => listener(currentTheme()));
}

export function switchTheme() {
  const theme = currentTheme() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  remember("theme", theme);
  document.dispatchEvent(new Event("themechange"));
}
