/* A classic script, run before the first paint, so that the page never flashes in other colours: light or dark as a person chose,
   otherwise as the system has it. */
(() => {
  const systemIsDark = window.matchMedia("(prefers-color-scheme: dark)");

  function chosen() {
    try {
      const theme = JSON.parse(window.localStorage.getItem("boardzero-theme") ?? "null");
      return theme === "light" || theme === "dark" ? theme : null;
    } catch {
      return null; // nothing is remembered
    }
  }

  function show() {
    document.documentElement.dataset.theme = chosen() ?? (systemIsDark.matches ? "dark" : "light");
    document.dispatchEvent(new Event("themechange"));
  }

  show();
  systemIsDark.addEventListener("change", show);
})();
