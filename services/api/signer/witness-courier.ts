import { Phase } from "../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { counted } from "../../../signer/core/counted.ts"
import { writeAddCheckpoint } from "../../../signer/core/log/add-checkpoint.ts"
import { type Checkpoint, readCheckpoint } from "../../../signer/core/log/checkpoint.ts"
import { readNote, readSignatureLines } from "../../../signer/core/log/note.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import type { Logger } from "../../common/logger.ts"
import type { Signer } from "./signer.ts"
import type { LogWitness } from "./witness.ts"

/** Pause between two rounds, milliseconds; where answers wait for witnesses, the shorter one. */
const PAUSE_MS = 1_000
const AWAITED_PAUSE_MS = 100

/** After a round in which a witness did not cosign, others and it are asked again no sooner than this. */
const FAULT_PAUSE_MS = 1_000

type CourierDeps = {
  signer: Pick<Signer, "readLog" | "readLogConsistency" | "showCheckpoint">
  witnesses: readonly LogWitness[]
  log: Pick<Logger, "warn" | "info">
}

type Head = Checkpoint & { readonly note: Uint8Array }

/** A witness's cosignature lines, or what it answered in place of them. */
type Answered = { witness: LogWitness } & ({ cosignature: Uint8Array } | { report: string })

/**
 * Brings the log's checkpoints to witnesses, and their cosignatures to the signer. Nobody trusts it: witnesses verify the log's
 * signature and its proof, the signer verifies cosignatures. Silence of this courier leaves the signer unwitnessed, and no more.
 */
export class WitnessCourier {
  readonly #deps: CourierDeps
  /** By origin and witness: the size that it cosigned last, as it said. */
  readonly #known = new Map<string, number>()
  /** The checkpoint that all witnesses have cosigned. */
  #done = ""
  #lastReports = ""
  /** The checkpoint that was brought last. */
  #brought: Head | undefined
  #running: Promise<void> | undefined
  readonly #stop = new AbortController()

  constructor(deps: CourierDeps) {
    this.#deps = deps
  }

