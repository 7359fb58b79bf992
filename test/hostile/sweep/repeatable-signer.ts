import { createHash, createHmac } from "node:crypto"
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { toBinary } from "@bufbuild/protobuf"
import { OrderAnswerSchema } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { InProcessBoundary, type OrderInit } from "../../harness/boundary.ts"
import { TestClock } from "../../harness/clock.ts"
import { nameOf } from "../../harness/api-client.ts"
import { signDeterministically } from "./deterministic-signatures.ts"

/** A copy of the signer's data directory, with the time at which it was made. */
export type Snapshot = { directory: string; atMs: number; digest: string }

/** Effect of one order on a signer that started from a snapshot. `answer` and `state` are digests. */
export type Effect =
  | { is: "outcome"; answer: string; state: string }
  | { is: "refused"; code: string }
  | { is: "needed" }

/** A folder in memory where the system has one: thousands of starts need no disk. */
const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

const TABLES = ["ledger", "lane", "organization", "entry"]

/**
 * A signer whose effects can be compared byte for byte. From one snapshot, with the same time, random bytes and signature
 * nonces, the same order has the same answer and leaves the same ledger.
 */
export class RepeatableSigner {
  readonly boundary: InProcessBoundary
  readonly #folder = mkdtempSync(join(MEMORY, "countersign-sweep-"))
  #snapshots = 0
  #current: Snapshot | undefined
  #sequence = 0n
  #organizationsSequence = 0n
  #seed = "setup"

  /** @param settings of the signer beside its data directory */
  constructor(settings: { [name: string]: string }) {
    signDeterministically()
    this.boundary = new InProcessBoundary(new TestClock(), settings, () => countedBytes(this.#seed), MEMORY)
  }

  async close(): Promise<void> {
    await this.boundary.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Saves the signer's present state and restarts the signer, whose caches are then empty. */
  async save(): Promise<Snapshot> {
    // Bytes that came before the restart must not come again.
    this.#seed += ", later"
    const directory = join(this.#folder, String(this.#snapshots++))
    let digest = ""
    await this.boundary.restart(() => {
      cpSync(this.boundary.directory, directory, { recursive: true, filter: isNoSocket })
      digest = this.#digest()
    })
    return { directory, atMs: this.boundary.clock.wallMs(), digest }
  }

  /** Deletes a snapshot that is not needed any more. */
  discard({ directory }: Snapshot): void {
    rmSync(directory, { recursive: true, force: true })
  }

  /** Starts the signer from a snapshot. `seed`: selects its random bytes. */
  async load(snapshot: Snapshot, seed: string): Promise<void> {
    this.#seed = seed
    const isThere = this.#current === snapshot && this.isUntouched
    await this.boundary.restart(() => {
      // A signer that stops may have noted its time.
      if (!isThere || this.#digest() !== snapshot.digest) this.#restore(snapshot)
      this.boundary.clock.setWall(snapshot.atMs)
    })
    this.#current = snapshot
    this.#sequence = this.#position()
    this.#organizationsSequence = this.#ledger.sequence()
  }

  /** True if the signer has committed no transaction since `load`. */
  get isUntouched(): boolean {
    return this.#position() === this.#sequence
  }

  /** True if the signer has committed no change of an organization's rows, or of an outcome that is kept for one. */
  get hasSameOrganizations(): boolean {
    return this.#ledger.sequence() === this.#organizationsSequence
  }

  /** Sends one order. After an outcome the signer starts again from the snapshot. */
  async effectOf(order: OrderInit): Promise<Effect> {
    const answer = await this.boundary.execute(order)
    switch (answer.answer.case) {
      case "needed":
        return { is: "needed" }
      case "refused":
        return { is: "refused", code: nameOf(answer.answer.value.code) }
      case "outcome": {
        // The ledger's sequence counts the transactions of all tenants.
        answer.answer.value.ledgerSequence = 0n
        for (const created of answer.answer.value.createdOrganizations) created.ledgerSequence = 0n
        // The receipt of a leaf whose salt is random.
        if (answer.answer.value.decision) answer.answer.value.decision.logReceipt = new Uint8Array(0)
        const bytes = toBinary(OrderAnswerSchema, { ...answer, id: 0n })
        return { is: "outcome", answer: sha256(bytes), state: await this.#stateAndReload() }
      }
      default:
        throw new Error("the signer did not answer")
    }
  }

  async #stateAndReload(): Promise<string> {
    const snapshot = this.#current
    if (snapshot === undefined) throw new Error("no snapshot was loaded")
    let state = snapshot.digest
    const isUntouched = this.isUntouched
    await this.boundary.restart(() => {
      if (isUntouched) return
      state = this.#digest()
      this.#restore(snapshot)
    })
    return state
  }

  #restore({ directory }: Snapshot): void {
    rmSync(this.boundary.directory, { recursive: true })
    cpSync(directory, this.boundary.directory, { recursive: true })
  }

  get #ledger() {
    return this.boundary.signer.state().ledger
  }

  #position(): bigint {
    const { lanes } = this.#ledger.position()
    return lanes.reduce((sum, { sequence }) => sum + sequence, 0n)
  }

  #digest(): string {
    const ledger = join(this.boundary.directory, "signer", "ledger", "ledger.sqlite")
    const database = new DatabaseSync(ledger, { readOnly: true })
    try {
      const digest = createHash("sha256")
      for (const table of TABLES) {
        const statement = database.prepare(`SELECT * FROM ${table} ORDER BY 1`)
        for (const row of statement.all())
          for (const [name, value] of Object.entries(row)) {
            digest.update(`${table}.${name} `)
            digest.update(value instanceof Uint8Array ? value : String(value))
          }
      }
      return digest.digest("hex")
    } finally {
      database.close()
    }
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex")
}

const isNoSocket = (name: string) => !name.endsWith(".sock")

/** Bytes that look random and are the same for the same seed: HMAC-SHA256 of a counter. */
function countedBytes(seed: string): (length: number) => Uint8Array {
  let count = 0
  const block = () => createHmac("sha256", seed).update(String(count++)).digest()
  return (length) => {
    const blocks = Array.from({ length: Math.ceil(length / 32) }, block)
    return Uint8Array.from(Buffer.concat(blocks).subarray(0, length))
  }
}
