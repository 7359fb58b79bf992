// Forms, buttons and faults of the examples' pages.

/** Does it when the form is sent. */
export function onSubmit(id: string, act: () => Promise<void>): void {
  element(id).addEventListener("submit", (event) => {
    event.preventDefault()
    void attempt(act)
  })
}

/** Does it when the button is pressed. */
export function onClick(id: string, act: () => Promise<void>): void {
  element(id).addEventListener("click", () => void attempt(act))
}

/** Does one thing at a time, and says why it failed in the element `fault`. */
export async function attempt(act: () => Promise<void>): Promise<void> {
  const fault = element("fault")
  const buttons = document.querySelectorAll("button")
  fault.hidden = true
  for (const button of buttons) button.disabled = true
  try {
    await act()
  } catch (error) {
    fault.textContent = `✗ ${reasonOf(error)}`
    fault.hidden = false
  } finally {
    for (const button of buttons) button.disabled = false
  }
}

/** The kit names the step that failed; its cause is the reason. The details after it are for programs. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  const sentence = (message.split(" (Details")[0] ?? message).replace(/\.$/, "")
  return cause instanceof Error ? `${sentence}: ${reasonOf(cause)}` : sentence
}

/** @throws if the page has no such element */
export function element(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no element ${id}`)
  return found
}

/** A field of a form. */
export function field(id: string): HTMLInputElement {
  return element(id) as HTMLInputElement
}
