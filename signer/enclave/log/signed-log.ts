import { appendFileSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import {
  type Checkpoint,
  openCheckpoint,
  signCheckpoint,
  type SignedCheckpoint,
} from "../../core/log/checkpoint.ts"
import { LEAF_BYTES, type LogLeaf, writeLeaf } from "../../core/log/leaf.ts"
import { HASH_BYTES } from "../../core/log/merkle.ts"
import type { NoteKey, NoteSigner } from "../../core/log/note-key.ts"
import { isEqual } from "../../core/log/proofs.ts"
import { refuse } from "../../core/refusal.ts"
import type { Steps } from "../../core/turns/steps.ts"
import { isNoSpace, LOG_FILES, replaceFile, replaceUnsynced } from "./log-files.ts"
import { chunkHash, type Contradiction, contradictionOf, type LoggedState, recoverLog } from "./recovery.ts"
import { RECORD_BYTES, type Segments } from "./segments.ts"
import type { LogTree } from "./tree.ts"

export type SignedLogParts = {
  directory: string
  signer: NoteSigner
  ledger: LoggedState
  /** Ends the process: after a failed write or sync only the next start can find out what is on disk. */
  terminate: (error: unknown) => void
  onContradiction: (contradiction: Contradiction) => void
}

/** A leaf whose value is computed when the tree takes it in. */
type QueuedLeaf = Omit<LogLeaf, "value"> & { readonly value: Uint8Array | (() => Uint8Array) }

/** Leaves that are hashed together: that costs less than one by one between signatures, and no answer waits long for it. */
const BATCH_LEAVES = 64

/** Leaves in memory before they are written to the file. */
const FLUSH_LEAVES = 1024

/** More leaves than a disk that is full for minutes keeps waiting. */
const MAX_PENDING = 1024 * 1024

/**
 * The log of one ledger: leaves in files, and checkpoints that are signed after a sync. So a crash loses only leaves that no
 * checkpoint covers, and no two checkpoints contradict each other.
 *
 * A checkpoint of its own key that the log contradicts shows that the log is an older copy, or one of two. Then nothing is written or
 * signed any more.
 */
export class SignedLog {
  readonly #parts: SignedLogParts
  readonly #segments: Segments
  readonly #tree: LogTree
  /** Leaves that are not in the tree yet. */
  #queue: QueuedLeaf[] = []
  /** Records that are not in the files, in a buffer that grows. */
  #pending = Buffer.allocUnsafe(FLUSH_LEAVES * RECORD_BYTES)
  #pendingLeaves = 0
  #signed: { size: number; note: Buffer } | undefined
  #contradiction: Contradiction | undefined
  #signing: Promise<void> | undefined
  #isClosed = false

  constructor(parts: SignedLogParts) {
    this.#parts = parts
    const { segments, tree, signed, contradiction } = recoverLog(
      parts.directory,
      parts.signer.key,
      parts.ledger,
    )
    this.#segments = segments
    this.#tree = tree
    this.#signed = signed && { size: signed.checkpoint.size, note: signed.bytes }
    this.#contradiction = contradiction
    const isAnswered = contradiction === undefined
    if (isAnswered) rmSync(join(parts.directory, LOG_FILES.contradiction), { force: true })
    if (isAnswered) this.#writeChunks(0)
  }

  get key(): NoteKey {
    return this.#parts.signer.key
  }

  get origin(): string {
    return this.#parts.signer.key.name
  }

  /** Number of leaves, also those that no checkpoint covers yet. */
  get size(): number {
    return this.#tree.size + this.#queue.length
  }

  /** What a signed checkpoint says and the log does not; undefined: the log may be used. */
  get contradiction(): Contradiction | undefined {
    return this.#contradiction
  }

  /** Latest checkpoint with its number of leaves; undefined: none was signed. */
  get signed(): { readonly size: number; readonly note: Uint8Array } | undefined {
    return this.#signed
  }

  /** The latest checkpoint's head; undefined: none was signed. */
  get head(): Checkpoint | undefined {
    const { origin, signed } = this
    return signed && { origin, size: signed.size, root: this.#tree.rootAt(signed.size) }
  }

  /** Appends a leaf and returns its index. It is durable with the next checkpoint. */
  append(leaf: QueuedLeaf): number {
    const index = this.size
    if (this.#contradiction !== undefined) return index
    this.#queue.push(leaf)
    if (this.#queue.length >= BATCH_LEAVES) this.#takeIn()
    return index
  }

  /** Moves the queue into the tree and the records. */
  #takeIn(): void {
    const queue = this.#queue
    this.#queue = []
    for (const { kind, timeSeconds, sequence, value } of queue)
      this.#record({ kind, timeSeconds, sequence, value: typeof value === "function" ? value() : value })
    if (this.#pendingLeaves >= FLUSH_LEAVES) this.#flush()
  }

  #record(leaf: LogLeaf): void {
    const at = this.#pendingLeaves * RECORD_BYTES
    if (at === this.#pending.length) this.#pending = Buffer.concat([this.#pending, Buffer.alloc(at)])
    writeLeaf(leaf, this.#pending, at)
    const bytes = this.#pending.subarray(at, at + LEAF_BYTES)
    this.#pending.writeUInt32BE(crc32(bytes), at + LEAF_BYTES)
    this.#tree.append(bytes)
    this.#pendingLeaves += 1
  }

  /** Makes all leaves durable and signs their checkpoint; does nothing without new leaves. Resolves when it is stored. */
  async sign(): Promise<void> {
    while (this.#signing !== undefined) await this.#signing
    if (this.#isClosed || this.#contradiction !== undefined || this.#signed?.size === this.size) return
    this.#signing = this.#signNext().finally(() => {
      this.#signing = undefined
    })
    await this.#signing
  }

  /** The signature under way; undefined: there is none. Until then the files may be neither closed nor moved. */
  get signing(): Promise<void> | undefined {
    return this.#signing
  }

  async #signNext(): Promise<void> {
    try {
      this.#takeIn()
      if (!this.#flush()) return
      const { size } = this
      const root = this.#tree.root()
      await this.#segments.sync()
      this.#storeSigned(size, root)
    } catch (error) {
      this.#parts.terminate(error)
    }
  }

  /** As `sign`, blocking: for the start, before anything is decided. With a full disk the leaves wait. */
  signNow(): void {
    this.#takeIn()
    if (!this.#flush()) return
    this.#segments.syncNow()
    this.#storeSigned(this.size, this.#tree.root())
  }

  #storeSigned(size: number, root: Uint8Array): void {
    if (this.#contradiction !== undefined) return
    const note = Buffer.from(signCheckpoint({ origin: this.origin, size, root }, this.#parts.signer))
    // An older checkpoint, or none, contradicts nothing: no sync is paid for it.
    replaceUnsynced(join(this.#parts.directory, LOG_FILES.checkpoint), note)
    this.#signed = { size, note }
  }

  /**
   * Takes a checkpoint that someone kept. If the log contradicts it, the log is never used again, also after a restart.
   * @returns the checkpoint if it is one of this log; undefined: the log is contradicted
   * @throws CHECKPOINT_INVALID when the log's key did not sign it: then it says nothing
   */
  show(note: Uint8Array): SignedCheckpoint | undefined {
    const opened = openCheckpoint(note, this.#parts.signer.key)
    if (opened === undefined) {
      const sentence = `this is no checkpoint that the log ${this.origin} signed; show one as its note, with the log's signature`
      throw refuse("CHECKPOINT_INVALID", sentence, { field: "checkpoint" })
    }
    if (this.#contradiction !== undefined) return undefined
    this.#takeIn()
    this.#flush()
    this.#contradiction = contradictionOf(this.#tree, opened.checkpoint)
    if (this.#contradiction === undefined) return opened
    this.#parts.onContradiction(this.#contradiction)
    replaceFile(join(this.#parts.directory, LOG_FILES.contradiction), note)
    return undefined
  }

  /** The leaves `from` to `to - 1` of the latest checkpoint. */
  leaves(from: number, to: number): Buffer[] {
    return this.#segments.read(from, Math.min(to, this.#signed?.size ?? 0))
  }

  /** The signed head of the first `size` leaves, which the latest checkpoint covers: a copy of the log ends there. */
  headAt(size: number): Uint8Array {
    if (size > (this.#signed?.size ?? 0)) throw new RangeError("no checkpoint covers these leaves")
    const root = this.#tree.rootAt(size)
    return Buffer.from(signCheckpoint({ origin: this.origin, size, root }, this.#parts.signer))
  }

  /** Root of the first `size` leaves, which are in the files. */
  rootAt(size: number): Uint8Array {
    return this.#tree.rootAt(size)
  }

  /** Hashes of subtrees that the latest checkpoint covers. */
  get read(): LogTree["read"] {
    return this.#tree.read
  }

  /**
   * Compares the leaves of earlier segments with the hashes that the checkpoint covers: at start only those of the last segment are
   * read. A leaf that was changed on the disk is a contradiction.
   */
  *verify(): Steps<number> {
    const { chunks } = this.#tree
    for (let index = 0; index < chunks.length; index++) {
      if (this.#isClosed || this.#contradiction !== undefined) return index
      const hash = chunkHash(this.#segments, index)
      if (hash === undefined || !isEqual(hash, chunks[index]!)) {
        const detail = `a leaf of ${index * 256} to ${index * 256 + 255} is not the one that was signed`
        this.#contradiction = { code: "LEDGER_FORKED", detail }
        this.#parts.onContradiction(this.#contradiction)
        return index
      }
      yield
    }
    return chunks.length
  }

  /** Signs what there is and closes the files. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    await this.sign()
    this.#isClosed = true
    this.#segments.close()
  }

  /** Closes the files as they are, and signs nothing. */
  abandon(): void {
    this.#isClosed = true
    this.#segments.close()
  }

  /** Ends this log: its directory is kept under another name, and a new one may begin. */
  giveUp(name: string): void {
    this.abandon()
    const { directory } = this.#parts
    if (existsSync(directory)) renameSync(directory, `${directory}-${name}`)
  }

  /** Writes pending leaves to the file. False: the disk is full, and they wait. */
  #flush(): boolean {
    const chunks = Math.floor(this.#segments.size / 256)
    try {
      const isDone = this.#pendingLeaves === 0
      if (isDone || this.#contradiction !== undefined) return isDone
      const written = this.#segments.size - (this.#tree.size - this.#pendingLeaves)
      this.#segments.append(
        this.#pending.subarray(written * RECORD_BYTES, this.#pendingLeaves * RECORD_BYTES),
      )
      this.#pendingLeaves = 0
      if (this.#pending.length > 8 * FLUSH_LEAVES * RECORD_BYTES)
        this.#pending = Buffer.allocUnsafe(FLUSH_LEAVES * RECORD_BYTES)
      this.#writeChunks(chunks)
      return true
    } catch (error) {
      if (!isNoSpace(error) || this.#pendingLeaves >= MAX_PENDING) this.#parts.terminate(error)
      return false
    }
  }

  /** Appends the hashes of tiles that became full; a start computes what is missing. */
  #writeChunks(from: number): void {
    const file = join(this.#parts.directory, LOG_FILES.chunks)
    const added = this.#tree.chunks.slice(from, Math.floor(this.#segments.size / 256))
    if (from === 0) writeFileSync(file, Buffer.concat(added), { mode: 0o600 })
    else if (added.length > 0) appendFileSync(file, Buffer.concat(added, added.length * HASH_BYTES))
  }
}
