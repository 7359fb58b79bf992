import { randomBytes } from "node:crypto"
import { rmSync } from "node:fs"
import type { CommandNote } from "../../core/audit/note.ts"
import { EventLimiter } from "../../core/audit/limiter.ts"
import {
  type AuditEvent,
  type LimitedKind,
  NO_RECORD,
  readRecord,
  recordDigest,
  writeRecord,
} from "../../core/audit/record.ts"
import { refuse } from "../../core/refusal.ts"
import { auditLinesBackwards } from "../../process/audit-folder.ts"
import { notesIn, removeUnfinishedNotes } from "../../process/audit-notes.ts"
import { AuditFiles } from "./audit-files.ts"

/** What happens to an act whose record cannot be written. */
export type WhenFull = "refuse" | "continue"

export type AuditParts = {
  directory: string
  whenFull: WhenFull
  release: string
  codeDigest: string
  nowMs: () => number
  monotonicMs: () => number
  /** Called when records cannot be written, and when they can be again: with undefined. */
  onFault: (error: unknown) => void
  bytesPerFile?: number
}

/** A head of the log, as its checkpoint states it. */
export type StatedHead = { readonly origin: string; readonly size: number; readonly root: Uint8Array }

const BYTES_PER_FILE = 16 * 1024 * 1024

/** A stream that is flooded all day grows by less than 7 MB. */
const MOST_REFUSED_CALLERS = 10
const REFUSED_CALLERS_MS = 60_000
const MOST_READS = 5
const READS_MS = 600_000

const HEADS_MS = 3_600_000

/** Notes that are taken in a second, while callers wait: an operator's account can write any number. */
const MOST_NOTES = 10
/** After a fault of the disk or of its descriptors, notes are taken again. */
const NOTES_RETRY_MS = 60_000

/**
 * The audit stream: acts, refused callers, phases, starts and stops as a chain of records in files. An act whose record cannot be
 * written is refused, or by setting goes on. Every other record that cannot be written is counted, and its digest stays in the chain.
 */
