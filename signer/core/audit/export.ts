// An export of the audit stream: a first line with the log's proof, then the records as they were written.
import { isJsonObject, parseStrictJson } from "../../../proto/strict-json.ts"
import type { AuditBinding } from "./bound.ts"

export const AUDIT_EXPORT = "countersign-audit/1"

/** The first line of an export. */
export function writeExportHeader({ range, leaves, ...binding }: AuditBinding): string {
  const header = {
    format: AUDIT_EXPORT,
    ...binding,
    range: range.map(hexOf),
    leaves: leaves.map(hexOf),
  }
  return JSON.stringify(header)
}

/** The proof in the first line of an export; undefined: the line is none, for example the first record. */
export function readExportHeader(line: string): AuditBinding | undefined {
  const json = objectOf(line)
  if (json?.["format"] !== AUDIT_EXPORT) return undefined
  const { checkpoint, logKeyStatement, logKeySignature, first, number } = json
  const [range, leaves] = [bytesIn(json["range"]), bytesIn(json["leaves"])]
  if (typeof checkpoint !== "string" || typeof logKeyStatement !== "string") return undefined
  if (typeof logKeySignature !== "string" || range === undefined || leaves === undefined) return undefined
  if (!isCount(first) || !isCount(number)) return undefined
  return { checkpoint, logKeyStatement, logKeySignature, first, range, leaves, number }
}

/** More than the leaves that a signer shows. */
const LIMITS = { maxDepth: 3, maxValues: 100_000 }

function objectOf(line: string) {
  try {
    const value = parseStrictJson(line, LIMITS)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const isHex = (one: unknown): one is string => typeof one === "string" && /^(?:[0-9a-f]{2})*$/.test(one)

function bytesIn(value: unknown): Uint8Array[] | undefined {
  return Array.isArray(value) && value.every(isHex) ? value.map((hex) => Buffer.from(hex, "hex")) : undefined
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
