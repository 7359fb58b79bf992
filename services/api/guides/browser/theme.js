// Runs before the page is drawn: the chosen colours, and on a narrow screen a folded list of pages.
try {
  const chosen = localStorage.getItem("countersign.theme")
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen
} catch {
  // A browser that keeps nothing shows the colours of the system.
}
document.addEventListener("DOMContentLoaded", () => {
  if (matchMedia("(max-width: 60rem)").matches)
    document.querySelector("details.pages")?.removeAttribute("open")
})
