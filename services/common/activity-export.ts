import { createHash } from "node:crypto"

/** The form of files of exported activities, docs/formats/activity-export.md. */
export const EXPORT_FORMAT = "countersign/activities/v1"

/** First line of a file. */
export type ExportHeader = {
  format: typeof EXPORT_FORMAT
  /** Number of the file, from 1 on. */
  file: number
  /** Digest of the file before, hexadecimal; "" in the first one. */
  previous: string
  /** Id of the deployment. */
  deploymentId: string
  /** Time before which the activities were final, RFC 3339. */
  before: string
}

/** Last line of a file: a file without one is incomplete. */
export type ExportEnd = { end: { activities: number } }

/** A line whose content was erased. */
export type ErasedLine = { erased: { sha256: string } }

const FILE = /^activities-([0-9]{6,})\.jsonl$/

export function exportFileName(file: number): string {
  return `activities-${String(file).padStart(6, "0")}.jsonl`
}

/** Number of a file by its name; undefined: another file. */
export function exportFileNumber(name: string): number | undefined {
  const digits = FILE.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/**
 * SHA-256 of the SHA-256 digests of a file's lines, each without its line feed. A line that was erased keeps its digest, so
 * the file keeps its own.
 */
export class ExportDigest {
  readonly #hash = createHash("sha256")

  /** @param line text without line feed */
  add(line: string): void {
    this.#hash.update(lineDigest(line))
  }

  /** Ends the file. */
  digest(): Buffer {
    return this.#hash.digest()
  }
}

/** SHA-256 of a line; of an erased one, the digest that it keeps. */
function lineDigest(line: string): Buffer {
  const kept = ERASED.exec(line)?.[1]
  return kept === undefined ? createHash("sha256").update(line).digest() : Buffer.from(kept, "hex")
}

/** An erased line has exactly this form: no other line can be taken for one. */
const ERASED = /^\{"erased":\{"sha256":"([0-9a-f]{64})"\}\}$/

export function erasedLine(line: string): string {
  return JSON.stringify({ erased: { sha256: lineDigest(line).toString("hex") } } satisfies ErasedLine)
}