  /** Runs until it is closed. A second call changes nothing. */
  start(): void {
    if (this.#deps.witnesses.length > 0) this.#running ??= this.#runOn()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #runOn(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const pauseMs = await this.run().catch(() => FAULT_PAUSE_MS)
      await pause(pauseMs, this.#stop.signal)
    }
  }

  /** One round. Returns the pause after it. @throws when the signer cannot be reached */
  async run(): Promise<number> {
    const { signer, witnesses } = this.#deps
    const { checkpoint, phase } = await signer.readLog(0, 0)
    const head = headOf(checkpoint)
    // No witness may cosign a head of a halted copy: the newest ledger, restored after it, would be a fork of that head.
    if (head === undefined || phase === Phase.LEDGER_OLDER) return PAUSE_MS
    const name = `${head.origin} ${head.size} ${Buffer.from(head.root).toString("hex")}`
    if (name === this.#done) return this.#pauseMs
    if (this.#isNewCopy(head, phase) && (await this.#isContradicted(head))) return FAULT_PAUSE_MS
    this.#brought = head
    const answers = await Promise.all(witnesses.map((witness) => this.#askSafely(witness, head)))
    const cosignatures = answers.flatMap((one) => ("cosignature" in one ? [one.cosignature] : []))
    const refused = answers.flatMap((one) => ("report" in one ? [one.report] : []))
    const shown = await signer.showCheckpoint(head.note, { cosignatures, reports: refused })
    const uncounted = uncountedOf(answers, shown)
    const reports = [...refused, ...uncounted]
    if (uncounted.length > 0) await signer.showCheckpoint(head.note, { cosignatures: [], reports })
    this.#logReports(reports)
    this.#pauseMs = shown.answersWait ? AWAITED_PAUSE_MS : PAUSE_MS
    if (reports.length > 0) return FAULT_PAUSE_MS
    this.#done = name
    return this.#pauseMs
  }

  #pauseMs = PAUSE_MS

  /** Another copy of the ledger may serve than the one whose checkpoints were brought. */
  #isNewCopy({ origin, size }: Head, phase: Phase): boolean {
    return phase === Phase.UNWITNESSED || this.#brought?.origin !== origin || size < this.#brought.size
  }

  /**
   * Shows the signer what witnesses cosigned before, prior to asking any: one that is behind would cosign an older copy, and the
   * newest ledger would be a fork of that.
   */
  async #isContradicted({ origin }: Head): Promise<boolean> {
    const { signer, witnesses } = this.#deps
    const heads = await Promise.all(
      witnesses.map((witness) => witness.latestHead(origin).catch(() => undefined)),
    )
    const notes = heads.filter((note) => note !== undefined)
    // The signer refuses a head that its log did not sign: the lie of one witness keeps no other from cosigning.
    const shown = await Promise.all(notes.map((note) => signer.showCheckpoint(note).catch(() => undefined)))
    return shown.some((answer) => answer?.contradicted)
  }

  async #askSafely(witness: LogWitness, head: Head): Promise<Answered> {
    try {
      return { witness, ...(await this.#ask(witness, head)) }
    } catch (error) {
      if (error instanceof Refusal) throw error
      return {
        witness,
        report: `${witness.name}: no answer (${error instanceof Error ? error.message : String(error)})`,
      }
    }
  }

  /** Asks with the size that the witness is known to have, and once more with the size that it names. */
  async #ask(witness: LogWitness, head: Head): Promise<{ cosignature: Uint8Array } | { report: string }> {
    const place = `${head.origin} ${witness.name}`
    let oldSize = this.#known.get(place) ?? 0
    // It may have begun anew.
    if (oldSize > head.size) oldSize = 0
    for (let attempt = 0; ; attempt++) {
      const { status, text } = await this.#submit(witness, head, oldSize)
      if (status === 200) {
        this.#known.set(place, head.size)
        return { cosignature: Buffer.from(text) }
      }
      const size = status === 409 && /^\d{1,16}\n?$/.test(text) ? Number(text) : undefined
      if (size !== undefined) this.#known.set(place, size)
      const isWorthAnother = size !== undefined && size !== oldSize && size <= head.size && attempt === 0
      if (!isWorthAnother) return { report: await this.#explain(witness, head, { status, text, size }) }
      oldSize = size
    }
  }

  async #submit(witness: LogWitness, { note, size }: Head, oldSize: number) {
    const proof = await this.#deps.signer.readLogConsistency(oldSize, size)
    return witness.addCheckpoint(writeAddCheckpoint({ oldSize, proof, note }))
  }

  /** A head that the witness cosigned and this log does not continue is shown to the signer: its own signature on it is what counts. */
  async #explain(
    witness: LogWitness,
    { origin, size }: Head,
    answer: { status: number; text: string; size: number | undefined },
  ): Promise<string> {
    const isFork = answer.status === 422 || (answer.size !== undefined && answer.size <= size)
    if (answer.size === undefined && !isFork)
      return `${witness.name}: refused with ${answer.status}: ${answer.text.trim()}`
    const evidence = await witness.latestHead(origin).catch(() => undefined)
    if (evidence !== undefined) await this.#deps.signer.showCheckpoint(evidence).catch(() => undefined)
    return isFork
      ? `${witness.name}: cosigned another log of this origin, which this one of ${counted(size, "leaf", "leaves")} does not continue`
      : `${witness.name}: cosigned ${counted(answer.size ?? 0, "leaf", "leaves")}, and this log has ${size}`
  }

  /** Lasting reports are logged once. */
  #logReports(reports: readonly string[]): void {
    const text = reports.join("; ")
    if (text === this.#lastReports) return
    this.#lastReports = text
    if (text === "") this.#deps.log.info("all witnesses cosign the signer's log again")
    else this.#deps.log.warn({ reports: text }, "witnesses do not cosign the signer's log")
  }
}

/** Says of each reply whether the signer counted a signature of it. A signer that names no witnesses counts none. */
function uncountedOf(
  answers: readonly Answered[],
  { counted: ofSigner, witnesses }: { counted: readonly string[]; witnesses: number },
): string[] {
  if (witnesses === 0) return []
  return answers.flatMap((answer) => {
    if (!("cosignature" in answer)) return []
    const names = (readSignatureLines(answer.cosignature) ?? []).map(({ name }) => name)
    if (names.some((name) => ofSigner.includes(name))) return []
    const signed = names.length === 0 ? "a reply without a signature" : `a signature by ${names.join(", ")}`
    return `${answer.witness.name}: ${signed}, which is not of a witness that the signer names, or not valid`
  })
}

function headOf(note: Uint8Array): Head | undefined {
  const text = readNote(note)?.text
  const checkpoint = text === undefined ? undefined : readCheckpoint(text)
  return checkpoint && { ...checkpoint, note }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    timer.unref()
    function done() {
      clearTimeout(timer)
      signal.removeEventListener("abort", done)
      resolve()
    }
    if (signal.aborted) done()
    else signal.addEventListener("abort", done)
  })
}
