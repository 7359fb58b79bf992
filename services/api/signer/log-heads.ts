import { Phase } from "../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { readCheckpoint } from "../../../signer/core/log/checkpoint.ts"
import { readNote } from "../../../signer/core/log/note.ts"
import type { Logger } from "../../common/logger.ts"
import type { Database } from "../../database/database.ts"
import { type LogHead, storedLogHead, storeLogHead } from "../store/log-heads.ts"
import type { Signer } from "./signer.ts"

/** Pause between two comparisons, milliseconds. A signer that was restored from an older copy learns of it within a minute. */
const INTERVAL_MS = 15_000

/**
 * A signer that was halted at its start has decided nothing, and its head only says that it started. So an older copy that witnesses
 * halted leaves no head here, and the newest ledger can take its place. Signers of earlier releases do not say their phase.
 */
const KEPT_IN: readonly Phase[] = [Phase.READY, Phase.UNSPECIFIED]

type LogHeadsDeps = {
  signer: Pick<Signer, "readLog" | "showCheckpoint">
  sql: Database
  log: Logger
}

/**
 * Keeps the latest checkpoint of a log whose signer is ready, and shows it to the signer: one whose ledger is an older copy finds out by it, and so
 * does the second of two signers. This tier cannot verify a checkpoint and need not: the signer believes only its own signature.
 */
export class LogHeads {
  readonly #deps: LogHeadsDeps
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #fault = ""

  constructor(deps: LogHeadsDeps) {
    this.#deps = deps
  }

  /** Runs now and every 15 seconds. A second call changes nothing. */
  start(): void {
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => this.#runLogged(), INTERVAL_MS).unref()
    this.#runLogged()
  }

  /** @throws when the signer or the database cannot be reached */
  async run(): Promise<void> {
    const { signer, sql, log } = this.#deps
    const { checkpoint: note, phase } = await signer.readLog(0, 0)
    const head = headOf(note)
    if (head === undefined) return
    const stored = await storedLogHead(sql, head.origin)
    if (stored !== undefined) {
      const { contradicted } = await signer.showCheckpoint(stored.note)
      if (contradicted) {
        log.error(
          { stored: stored.size, signer: head.size },
          "the signer's log is not the one whose head is stored",
        )
        return
      }
    }
    if (KEPT_IN.includes(phase)) await storeLogHead(sql, head)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  #runLogged(): void {
    this.#running ??= this.#tryRun().finally(() => {
      this.#running = undefined
    })
  }

  /** A lasting fault is logged once, such as a signer of an earlier release, which does not know the calls. */
  async #tryRun(): Promise<void> {
    try {
      await this.run()
      this.#fault = ""
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error)
      if (fault !== this.#fault)
        this.#deps.log.warn({ err: error }, "the head of the signer's log is not kept yet")
      this.#fault = fault
    }
  }
}

function headOf(note: Uint8Array): LogHead | undefined {
  const text = readNote(note)?.text
  const checkpoint = text === undefined ? undefined : readCheckpoint(text)
  return checkpoint && { origin: checkpoint.origin, size: checkpoint.size, note }
}
