// Files of inputs, one on each line: printable ASCII between quotes as JSON, other bytes in hexadecimal.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Corpora in the repository: the inputs that tests replay. */
const KEPT = join(import.meta.dirname, "..", "corpora")
/** Corpora that grow with each run on this machine. Git ignores them. */
const GROWN = join(import.meta.dirname, "..", "..", "..", ".fuzz")

export const keptFile = (reader: string) => join(KEPT, `${reader}.txt`)
export const grownFile = (reader: string) => join(GROWN, `${reader}.txt`)

export function readInputs(file: string): Buffer[] {
  if (!existsSync(file)) return []
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map(inputOf)
}

/** The input of a line; `-` is the empty one. */
export function inputOf(line: string): Buffer {
  if (line.startsWith('"')) return Buffer.from(JSON.parse(line) as string, "latin1")
  return line === "-" ? Buffer.alloc(0) : Buffer.from(line, "hex")
}

/** Adds the input of a finding to the reader's corpus in the repository. */
export function keepFinding(reader: string, input: Buffer): void {
  writeInputs(keptFile(reader), [...readInputs(keptFile(reader)), input])
}

export function writeInputs(file: string, inputs: readonly Buffer[]): void {
  mkdirSync(dirname(file), { recursive: true })
  const lines = new Set(inputs.map(lineOf))
  writeFileSync(file, [...lines].map((line) => `${line}\n`).join(""))
}

export function lineOf(input: Buffer): string {
  if (input.length === 0) return "-"
  const text = input.toString("latin1")
  return /^[\t\n\r\x20-\x7e]+$/.test(text) ? JSON.stringify(text) : input.toString("hex")
}
