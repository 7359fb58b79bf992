/** HTML text that is safe to put into a page. Only this module makes it. */
export type Html = { readonly html: string }

type Part = string | number | Html | readonly Html[]

/** A template of HTML: every text in it is escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const [first = "", ...rest] = strings
  return { html: first + rest.map((text, index) => write(parts[index] ?? "") + text).join("") }
}

/** Text in which `code spans` are marked as in Markdown. */
export function prose(text: string): Html {
  const parts = text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
  return html`${parts}`
}

function write(part: Part): string {
  if (typeof part === "number") return String(part)
  if (typeof part === "string") return part.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")
  return "html" in part ? part.html : part.map((one) => one.html).join("")
}

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}
