// Runs before the first paint, so that a dark page never flashes white. A file of
// its own, since the server's content security policy allows no inline script.
(function () {
  var chosen = null;
  var language = null;
  try {
    chosen = localStorage.getItem("goblinlab-scheme");
    language = localStorage.getItem("goblinlab-language");
  } catch {
    // Storage is switched off: the system decides.
  }
  var dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
  if (language) document.documentElement.lang = language;
})();
