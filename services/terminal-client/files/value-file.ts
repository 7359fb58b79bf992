import { readFile } from "node:fs/promises"
import { buffer } from "node:stream/consumers"
import { parseStrictJson, StrictJsonError } from "../../../proto/strict-json.ts"
import { counted } from "../../../signer/core/counted.ts"
import { type CliError, usage } from "../exit.ts"
import { pathText } from "../path-text.ts"
import type { SyntaxFault } from "./places.ts"

/** A mistake in a file, at the member with this path. */
export type FileFault = { path: readonly PropertyKey[]; sentence: string; atName?: boolean }

/** The value of a file in YAML or JSON, and the places of its members. */
export type ValueFile = {
  value: unknown
  /** `policies.yaml:12:5`: the place of a member; of the nearest object around it, if it is missing. */
  placeOf: (path: readonly PropertyKey[], atName?: boolean) => string
  /** Fails with all of these mistakes, if there are any. @throws {CliError} usage */
  refuse: (faults: readonly FileFault[]) => void
}

/** Larger files are refused: an organization's document has at most 2 MiB, its interfaces 40 MB. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * Reads a file in YAML or JSON, or standard input for `-`.
 *
 * @param guide document that explains the form of the file
 * @throws {CliError} usage, with every mistake of syntax
 */
export async function readValueFile(file: string, guide: string): Promise<ValueFile> {
  const text = await readText(file)
  // Loaded here: most commands read no file.
  const { lineAndColumn, offsetOf, readYaml } = await import("./places.ts")
  const name = file === "-" ? "standard input" : file
  const at = (offset: number) => `${name}:${lineAndColumn(text, offset)}`
  const json = readJson(text)
  const yaml = json?.fault === undefined && json !== undefined ? undefined : readYaml(text)
  const faults = yaml === undefined || yaml.faults.length === 0 ? [] : faultsOf(json?.fault, yaml.faults)
  const lines = faults.map(({ sentence, offset }) => `${at(offset)}: ${sentence}`)
  if (lines.length > 0) throw faultOfFile(name, guide, lines)
  // The places of a text in JSON are needed for faults alone.
  let document = yaml?.document
  const placeOf = (path: readonly PropertyKey[], atName = false) => {
    document ??= readYaml(text).document
    return at(offsetOf(document, path, atName))
  }
  const refuse = (all: readonly FileFault[]) => {
    if (all.length === 0) return
    const sentences = all.map(
      ({ path, sentence, atName = false }) =>
        `${placeOf(path, atName)}: ${pathText(path) || "the file"} ${sentence}`,
    )
    throw faultOfFile(name, guide, sentences)
  }
  return { value: yaml === undefined ? json?.value : yaml.value, placeOf, refuse }
}

/** For a text that looks like JSON, the JSON reader's sentence is clearer than the YAML reader's. */
function faultsOf(json: SyntaxFault | undefined, yaml: readonly SyntaxFault[]): readonly SyntaxFault[] {
  return json === undefined ? yaml : [json]
}

/** Undefined: the text does not begin as an object or a list of JSON. */
function readJson(text: string): { value?: unknown; fault?: SyntaxFault } | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    return { value: parseStrictJson(text) }
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    const sentence = error.message.replace(/ \(at position \d+\)$/, "")
    return { fault: { sentence, offset: error.position } }
  }
}

async function readText(file: string): Promise<string> {
  const bytes = await (file === "-" ? buffer(process.stdin) : readFile(file)).catch(
    (cause: NodeJS.ErrnoException) => {
      throw unreadable(file, cause)
    },
  )
  if (bytes.length <= MAX_BYTES) return bytes.toString("utf8")
  throw usage(`${file} has ${bytes.length} bytes; at most ${MAX_BYTES} are read`)
}

/** The fault of a file that is not there or must not be read. */
export function unreadable(file: string, cause: NodeJS.ErrnoException): CliError {
  const sentence = `${file} cannot be read (${cause.code ?? cause.message}); name a file in YAML or JSON`
  return usage(sentence, { cause })
}

function faultOfFile(name: string, guide: string, lines: readonly string[]): CliError {
  const [first = "", ...others] = lines
  if (others.length === 0) return usage(first)
  const sentence = `${name} has ${counted(lines.length, "mistake")} (${guide}):`
  return usage([sentence, ...lines.map((line) => `  ${line}`)])
}
