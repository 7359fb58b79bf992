// Records of the audit stream: lines of JSON, each of which names the digest of the one before (docs/formats/audit-stream.md).
import { type JsonMembers, readJsonObject } from "../../../proto/strict-json.ts"
import { sha256 } from "../log/merkle.ts"

/** Content of a record, without its number, its time and the digest of the record before it. No member has a name or a secret. */
export type AuditEvent =
  /** The signer started. `salt`: 32 random bytes, so that nobody guesses a record from its digest. */
  | { kind: "start"; release: string; codeDigest: string; salt: string }
  | { kind: "stop" }
  /** `code`: why the signer halted; absent in other phases. */
  | { kind: "phase"; phase: string; code?: string }
  /**
   * An act of an operator or a holder begins. `subject`: public key or organization that it is for. `holders`: numbers of those whose
   * approvals came along. `leaf`: value of the leaf that the log has of an approved act.
   */
  | {
      kind: "act"
      call: string
      subject?: string
      holders?: readonly number[]
      leaf?: string
      evidence?: string
    }
  /** The act with the number `act` has ended. `outcome`: "done", or the code of the refusal. `shares`: numbers of shares that wait. */
  | { kind: "outcome"; act: number; outcome: string; shares?: readonly number[] }
  /** A call that changes nothing. */
  | { kind: "read"; call: string; outcome: string }
  /** A command that called no signer left a note. `at`: time by its own word; "unknown": the file was no note. */
  | { kind: "command"; command: string; outcome: string; at?: string; subject?: string }
  | { kind: "refused-caller"; reason: string; address?: string }
  /** Records of a kind that were counted and not written, because there were too many. */
  | { kind: "omitted"; of: LimitedKind; count: number }
  /** The log's signed head at that time. `root`: 32 bytes, hexadecimal. */
  | { kind: "head"; origin: string; size: number; root: string }
  /** Records that could not be written, from the one after `after` up to the one before this. */
  | { kind: "gap"; omitted: number; after: string }
  /** The log has bound a record that the signer did not find here. */
  | { kind: "broken"; missing: string }

export type LimitedKind = "read" | "refused-caller"

/** A record that was read. */
export type AuditRecord = {
  readonly number: number
  /** RFC 3339, UTC. */
  readonly time: string
  /** Digest of the record before, 64 hexadecimal digits; zeros: there is none. */
  readonly previous: string
  readonly kind: string
  readonly members: JsonMembers
}

/** The digest before the first record. */
export const NO_RECORD = "0".repeat(64)

/** More than any record has. */
const MAX_RECORD_BYTES = 4096

const TAG = "countersign/v1/audit-record\0"

/** The line of a record, without its end. */
export function writeRecord(
  { number, timeMs, previous }: { number: number; timeMs: number; previous: string },
  event: AuditEvent,
): string {
  return JSON.stringify({ number, time: new Date(timeMs).toISOString(), previous, ...event })
}

/** SHA-256("countersign/v1/audit-record" || 0x00 || line), hexadecimal. */
export function recordDigest(line: string): string {
  return Buffer.from(sha256(Buffer.from(`${TAG}${line}`))).toString("hex")
}

/** The record of a line; undefined: it is none. */
export function readRecord(line: string): AuditRecord | undefined {
  const members = line.length <= MAX_RECORD_BYTES ? objectOf(line) : undefined
  if (members === undefined) return undefined
  const { number, time, previous, kind } = members
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 1) return undefined
  if (typeof time !== "string" || typeof kind !== "string") return undefined
  if (typeof previous !== "string" || !/^[0-9a-f]{64}$/.test(previous)) return undefined
  return { number, time, previous, kind, members }
}

function objectOf(line: string): JsonMembers | undefined {
  try {
    return readJsonObject(line, (reason) => new Error(reason))
  } catch {
    return undefined
  }
}
