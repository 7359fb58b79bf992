import { signal } from "@preact/signals"

const text = signal("")
let timer: ReturnType<typeof setTimeout> | undefined

/** Says in passing that something was done. */
export function toast(sentence: string): void {
  text.value = sentence
  clearTimeout(timer)
  timer = setTimeout(() => (text.value = ""), 2500)
}

export function Toasts() {
  return (
    <div role="status" aria-live="polite">
      {text.value !== "" && <div class="toast">{text.value}</div>}
    </div>
  )
}
