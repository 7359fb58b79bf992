import { readLeaf } from "../../core/log/leaf.ts"
import { DecisionCounts } from "./decision-counts.ts"
import type { SignedLog } from "./signed-log.ts"

/** Leaves between two that bind the audit stream, at most: whoever verifies the stream reads so many. */
export const AUDIT_INTERVAL = 4096

/** The last leaf that binds the audit stream, among those of which one does; undefined: no stream was bound. */
export function lastAuditLeaf(
  log: SignedLog,
  size: number,
): { index: number; value: Uint8Array } | undefined {
  const first = Math.max(0, size - AUDIT_INTERVAL - LEAVES_AT_START)
  const leaves = size === 0 ? [] : log.leaves(first, size).map(readLeaf)
  const at = leaves.findLastIndex((leaf) => leaf?.kind === "audit")
  const leaf = leaves[at]
  return leaf && { index: first + at, value: leaf.value }
}

/** Leaves of a start before the one that binds the stream, of several starts that follow one another. */
const LEAVES_AT_START = 64

/** The counts of the orderly stop that is the log's last leaf; undefined: it is none. */
export function storedCounts(log: SignedLog, directory: string): DecisionCounts | undefined {
  const { size } = log
  const [bytes] = size === 0 ? [] : log.leaves(size - 1, size)
  const leaf = bytes && readLeaf(bytes)
  return leaf?.kind === "stop" ? DecisionCounts.read(directory, leaf.value) : undefined
}
