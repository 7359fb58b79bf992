import { join } from "node:path"
import { counted } from "../../core/counted.ts"
import { openCheckpoint, type Checkpoint } from "../../core/log/checkpoint.ts"
import { readLeaf } from "../../core/log/leaf.ts"
import { HASH_BYTES, leafHash, TILE_WIDTH } from "../../core/log/merkle.ts"
import type { NoteKey } from "../../core/log/note-key.ts"
import { isEqual } from "../../core/log/proofs.ts"
import { LOG_FILES, readOptional } from "./log-files.ts"
import { SEGMENT_LEAVES, Segments } from "./segments.ts"
import { LogTree, rootOfComplete } from "./tree.ts"

/** What a signed checkpoint says and the log or the ledger does not. */
export type Contradiction = { readonly code: "LEDGER_OLDER" | "LEDGER_FORKED"; readonly detail: string }

/** State of the ledger, as leaves name it. */
export type LoggedState = { readonly sequence: bigint; readonly digest: Uint8Array }

/** A log as its files have it at start. */
export type RecoveredLog = {
  readonly segments: Segments
  readonly tree: LogTree
  /** Latest checkpoint of the files. */
  readonly signed: { readonly checkpoint: Checkpoint; readonly bytes: Buffer } | undefined
  readonly contradiction: Contradiction | undefined
}

/**
 * Opens the log's files. Leaves behind the latest checkpoint may be missing after a crash: the first one that is not whole ends the
 * log, and nothing was signed about it. Leaves before it are those that were signed, or the checkpoint contradicts them.
 */
export function recoverLog(directory: string, key: NoteKey, ledger: LoggedState): RecoveredLog {
  const segments = new Segments(directory)
  const bytes = readOptional(join(directory, LOG_FILES.checkpoint))
  const opened = bytes && openCheckpoint(bytes, key)
  const signed = bytes && opened && { checkpoint: opened.checkpoint, bytes }
  const shown = openShown(directory, key)
  const findIn = (tree: LogTree) =>
    (signed && (contradictionOf(tree, signed.checkpoint) ?? ofLedger(segments, signed.checkpoint, ledger))) ??
    (shown && contradictionOf(tree, shown))
  const restored = ofRestored(directory)
  let tree = readTree(segments, readChunks(directory, signed?.checkpoint.size ?? 0))
  let contradiction = findIn(tree)
  if (contradiction !== undefined) {
    // The stored hashes may be what is wrong: nothing makes their file durable.
    tree = readTree(segments, [])
    contradiction = findIn(tree)
  }
  contradiction ??= restored
  if (contradiction === undefined && segments.size > tree.size) segments.cut(tree.size)
  return { segments, tree, signed, contradiction }
}

/** A restored log is a copy of one that went on: others may have later heads of it. */
function ofRestored(directory: string): Contradiction | undefined {
  const words = readOptional(join(directory, LOG_FILES.restored))
  return words && { code: "LEDGER_OLDER", detail: words.toString().trim() }
}

function openShown(directory: string, key: NoteKey): Checkpoint | undefined {
  const bytes = readOptional(join(directory, LOG_FILES.contradiction))
  return bytes && openCheckpoint(bytes, key)?.checkpoint
}

/** The contradiction between the log and a checkpoint that its key signed; undefined: there is none. */
export function contradictionOf(tree: LogTree, { size, root }: Checkpoint): Contradiction | undefined {
  if (size > tree.size) {
    const detail = `a checkpoint of ${counted(size, "leaf", "leaves")} was signed, the log has ${tree.size}`
    return { code: "LEDGER_OLDER", detail }
  }
  if (isEqual(tree.rootAt(size), root)) return undefined
  return {
    code: "LEDGER_FORKED",
    detail: `another log of ${counted(size, "leaf", "leaves")} was signed: one of them was changed, or a copy went on by itself`,
  }
}

/** The signed leaves name the ledger's sequence, and of the last transaction its state. */
function ofLedger(segments: Segments, { size }: Checkpoint, ledger: LoggedState): Contradiction | undefined {
  for (let to = size; to > Math.max(0, size - SEGMENT_LEAVES); to -= TILE_WIDTH) {
    const from = Math.max(0, to - TILE_WIDTH)
    for (const bytes of segments.read(from, to).toReversed()) {
      const leaf = readLeaf(bytes)
      if (leaf === undefined || leaf.sequence < ledger.sequence) return undefined
      if (leaf.sequence > ledger.sequence) {
        const detail = `transaction ${leaf.sequence} of the ledger was signed, the ledger has ${ledger.sequence}`
        return { code: "LEDGER_OLDER", detail }
      }
      if (leaf.kind !== "transaction") continue
      if (isEqual(leaf.value, ledger.digest)) return undefined
      const detail = `transaction ${leaf.sequence} of the ledger was signed with another state than the ledger's`
      return { code: "LEDGER_FORKED", detail }
    }
  }
  return undefined
}

/** Stored hashes of tiles in full segments that the checkpoint covers: it shows whether they are right. */
function readChunks(directory: string, signedSize: number): Uint8Array[] {
  const stored = readOptional(join(directory, LOG_FILES.chunks)) ?? Buffer.alloc(0)
  const covered = Math.floor(signedSize / SEGMENT_LEAVES) * (SEGMENT_LEAVES / TILE_WIDTH)
  const count = Math.min(covered, Math.floor(stored.length / HASH_BYTES))
  return Array.from({ length: count }, (_, at) =>
    Uint8Array.from(stored.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  )
}

/** The tree of the leaves that are whole. Those behind the known hashes are read. */
function readTree(segments: Segments, known: readonly Uint8Array[]): LogTree {
  const hasLeaves = known.length * TILE_WIDTH <= segments.size
  const tree = new LogTree((from, to) => segments.read(from, to), hasLeaves ? known : [])
  while (tree.size < segments.size) {
    const leaves = segments.read(tree.size, Math.min(segments.size, tree.size + TILE_WIDTH))
    for (const leaf of leaves) tree.append(leaf)
    if (leaves.length < TILE_WIDTH) break
  }
  return tree
}

/** Hash of a full tile of leaves, from the leaves; undefined: one is not whole. */
export function chunkHash(segments: Segments, index: number): Uint8Array | undefined {
  const leaves = segments.read(index * TILE_WIDTH, (index + 1) * TILE_WIDTH)
  return leaves.length === TILE_WIDTH ? rootOfComplete(leaves.map(leafHash)) : undefined
}
