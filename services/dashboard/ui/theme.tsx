import { computed, signal } from "@preact/signals"
import { Icon } from "./icon.tsx"

const KEPT = "countersign.theme"
const query = matchMedia("(prefers-color-scheme: dark)")
const theme = signal(localStorage.getItem(KEPT) ?? "")
const isSystemDark = signal(query.matches)
query.addEventListener("change", () => (isSystemDark.value = query.matches))

export const isDark = computed(() => (theme.value === "" ? isSystemDark.value : theme.value === "dark"))

/** The switch wins over the system's choice, until it agrees with it again. */
export function applyTheme(): void {
  const root = document.documentElement
  if (theme.value === "") delete root.dataset["theme"]
  else root.dataset["theme"] = theme.value
}

export function ThemeSwitch() {
  const dark = isDark.value
  const turn = () => {
    const next = dark ? "light" : "dark"
    theme.value = (next === "dark") === query.matches ? "" : next
    if (theme.value === "") localStorage.removeItem(KEPT)
    else localStorage.setItem(KEPT, theme.value)
    applyTheme()
  }
  const label = dark ? "Light colours" : "Dark colours"
  return (
    <button type="button" class="button plain tight" aria-label={label} title={label} onClick={turn}>
      <Icon name={dark ? "sun" : "moon"} />
    </button>
  )
}
