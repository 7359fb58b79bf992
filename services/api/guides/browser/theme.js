// Runs before the page is drawn: the chosen colours, and on a narrow screen a folded list of pages.
try {
  const chosen = localStorage.getItem("countersign.theme")
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen
} catch {
  // A browser that keeps nothing shows the colours of the system.
}
const narrow = matchMedia("(max-width: 60rem)")
// A window that becomes wide shows the list, which has no handle there.
const fold = () => document.querySelector("details.pages")?.toggleAttribute("open", !narrow.matches)
document.addEventListener("DOMContentLoaded", fold)
narrow.addEventListener("change", fold)
