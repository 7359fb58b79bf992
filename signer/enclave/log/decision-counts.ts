import { hash, randomBytes } from "node:crypto"
import { join } from "node:path"
import { isEqual } from "../../core/log/proofs.ts"
import { LOG_FILES, readOptional, replaceFile } from "./log-files.ts"

const SALT_BYTES = 32
const ID_BYTES = 36
const ENTRY_BYTES = ID_BYTES + 8

/** About 25 MB of memory. */
const MAX_ORGANIZATIONS = 250_000

/**
 * The number of decisions of each organization since a start. It goes on across an orderly stop: the counts are in a file whose digest is
 * the value of the stop's leaf, so that nobody sets them back. After a crash they begin anew with the next start.
 *
 * The file: salt(32) || start index(8, BE) || organization id(36) || count(8, BE) || …
 */
export class DecisionCounts {
  /** Index of the leaf of the start. */
  readonly startIndex: number
  readonly #counts: Map<string, number>

  constructor(startIndex: number, counts: ReadonlyMap<string, number> = new Map()) {
    this.startIndex = startIndex
    this.#counts = new Map(counts)
  }

  /** The counts that a stop with this value stored; undefined: there are none. */
  static read(directory: string, stopValue: Uint8Array): DecisionCounts | undefined {
    const bytes = readOptional(join(directory, LOG_FILES.counts))
    if (bytes === undefined || !isEqual(digestOf(bytes), stopValue)) return undefined
    const counts = new Map<string, number>()
    for (let at = SALT_BYTES + 8; at < bytes.length; at += ENTRY_BYTES)
      counts.set(bytes.toString("latin1", at, at + ID_BYTES), Number(bytes.readBigUInt64BE(at + ID_BYTES)))
    return new DecisionCounts(Number(bytes.readBigUInt64BE(SALT_BYTES)), counts)
  }

  /** Stores the counts, and returns the value of the stop's leaf. The salt keeps it from telling who was counted. */
  store(directory: string): Uint8Array {
    const bytes = Buffer.allocUnsafe(SALT_BYTES + 8 + this.#counts.size * ENTRY_BYTES)
    bytes.set(randomBytes(SALT_BYTES))
    let at = bytes.writeBigUInt64BE(BigInt(this.startIndex), SALT_BYTES)
    for (const [organizationId, count] of this.#counts) {
      at += bytes.write(organizationId, at, "latin1")
      at = bytes.writeBigUInt64BE(BigInt(count), at)
    }
    replaceFile(join(directory, LOG_FILES.counts), bytes)
    return digestOf(bytes)
  }

  /** True if no other organization than those that are counted fits. @param most organizations at most */
  isFullFor(organizationId: string, most = MAX_ORGANIZATIONS): boolean {
    return this.#counts.size >= most && !this.#counts.has(organizationId)
  }

  /** Counts a decision, and returns its number. */
  next(organizationId: string): number {
    const count = this.of(organizationId) + 1
    this.#counts.set(organizationId, count)
    return count
  }

  of(organizationId: string): number {
    return this.#counts.get(organizationId) ?? 0
  }
}

function digestOf(bytes: Uint8Array): Uint8Array {
  return hash("sha256", Buffer.concat([TAG, bytes]), "buffer")
}

const TAG = Buffer.from("countersign/v1/log-counts\0")
