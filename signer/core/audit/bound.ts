// The proof that a log has bound a chain of records: its last leaves up to a signed checkpoint.
import type { Pins } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { counted } from "../counted.ts"
import { Fault, isFault } from "../fault.ts"
import type { Checkpoint } from "../log/checkpoint.ts"
import { CompactRange } from "../log/compact-range.ts"
import { LEAF_BYTES, readLeaf } from "../log/leaf.ts"
import { HASH_BYTES, leafHash, subtreesOf } from "../log/merkle.ts"
import { isEqual } from "../log/proofs.ts"
import { type CertifiedLogKey, openLogKey, verifyCheckpoint } from "../log/verify/heads.ts"
import type { AuditChain } from "./chain.ts"
import type { AuditFault, AuditFaultCode } from "./fault.ts"

/** The end of a signer's log, with the checkpoint that covers it. */
export type AuditBinding = {
  /** Signed note. */
  checkpoint: string
  /** LogKeyStatement with the notarizer's signature, hexadecimal. */
  logKeyStatement: string
  logKeySignature: string
  /** Index of the first leaf that is shown. */
  first: number
  /** Hashes of the complete subtrees before it, largest first. */
  range: readonly Uint8Array[]
  /** The leaves from there up to the checkpoint's size. */
  leaves: readonly Uint8Array[]
  /** Number of the latest record, by the signer's word: it names a fault, and proves none. */
  number: number
}

export type BoundReport = {
  /** Number of the latest record that the log has bound; 0: none. */
  bound: number
  checkpoint: { origin: string; size: number; root: string } | undefined
  faults: AuditFault[]
}

/** Verifies that the log has bound the chain. Only the pins are trusted. @param kept notes of checkpoints that someone kept */
export function verifyBinding(
  chain: AuditChain,
  binding: AuditBinding,
  { pins, kept = [] }: { pins: readonly Pins[]; kept?: readonly string[] },
): BoundReport {
  const report: BoundReport = { bound: 0, checkpoint: undefined, faults: [] }
  try {
    const key = openLogKey({ statement: binding.logKeyStatement, signature: binding.logKeySignature }, pins)
    const head = verifyCheckpoint(binding.checkpoint, key)
    const { origin, size, root } = head
    report.checkpoint = { origin, size, root: Buffer.from(root).toString("hex") }
    requireLeaves(binding, head)
    for (const note of kept) requireNewer(note, head, { binding, key })
    requireStatedHeads(chain, head)
    report.bound = boundNumber(chain, binding)
  } catch (error) {
    if (!isFault(error, "audit", "log")) throw error
    const code = isFault(error, "audit") ? (error.place as AuditFaultCode) : "AUDIT_FOREIGN"
    report.faults.push({ code, sentence: error.message })
  }
  return report
}

function unbound(code: AuditFaultCode, sentence: string): Fault {
  return new Fault("audit", sentence, code)
}

function requireLeaves(binding: AuditBinding, { size, root }: Checkpoint): void {
  const { first, leaves } = binding
  if (first + leaves.length === size && isEqual(rootAfter(binding, leaves.length), root)) return
  throw unbound("AUDIT_LEAVES_CHANGED", "the leaves shown are not the last ones of the signed checkpoint")
}

/** Root of the tree that ends with so many of the shown leaves. */
function rootAfter({ first, range, leaves }: AuditBinding, count: number): Uint8Array {
  const isWhole =
    range.length === subtreesOf(0, first).length &&
    range.every(({ length }) => length === HASH_BYTES) &&
    leaves.every(({ length }) => length === LEAF_BYTES)
  if (!isWhole)
    throw unbound("AUDIT_LEAVES_CHANGED", "hashes or leaves that are shown have another length or number")
  const tree = new CompactRange(first, range)
  for (const leaf of leaves.slice(0, count)) tree.append(leafHash(leaf))
  return tree.root()
}

/** Compares with a checkpoint that someone kept, as far as the shown leaves tell. */
function requireNewer(
  note: string,
  head: Checkpoint,
  { binding, key }: { binding: AuditBinding; key: CertifiedLogKey },
): void {
  const kept = verifyCheckpoint(note, key)
  if (kept.origin !== head.origin)
    throw unbound(
      "AUDIT_FORKED",
      `the kept checkpoint is of ${kept.origin}, the present one of ${head.origin}: ask the operator what was given up`,
    )
  if (kept.size > head.size)
    throw unbound(
      "AUDIT_OLDER",
      `the kept checkpoint has ${counted(kept.size, "leaf", "leaves")}, this one ${head.size}: later records may be missing; take a newer export`,
    )
  const shown = kept.size - binding.first
  if (shown >= 0 && !isEqual(rootAfter(binding, shown), kept.root))
    throw unbound(
      "AUDIT_FORKED",
      `the kept checkpoint of ${counted(kept.size, "leaf", "leaves")} has another root: the log is not the one that was signed then`,
    )
}

/** The chain's own records of the log's heads: a log that is older than they say was set back. */
function requireStatedHeads({ heads }: AuditChain, { origin, size }: Checkpoint): void {
  const later = heads.find((one) => one.origin === origin && one.size > size)
  if (later === undefined) return
  const sentence = `record ${later.number} states a log of ${counted(later.size, "leaf", "leaves")}, and the checkpoint has ${size}: the log was set back`
  throw unbound("AUDIT_OLDER", sentence)
}

function boundNumber(chain: AuditChain, { leaves, number }: AuditBinding): number {
  const last = leaves.map(readLeaf).findLast((leaf) => leaf?.kind === "audit")
  if (last === undefined)
    throw unbound("AUDIT_UNBOUND", "no leaf that is shown binds a record of the audit stream")
  const digest = Buffer.from(last.value).toString("hex")
  const bound = chain.numberOf(digest)
  if (bound !== undefined) return bound
  const end = chain.report.last
  if (end < number)
    throw unbound(
      "AUDIT_TRUNCATED",
      `the last record is number ${end}, the signer has written ${number}, and the log has bound ${digest}: the end was cut off, or the disk is full`,
    )
  throw unbound(
    "AUDIT_REMADE",
    `the log has bound the record ${digest}, and it is none of these: the chain was made anew, or its end was replaced`,
  )
}