export class AuditStream {
  readonly #parts: AuditParts
  readonly #files: AuditFiles
  readonly #limits: { readonly [kind in LimitedKind]: EventLimiter } = {
    "refused-caller": new EventLimiter(MOST_REFUSED_CALLERS, REFUSED_CALLERS_MS),
    read: new EventLimiter(MOST_READS, READS_MS),
  }
  #number = 0
  #head = NO_RECORD
  #isStarted = false
  #gap: { omitted: number; after: string } | undefined
  #phase = ""
  #isFaulty = false
  #stated: { size: number; atMs: number } | undefined
  #notesFault: { atMs: number } | undefined
  /** Notes that are records already, but could not be removed yet. */
  readonly #recordedNotes = new Set<string>()

  constructor(parts: AuditParts) {
    this.#parts = parts
    this.#files = new AuditFiles(parts.directory, parts.bytesPerFile ?? BYTES_PER_FILE)
    for (const line of auditLinesBackwards(this.#parts.directory)) {
      const record = readRecord(line)
      this.#head = recordDigest(line)
      this.#number = record?.number ?? 0
      break
    }
  }

  /** Digest of the latest record; undefined: there is none. */
  head(): Uint8Array | undefined {
    return this.#head === NO_RECORD ? undefined : Buffer.from(this.#head, "hex")
  }

  /** Number of the latest record. */
  get number(): number {
    return this.#number
  }

  get directory(): string {
    return this.#parts.directory
  }

  /** Records the start, once. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    const { release, codeDigest } = this.#parts
    this.#write({ kind: "start", release, codeDigest, salt: randomBytes(32).toString("hex") })
    this.#takeNotes()
  }

  /** Records that the log had bound a record which is not here: it was cut off, edited or lost. @param bound value of the log's last leaf */
  compare(bound: Uint8Array): void {
    const missing = Buffer.from(bound).toString("hex")
    for (const line of auditLinesBackwards(this.#parts.directory)) if (recordDigest(line) === missing) return
    this.#write({ kind: "broken", missing })
  }

  /** Records a phase that differs from the last one. */
  phase(phase: string, code?: string): void {
    const known = `${phase} ${code ?? ""}`
    if (known === this.#phase) return
    this.#phase = known
    this.#write({ kind: "phase", phase, ...(code !== undefined && { code }) })
  }

  /** Records an act that begins. Returns its number for `outcome`. @throws AUDIT_UNWRITABLE: it must not be done */
  act(event: Omit<Extract<AuditEvent, { kind: "act" }>, "kind">): number {
    const isWritten = this.#write({ kind: "act", ...event }, this.#parts.whenFull === "refuse")
    if (isWritten) return this.#number
    throw refuse("AUDIT_UNWRITABLE", UNWRITABLE)
  }

  outcome(event: Omit<Extract<AuditEvent, { kind: "outcome" }>, "kind">): void {
    this.#write({ kind: "outcome", ...event })
  }

  /** Records a call that changes nothing, or counts it. */
  read(call: string, outcome: string): void {
    this.#limited({ kind: "read", call, outcome })
  }

  /** Records a refused caller, or counts it. */
  refusedCaller(reason: string, address?: string): void {
    this.#limited({ kind: "refused-caller", reason, ...(address !== undefined && { address }) })
  }

  /** Records counts of spans that are over, and each hour the log's head if it has grown. */
  tick(head: () => StatedHead | undefined): void {
    const nowMs = this.#parts.monotonicMs()
    for (const kind of ["refused-caller", "read"] as const)
      this.#count(kind, this.#limits[kind].takeOmitted(nowMs))
    this.#takeNotes()
    if (this.#stated !== undefined && nowMs - this.#stated.atMs < HEADS_MS) return
    const stated = head()
    if (stated !== undefined && stated.size !== this.#stated?.size) this.#state(stated)
  }

  /** Records the stop, with what was only counted. */
  stop(head: StatedHead | undefined): void {
    for (const kind of ["refused-caller", "read"] as const) this.#count(kind, this.#limits[kind].takeAll())
    if (head !== undefined) this.#state(head)
    this.#write({ kind: "stop" })
  }

  close(): void {
    this.#files.close()
  }

  /** Takes notes of commands that called no signer. One fault of the file system does not end that for good. */
  #takeNotes(): void {
    const nowMs = this.#parts.monotonicMs()
    if (this.#notesFault !== undefined && nowMs - this.#notesFault.atMs < NOTES_RETRY_MS) return
    try {
      this.#recordNotes()
    } catch (error) {
      if (this.#notesFault === undefined) this.#parts.onFault(error)
      this.#notesFault = { atMs: nowMs }
      return
    }
    if (this.#notesFault !== undefined) this.#parts.onFault(undefined)
    this.#notesFault = undefined
  }

  /** Records notes, then removes them: after a crash one may be recorded twice, and none is lost. */
  #recordNotes(): void {
    const { directory, nowMs } = this.#parts
    removeUnfinishedNotes(directory, nowMs())
    for (const { path, note } of notesIn(directory, MOST_NOTES)) {
      if (!this.#recordedNotes.has(path) && !this.#write(commandOf(note), true)) return
      this.#recordedNotes.add(path)
      rmSync(path, { recursive: true, force: true })
      this.#recordedNotes.delete(path)
    }
  }

  #state({ origin, size, root }: StatedHead): void {
    this.#stated = { size, atMs: this.#parts.monotonicMs() }
    this.#write({ kind: "head", origin, size, root: Buffer.from(root).toString("hex") })
  }

  #limited(event: Extract<AuditEvent, { kind: LimitedKind }>): void {
    const limiter = this.#limits[event.kind]
    const nowMs = this.#parts.monotonicMs()
    this.#count(event.kind, limiter.takeOmitted(nowMs))
    if (limiter.admits(nowMs)) this.#write(event)
  }

  #count(of: LimitedKind, count: number): void {
    if (count > 0) this.#write({ kind: "omitted", of, count })
  }

  /** True once the record is in the chain: in the file, or counted as omitted. @param isNeeded false is returned if it cannot be written */
  #write(event: AuditEvent, isNeeded = false): boolean {
    this.start()
    const isOpen = this.#gap === undefined || this.#append({ kind: "gap", ...this.#gap })
    if (isOpen) this.#gap = undefined
    if (isOpen && this.#append(event)) return true
    if (isNeeded) return false
    this.#gap ??= { omitted: 0, after: this.#head }
    this.#gap.omitted += 1
    this.#take(this.#lineOf(event))
    return true
  }

  #append(event: AuditEvent): boolean {
    const line = this.#lineOf(event)
    try {
      this.#files.append(line)
    } catch (error) {
      if (!this.#isFaulty) this.#parts.onFault(error)
      this.#isFaulty = true
      return false
    }
    if (this.#isFaulty) this.#parts.onFault(undefined)
    this.#isFaulty = false
    this.#take(line)
    return true
  }

  #take(line: string): void {
    this.#number += 1
    this.#head = recordDigest(line)
  }

  #lineOf(event: AuditEvent): string {
    return writeRecord({ number: this.#number + 1, timeMs: this.#parts.nowMs(), previous: this.#head }, event)
  }
}

/** A file of another content is recorded as an unknown command. */
function commandOf({ command, outcome, atMs, subject }: Partial<CommandNote> = {}): AuditEvent {
  return {
    kind: "command",
    command: command ?? "unknown",
    outcome: outcome ?? "unknown",
    ...(atMs !== undefined && { at: new Date(atMs).toISOString() }),
    ...(subject !== undefined && { subject }),
  }
}

const UNWRITABLE =
  "the record of this act cannot be written to the audit stream, so nothing was done; make room on the disk of " +
  "COUNTERSIGN_SIGNER_AUDIT_DIRECTORY and see that the signer may write there, then try again"
