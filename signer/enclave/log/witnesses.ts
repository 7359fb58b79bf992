import type { SignedCheckpoint } from "../../core/log/checkpoint.ts"
import { readSignatureLines, type SignedNote, writeNote } from "../../core/log/note.ts"
import { type NoteKey, verifyText } from "../../core/log/note-key.ts"

/** The witnesses that the operator chose, and how many of them have to cosign. */
export type WitnessPolicy = {
  readonly keys: readonly NoteKey[]
  /** Number of witnesses that must have cosigned a head before it counts as witnessed; 0: none is asked. */
  readonly threshold: number
  /** True if no answer of a decision leaves before its leaf is witnessed. */
  readonly beforeAnswer: boolean
}

export const NO_WITNESSES: WitnessPolicy = { keys: [], threshold: 0, beforeAnswer: false }

/** Texts of witnesses that the courier reported, each bounded: they are for the operator and prove nothing. */
const MAX_REPORT_CHARACTERS = 200

type Waiting = { readonly size: number; readonly resolve: () => void }

/**
 * What witnesses cosigned of one log since this start. Whoever brings cosignatures is not believed: only a key of the policy counts, on
 * a checkpoint that this log signed and has.
 */
export class Witnesses {
  readonly policy: WitnessPolicy
  readonly #nowMs: () => number
  /** The largest size that each witness cosigned. */
  readonly #sizes = new Map<NoteKey, number>()
  #reports: readonly string[] = []
  #cosigned: { size: number; note: Uint8Array } | undefined
  #waiting: Waiting[] = []
  /** Time since which a leaf waits that is not witnessed, monotonic; undefined: all are. */
  #unwitnessedSinceMs: number | undefined

  /** @param nowMs monotonic */
  constructor(policy: WitnessPolicy, nowMs: () => number) {
    this.policy = policy
    this.#nowMs = nowMs
  }

  /** Leaves that enough witnesses cosigned. Without witnesses none has to. */
  get size(): number {
    const { keys, threshold } = this.policy
    if (threshold === 0) return Number.POSITIVE_INFINITY
    return (
      keys.map((key) => this.#sizes.get(key) ?? 0).toSorted((one, other) => other - one)[threshold - 1] ?? 0
    )
  }

  /** The largest checkpoint with the signatures of enough witnesses, as a note. */
  get cosigned(): { readonly size: number; readonly note: Uint8Array } | undefined {
    return this.#cosigned
  }

  /** Seconds for which the oldest leaf that is not witnessed has waited; 0: all are witnessed. */
  get unwitnessedSeconds(): number {
    return this.#unwitnessedSinceMs === undefined ? 0 : (this.#nowMs() - this.#unwitnessedSinceMs) / 1000
  }

  /** Names of witnesses that have not cosigned so many leaves. */
  missing(size: number): string[] {
    return this.policy.keys.filter((key) => (this.#sizes.get(key) ?? 0) < size).map(({ name }) => name)
  }

  /** What the courier reported of witnesses that do not cosign. */
  get reports(): readonly string[] {
    return this.#reports
  }

  /** Notes that leaves were appended. */
  grown(): void {
    if (this.policy.threshold > 0) this.#unwitnessedSinceMs ??= this.#nowMs()
  }

  /**
   * Counts the cosignatures in the replies of witnesses to a checkpoint that this log signed and has.
   * @param logSize leaves of the log now
   * @returns the names whose cosignature was counted
   */
  accept({ checkpoint, note }: SignedCheckpoint, replies: readonly Uint8Array[], logSize: number): string[] {
    const found = new Map<NoteKey, SignedNote["signatures"][number]>()
    // Each reply is read by itself: one that lies hides no other. The note may have cosignatures too.
    for (const lines of [note.signatures, ...replies.map((reply) => readSignatureLines(reply) ?? [])])
      for (const line of lines) {
        const key = this.policy.keys.find(({ name, id }) => name === line.name && id === line.id)
        if (key !== undefined && !found.has(key) && verifyText(key, note.text, line.signature))
          found.set(key, line)
      }
    const before = this.size
    for (const key of found.keys()) this.#sizes.set(key, Math.max(this.#sizes.get(key) ?? 0, checkpoint.size))
    const { threshold } = this.policy
    if (threshold > 0 && found.size >= threshold && checkpoint.size >= (this.#cosigned?.size ?? 0)) {
      const own = note.signatures.filter(({ name }) => name === checkpoint.origin)
      const cosigned = writeNote({ text: note.text, signatures: [...own, ...found.values()] })
      this.#cosigned = { size: checkpoint.size, note: Buffer.from(cosigned) }
    }
    if (this.size > before) this.#moved(logSize)
    return [...found.keys()].map(({ name }) => name)
  }

  /** Keeps what the courier says about witnesses that did not cosign. */
  report(reports: readonly string[]): void {
    this.#reports = reports.slice(0, this.policy.keys.length).map(readable)
  }

  /** Resolves once so many leaves are witnessed, or the signal aborts. */
  async whenWitnessed(size: number, signal: AbortSignal): Promise<boolean> {
    if (this.size >= size) return true
    await new Promise<void>((resolve) => {
      const waiting = { size, resolve }
      this.#waiting.push(waiting)
      const give = () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        resolve()
      }
      if (signal.aborted) give()
      else signal.addEventListener("abort", give, { once: true })
    })
    return this.size >= size
  }

  #moved(logSize: number): void {
    const { size } = this
    this.#unwitnessedSinceMs = size >= logSize ? undefined : this.#nowMs()
    for (const { resolve } of this.#waiting.filter((one) => one.size <= size)) resolve()
    this.#waiting = this.#waiting.filter((one) => one.size > size)
  }
}

/** A text in one line, of bounded length. */
function readable(text: string): string {
  return text.slice(0, MAX_REPORT_CHARACTERS).replaceAll(/\p{Cc}/gu, " ")
}
