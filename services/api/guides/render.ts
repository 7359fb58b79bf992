import { setImmediate as nextTurn } from "node:timers/promises"
import { Marked, type Tokens } from "marked"
import { html, type Html } from "../../common/pages/html.ts"
import { coloured } from "./code-colours.ts"
import { addressOfLink, BASE, resolved } from "./guide-pages.ts"
import { slug } from "./slug.ts"

export type Heading = { depth: number; title: string; anchor: string }

/** A document as HTML, with its headings. */
export type Rendered = { body: Html; headings: readonly Heading[] }

/** Pictures that are drawn again for a narrow screen, where their text would be too small to read. */
const NARROW: { readonly [file: string]: string } = { "docs/overview.svg": `${BASE}/overview-narrow.svg` }

/**
 * Renders a document, one part a turn: requests for signatures pass between them. `file` is its path from the top of the
 * installation. Documents contain no HTML: what looks like an element is shown as text, and comments are left out.
 */
export async function render(text: string, file: string): Promise<Rendered> {
  const headings: Heading[] = []
  const marked = rendererOf(file, headings)
  let body = ""
  for (const part of partsOf(text)) {
    body += marked.parse(part, { async: false })
    await nextTurn()
  }
  return { body: { html: body }, headings }
}

/** The document, split before its headings of the second depth. */
function partsOf(text: string): string[] {
  const parts = [""]
  let isCode = false
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode
    if (!isCode && line.startsWith("## ")) parts.push("")
    parts.push(`${parts.pop()}${line}\n`)
  }
  return parts
}

/** Adds the headings of a part to those before it. */
function rendererOf(file: string, headings: Heading[]): Marked {
  return new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const title = this.parser.parseInline(tokens, this.parser.textRenderer)
        const anchor = unusedAnchor(slug(plain(title)), headings)
        headings.push({ depth, title: plain(title), anchor })
        const link = html`<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`
        const words = this.parser.parseInline(tokens)
        return `<h${depth} id="${anchor}">${words}${depth > 1 ? ` ${link.html}` : ""}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        const address = addressOfLink(href, file)
        return address === undefined ? words : html`<a href="${address}">${{ html: words }}</a>`.html
      },
      image: (token) => picture(token, file).html,
      code: (token) => codeBlock(token).html,
      table(token) {
        const cells = (row: readonly Tokens.TableCell[], tag: string) =>
          `<tr>${row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`
        const head = token.header.some(({ text }) => text !== "")
          ? `<thead>${cells(token.header, "th")}</thead>`
          : ""
        const rows = token.rows.map((row) => cells(row, "td")).join("\n")
        return `<div class="scroll" tabindex="0"><table>${head}<tbody>\n${rows}\n</tbody></table></div>\n`
      },
      html: ({ text }) => (text.startsWith("<!--") ? "" : html`${text}`.html),
    },
  })
}

function picture({ href, text }: Tokens.Image, file: string): Html {
  const path = resolved(href, file)
  const narrow = NARROW[path]
  const image = html`<img src="${BASE}/${path.replace(/^docs\//, "")}" alt="${text}">`
  return narrow === undefined
    ? image
    : html`<picture><source media="(max-width: 600px)" srcset="${narrow}">${image}</picture>`
}

function codeBlock({ text, lang = "" }: Tokens.Code): Html {
  return html`<div class="code" data-language="${lang}"><pre tabindex="0"><code>${coloured(text, lang)}</code></pre></div>
`
}

/** A second heading of the same words gets a number, as the usual hosts of Git repositories give it. */
function unusedAnchor(anchor: string, before: readonly Heading[]): string {
  const used = new Set(before.map((heading) => heading.anchor))
  if (!used.has(anchor)) return anchor
  let number = 1
  while (used.has(`${anchor}-${number}`)) number++
  return `${anchor}-${number}`
}

const SIGNS: { readonly [entity: string]: string } = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
}

/** The text of a title that the library escaped. */
const plain = (title: string): string =>
  title.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => SIGNS[entity] ?? "")
