/* A classic script, run before the first paint: the colours that a person chose, so that the page never flashes in others. */
try {
  const chosen = JSON.parse(window.localStorage.getItem("boardzero-theme") ?? "null");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // nothing is remembered
}
