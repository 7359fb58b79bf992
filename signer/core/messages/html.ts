import { messageFault } from "./template.ts"

/** Elements of text, tables and pictures. None runs a script, holds a document, sends a form or loads a style sheet. */
const ELEMENTS = words(
  "html head body title meta div p span a img br hr h1 h2 h3 h4 h5 h6 ul ol li strong b em i u s small sup sub center font",
  "table thead tbody tfoot tr td th caption blockquote pre code section header footer main article",
)

const ATTRIBUTES = words(
  "style class id align valign width height border cellpadding cellspacing bgcolor color role lang dir title alt href src",
  "target rel charset name content face size colspan rowspan",
)

/** Schemes whose addresses run code or hold a document of their own. */
export const ACTIVE_SCHEMES: ReadonlySet<string> = words("javascript: data: vbscript: blob: file:")

/** Ending of a style's text before a bracket: a function of CSS that loads nothing. */
const CSS_FUNCTION = /(?:^|[^\w-])(?:rgba?|hsla?|calc)$/i
const CSS_FUNCTION_LENGTH = 5

const TEXT = /[^<]*/y
const DOCTYPE = /<!doctype html>/iy
const TAG = /<(\/?)([a-z][a-z0-9]{0,15})/iy
const ATTRIBUTE = /[ \t\r\n]+([a-z-]{1,16})(?:=("[^"<>]*"|'[^'<>]*'))?/iy
const TAG_END = /[ \t\r\n]*\/?>/y

/**
 * Requires that a HTML text only shows and links: known elements and attributes, values in quotes, pictures by https alone, no
 * comments, no style sheets. Anything outside this grammar is refused, so that no reader of mails sees other elements than this
 * one.
 *
 * @param secret text that no picture's address may contain: it would be sent to the picture's host
 * @throws OTP_MESSAGE_INVALID
 */
export function requireMailHtml(html: string, field: string, secret?: string): void {
  let at = 0
  const read = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(html)
    if (found !== null) at = pattern.lastIndex
    return found
  }
  const fault = (what: string) => messageFault(field, `${what}, at character ${at}`)
  for (read(DOCTYPE); ; ) {
    read(TEXT)
    if (at === html.length) return
    const [, slash, name = ""] = read(TAG) ?? []
    const element = name.toLowerCase()
    if (!ELEMENTS.has(element))
      throw fault(
        `has the element "${name}", a comment or a "<"; e-mails have text, tables, links and pictures`,
      )
    for (let found = read(ATTRIBUTE); found !== null; found = read(ATTRIBUTE)) {
      const attribute = found[1]?.toLowerCase() ?? ""
      const value = found[2]?.slice(1, -1) ?? ""
      if (slash !== "" || !ATTRIBUTES.has(attribute))
        throw fault(`has the attribute "${attribute}", which e-mails do not have`)
      const wrong = faultOfValue(element, attribute, value, secret)
      if (wrong !== undefined) throw fault(`has a ${attribute} that ${wrong}`)
    }
    if (read(TAG_END) === null) throw fault("has an element that is not closed, or a value without quotes")
  }
}

function faultOfValue(element: string, attribute: string, value: string, secret: string | undefined) {
  if (attribute === "href" && value !== "" && !isLink(value)) return "is no link: write https://..."
  if (attribute === "style" && !isStyle(value)) return "may load something: write colours, sizes and fonts"
  if (attribute !== "src" || value === "") return undefined
  if (element !== "img" || !/^https:\/\/[^\s\p{C}]+$/u.test(value)) return "is no picture: write https://..."
  return secret !== undefined && value.includes(secret) ? "tells the code to the picture's host" : undefined
}

/** The scheme is read literally: no character reference and no white space can hide another one. */
function isLink(value: string): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]*:)[^\s\p{C}]+$/iu.exec(value) ?? []
  return scheme !== undefined && !ACTIVE_SCHEMES.has(scheme.toLowerCase())
}

/** Escapes and character references could spell a function that loads. */
function isStyle(value: string): boolean {
  if (/[\\&@]/.test(value)) return false
  const beforeBrackets = value.split("(").slice(0, -1)
  return beforeBrackets.every((text) => CSS_FUNCTION.test(text.slice(-CSS_FUNCTION_LENGTH)))
}

function words(...lists: string[]): ReadonlySet<string> {
  return new Set(lists.join(" ").split(" "))
}
