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

/** Faults whose own words say no next step, by name and message. */
const NEXT_STEPS: readonly (readonly [fault: RegExp, words: string])[] = [
  [
    /^NotAllowedError:/,
    "No passkey was used: the request was cancelled or took too long, or this browser has no passkey for this page. Try again, or create a passkey.",
  ],
  [/^InvalidStateError:/, "This device has this passkey already. Use it."],
  [
    /credential ID could not be found/,
    "The service does not know this passkey: it may be older than the last `npm start -- --reset`. Choose another one, or create a passkey.",
  ],
]

/** A next step where one is known. Else the kit names the step that failed, and its cause is the reason. */
function reasonOf(error: unknown): string {
  const chain = causesOf(error)
  const [, known] =
    NEXT_STEPS.find(([fault]) => chain.some(({ name, message }) => fault.test(`${name}: ${message}`))) ?? []
  return known ?? chain.map(sentenceOf).join(": ")
}

function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}

/** The details of a message are for programs. */
function sentenceOf({ message }: Error): string {
  return (message.split(" (Details")[0] ?? message).replace(/\.$/, "")
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
