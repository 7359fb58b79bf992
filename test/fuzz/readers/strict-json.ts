// Strict JSON beside JSON.parse, with a second finder of names that occur twice.
import { readdirSync, readFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import { parseStrictJson, parseStrictJsonBytes, StrictJsonError } from "../../../proto/strict-json.ts"
import { publishedFile } from "../../harness/vectors.ts"
import { Difference, type Reader, requireSame, requireTrue, valueOf } from "../engine/reader.ts"
import { json } from "../formats/json.ts"

/** Small enough for inputs to reach them. */
const LIMITS = { maxDepth: 6, maxValues: 60 }

type Read = { bytes: unknown; limited: unknown }

export const strictJson: Reader<Read> = {
  format: json,
  seeds() {
    const { path } = publishedFile("json-test-suite/test_parsing")
    const suite = existsSync(path) ? readdirSync(path).map((name) => readFileSync(join(path, name))) : []
    return [
      ...suite,
      '{"a":[1,-0,1e2,true,null,"\\ud83d\\ude00"],"\\u0062":{"c":""}}',
      '{"2":1,"1":2}',
      '["\\\\ud800"]',
    ]
  },
  read: (input) => ({ bytes: parseStrictJsonBytes(input), limited: limited(input.toString("latin1")) }),
  isRefusal: (error) => error instanceof StrictJsonError,
  judge(input, outcome) {
    const read = valueOf(outcome)
    const text = textOf(input)
    const judged = text === undefined ? undefined : judge(text)
    if (read === undefined) requireTrue(judged === undefined, "JSON with one reading is refused")
    else if (judged === undefined) throw new Difference("text without one reading is accepted")
    else requireSame(JSON.stringify(read.bytes), JSON.stringify(judged.value), "another value")
  },
}

/** A refusal by limits is no refusal of the text. */
function limited(text: string): unknown {
  try {
    return parseStrictJson(text, LIMITS)
  } catch (error) {
    if (error instanceof StrictJsonError) return undefined
    throw error
  }
}

function textOf(input: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(input)
  } catch {
    return undefined
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs
/** Names that JSON.parse may read as another. */
const UNPLAIN = /["\\\p{Cc}]/u
const MAX_DEPTH = 64

/** The value by JSON.parse; undefined where it, or a name that occurs twice, leaves no reading or two. */
function judge(text: string): { value: unknown } | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  /** Names of each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = []
  const tokens = text.match(TOKEN) ?? []
  for (const [index, token] of tokens.entries()) {
    if (token === "{") open.push(new Set())
    else if (token === "[") open.push(undefined)
    else if (token === "}" || token === "]") open.pop()
    else if (token.startsWith('"')) {
      const content = JSON.parse(token) as string
      if (!content.isWellFormed()) return undefined
      if (tokens[index + 1] !== ":") continue
      const names = open.at(-1)
      const isEscaped = token.length !== content.length + 2
      if (names?.has(content) !== false || (isEscaped && UNPLAIN.test(content))) return undefined
      names.add(content)
    } else if (/^-?\d/.test(token) && !Number.isFinite(Number(token))) return undefined
    if (open.length > MAX_DEPTH) return undefined
  }
  return { value }
}
