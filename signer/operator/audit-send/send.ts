// Sends records of the audit stream to a receiver. It runs outside the signer, which connects nowhere, and only reads the files.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { readRecord, recordDigest } from "../../core/audit/record.ts"
import { UsageFault } from "../../core/command-line.ts"
import { REFUSED, StartError } from "../../core/settings/start-fault.ts"
import { onStopSignal } from "../../process/stop-signals.ts"
import { terminal } from "../../process/terminal.ts"
import { AuditReader } from "../audit/reader.ts"
import type { CommandResult } from "../command-result.ts"
import { type Receiver, receiverAt, type ReceiverFiles } from "./deliver.ts"

export type SendCommand = {
  verb: "send"
  directory?: string | undefined
  /** Address of the receiver. */
  to: string
  /** File that has the last delivered record. */
  state: string
  isOnce: boolean
} & ReceiverFiles

/** The last record that the receiver has. */
type Delivered = { number: number; digest: string }

/** Records in one delivery. */
const MOST_RECORDS = 256
const POLL_MS = 1000
/** Waits after a failed delivery, doubled up to a minute. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [1000, 60_000]

/** Sends until a signal, or until everything is delivered. Each record arrives at least once, in order. */
export async function sendAudit(command: SendCommand, directory: string): Promise<CommandResult> {
  const receiver = receiverAt(command.to, command)
  const stopping = new AbortController()
  onStopSignal(() => stopping.abort())
  const sender = new AuditSender(directory, command.state, receiver)
  let waitMs = FIRST_WAIT_MS
  while (!stopping.signal.aborted) {
    try {
      const sent = await sender.sendNext()
      waitMs = FIRST_WAIT_MS
      if (sent === 0 && command.isOnce) break
      if (sent === 0) await sleep(POLL_MS, stopping.signal)
    } catch (error) {
      if (!(error instanceof Error) || error instanceof StartError) throw error
      if (command.isOnce) throw new StartError(REFUSED, `nothing more was delivered: ${error.message}`)
      terminal.log(`records after number ${sender.delivered} wait: ${error.message}`)
      await sleep(waitMs, stopping.signal)
      waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
    }
  }
  receiver.close()
  const { delivered } = sender
  return { lines: [`delivered up to record ${delivered}`], json: { delivered } }
}

const sleep = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => undefined)

export class AuditSender {
  readonly #reader: AuditReader
  readonly #state: string
  readonly #receiver: Receiver
  #last: Delivered | undefined

  /** Goes on after the record of the state file. @throws {StartError} when the files do not have it */
  constructor(directory: string, state: string, receiver: Receiver) {
    this.#state = state
    this.#receiver = receiver
    this.#reader = new AuditReader(directory)
    this.#last = readState(state)
    if (this.#last !== undefined) this.#skip(this.#last)
  }

  /** Number of the last delivered record; 0: none was. */
  get delivered(): number {
    return this.#last?.number ?? 0
  }

  /** Sends the next records. Returns how many. After an error they are sent again. */
  async sendNext(): Promise<number> {
    const place = this.#reader.place
    const lines = this.#reader.read(MOST_RECORDS).map(({ line }) => line)
    const last = lines.at(-1)
    if (last === undefined) return 0
    try {
      await this.#receiver.deliver(lines)
      this.#last = { number: readRecord(last)?.number ?? this.delivered, digest: recordDigest(last) }
      writeState(this.#state, this.#last)
    } catch (error) {
      this.#reader.rewind(place)
      throw error
    }
    return lines.length
  }

  #skip({ number, digest }: Delivered): void {
    for (;;) {
      const found = this.#reader.read(MOST_RECORDS)
      if (found.length === 0) break
      const at = found.find(({ line }) => recordDigest(line) === digest)
      if (at === undefined) continue
      this.#reader.rewind(at.place)
      return
    }
    throw new StartError(
      REFUSED,
      `record ${number}, the last one that was delivered, is not in the files: they were changed or removed. Verify the stream ` +
        `with countersign-signer audit verify; to send everything that is there, remove ${this.#state}`,
    )
  }
}

function readState(path: string): Delivered | undefined {
  if (!existsSync(path)) return undefined
  try {
    const { number, digest } = JSON.parse(readFileSync(path, "utf8")) as Partial<Delivered>
    if (typeof number === "number" && typeof digest === "string") return { number, digest }
  } catch {
    // The same fault as another content.
  }
  throw new UsageFault(`--state ${path}: it is no file of audit send`)
}

/** Replaces the file at once, durable: after a crash records are sent again, and none is left out. */
function writeState(path: string, delivered: Delivered): void {
  const descriptor = openSync(`${path}.next`, "w", 0o600)
  try {
    writeSync(descriptor, `${JSON.stringify(delivered)}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${path}.next`, path)
}
