import { html, type Html } from "../../common/pages/html.ts"

const QUOTED = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`(?:[^`\\\\]|\\\\.)*`"
const SLASHES = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`
const HASH = String.raw`(?<![^\s])#[^\n]*`
const words = (text: string) => String.raw`(?<![.\w])(?:${text.trim().replaceAll(/\s+/g, "|")})\b`

const TYPESCRIPT =
  words(`async await class const else export extends for from function if import in let new of return
  switch throw try catch type while`)
const GO = words(
  `break case const defer else for func go if import map package range return struct switch type var`,
)
const PYTHON = words(
  `as async await class def elif else except for from if import in not return try while with`,
)
const RUST = words(`async await else enum fn for if impl let match mod mut pub return struct use while`)
const SHELL = words("case do done else esac export fi for function if in then while")

/** How comments and keywords of a language look. Strings are alike in all of them. */
const LANGUAGES: { readonly [language: string]: { comment: string; keyword?: string } } = {
  dockerfile: { comment: HASH },
  go: { comment: SLASHES, keyword: GO },
  ini: { comment: String.raw`(?<![^\n])[#;][^\n]*` },
  js: { comment: SLASHES, keyword: TYPESCRIPT },
  json: { comment: SLASHES },
  proto: {
    comment: SLASHES,
    keyword: words("enum import message option optional repeated rpc service syntax"),
  },
  python: { comment: HASH, keyword: PYTHON },
  rust: { comment: SLASHES, keyword: RUST },
  shell: { comment: HASH, keyword: SHELL },
  toml: { comment: HASH },
  ts: { comment: SLASHES, keyword: TYPESCRIPT },
  yaml: { comment: HASH, keyword: String.raw`(?<=^|\n)[ \t]*(?:- )?[\w.-]+(?=:(?:\s|$))` },
}

/** Code whose comments, strings and keywords have a class of the style. A block of another language is shown as it is. */
export function coloured(code: string, language: string): Html {
  const rules = LANGUAGES[language]
  if (rules === undefined) return html`${code}`
  const { comment, keyword = "(?!)" } = rules
  const parts = new RegExp(`(?<c>${comment})|(?<s>${QUOTED})|(?<k>${keyword})`, "g")
  const pieces: Html[] = []
  let end = 0
  for (const { 0: text, index, groups = {} } of code.matchAll(parts)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? ""
    pieces.push(html`${code.slice(end, index)}<span class="${kind}">${text}</span>`)
    end = index + text.length
  }
  return html`${pieces}${code.slice(end)}`
}
