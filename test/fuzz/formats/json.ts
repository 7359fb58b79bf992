import { MAX_DEPTH, type Part, type TreeFormat } from "../engine/tree.ts"

// JSON. Heads: `{` and `[`, a member's name with its colon, and nothing for other values.

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/sy

export const json: TreeFormat = {
  parse(input) {
    const text = input.toString("latin1")
    const tokens: string[] = []
    for (TOKEN.lastIndex = 0; ; ) {
      const found = TOKEN.exec(text)
      if (found === null) break
      tokens.push(found[1] ?? "")
    }
    tokens.reverse()
    return valueOf(tokens, 0)
  },
  write: (part) => Buffer.from(textOf(part), "latin1"),
}

/** The value that the last tokens begin, which are taken off. Commas are not required: broken texts have trees too. */
function valueOf(tokens: string[], depth: number): Part | undefined {
  const token = tokens.pop()
  if (token === undefined || depth > MAX_DEPTH) return undefined
  if (token !== "{" && token !== "[") return { head: "", body: Buffer.from(token, "latin1") }
  const body: Part[] = []
  for (let next = tokens.at(-1); next !== undefined; next = tokens.at(-1)) {
    if (next === "}" || next === "]" || next === ",") {
      tokens.pop()
      if (next !== ",") break
      continue
    }
    const isMember = tokens.at(-2) === ":"
    if (isMember) tokens.splice(-2)
    const value = valueOf(tokens, depth + 1)
    if (value === undefined) return undefined
    body.push(isMember ? { head: `${next}:`, body: [value] } : value)
  }
  return { head: token, body }
}

function textOf({ head, body }: Part): string {
  const text = Array.isArray(body) ? body.map(textOf).join(",") : body.toString("latin1")
  if (head === "{") return `{${text}}`
  return head === "[" ? `[${text}]` : head + text
}
