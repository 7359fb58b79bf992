import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { mock } from "node:test"
import { create } from "@bufbuild/protobuf"
import {
  AcknowledgementSchema,
  type OrderAnswer,
  OrderSchema,
  type RecoverResponse,
  RecoverResponseSchema,
  SignerService,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import { readAdmittedMembers } from "../../signer/enclave/admitted-members.ts"
import type { BootedSigner } from "../../signer/enclave/booted-signer.ts"
import { readConfig } from "../../signer/enclave/config.ts"
import { holderActs } from "../../signer/enclave/holder-acts.ts"
import { newLedger } from "../../signer/enclave/ledger/create-ledger.ts"
import type { NewLedger } from "../../signer/enclave/ledger/store.ts"
import { ORGANIZATIONS_LANE } from "../../signer/enclave/ledger/lanes.ts"
import type { Ledger } from "../../signer/enclave/ledger/ledger.ts"
import { ledgerOver } from "../../signer/enclave/ledger/over-store.ts"
import { DecisionLog } from "../../signer/enclave/log/decision-log.ts"
import { logDirectory } from "../../signer/enclave/log/log-files.ts"
import { keyringAt, openKeyring } from "../../signer/enclave/provision/keyring.ts"
import { acknowledge, answerOrder } from "../../signer/enclave/rpc/execute.ts"
import { inPhase, operatorHandlers, signerHandlers } from "../../signer/enclave/rpc/index.ts"
import { LedgerWrites, serve } from "../../signer/enclave/start/serving.ts"
import type { AcknowledgementInit, Boundary, OrderInit } from "../harness/boundary.ts"
import { TestClock } from "../harness/clock.ts"
import { MemoryStorage } from "../signer/enclave/ledger/memory-store.ts"
import { FaultyStore } from "./faulty-store.ts"
import { seededBytes } from "./seeded.ts"

const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()
const SEED_BYTES = 32
/** Longer than each timer of the signer's decisions. */
const TIMERS_MS = 1_000

type Running = { signer: BootedSigner; store: FaultyStore; ledger: Ledger; log: DecisionLog }

/** The signer's own code over a ledger in memory, with the clock, the random bytes and the faults of a simulation. */
export class SimulatedSigner implements Boundary {
  readonly clock = new TestClock()
  readonly #directory = mkdtempSync(join(MEMORY, "countersign-simulation-"))
  readonly #seed: string
  readonly #created: NewLedger
  #storage: MemoryStorage
  #newest: MemoryStorage | undefined
  #running: Running | undefined
  #starts = 0
  #id = 0n
  #ends: (() => void)[] = []

  private constructor(seed: string) {
    this.#seed = seed
    mkdirSync(this.#config().ledgerDirectory, { recursive: true })
    this.#created = this.#keyring().ledger.use(newLedger)
    this.#storage = new MemoryStorage(this.#created)
  }

  static async open(seed: string): Promise<SimulatedSigner> {
    mock.timers.enable({ apis: ["setTimeout"] })
    const signer = new SimulatedSigner(seed)
    await signer.start()
    return signer
  }

  /** False once the process has ended itself, or was killed. */
  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** `end` is called once, when this process ends. */
  onEnd(end: () => void): void {
    this.#ends.push(end)
  }

  get store(): FaultyStore {
    return this.#current.store
  }

  get phase(): string {
    return this.#current.signer.phase().name
  }

  /** Version of an organization's document in the ledger; 0: there is none. */
  version(organizationId: string): bigint {
    return this.#current.ledger.head(organizationId)?.version ?? 0n
  }

  execute(order: OrderInit): Promise<OrderAnswer> {
    this.#id += 1n
    const message = create(OrderSchema, { ...order, id: this.#id })
    return answerOrder(message, inPhase(SignerService.method.execute, this.#current.signer))
  }

  /** Resolves once it is durable: what nobody waits for is written by a timer. */
  async acknowledge(acknowledgement: AcknowledgementInit): Promise<void> {
    const durable = acknowledge(create(AcknowledgementSchema, acknowledgement), this.#current.signer)
    await new Promise((resolve) => setImmediate(resolve))
    mock.timers.tick(TIMERS_MS)
    await durable
  }

  async recover(organizationId: string, after = ""): Promise<RecoverResponse> {
    const page = await signerHandlers.recover({ organizationId, after } as never, this.#current.signer)
    return create(RecoverResponseSchema, page)
  }

  async createSetupCode(publicKey: string, expirationSeconds = 0): Promise<string> {
    const request = { publicKey, expirationSeconds } as never
    return (await operatorHandlers.createSetupCode(request, this.#current.signer)).setupCode
  }

  nowMs(): number {
    this.clock.pass(1)
    return this.clock.wallMs()
  }

  /** The clock goes on by `ms`, and the work of the signer's timer runs once. */
  async pass(ms: number): Promise<void> {
    this.clock.pass(ms)
    if (this.isRunning) await this.#current.signer.purge()
  }

  async start(): Promise<void> {
    this.#starts += 1
    const store = new FaultyStore(this.#storage)
    const keyring = this.#keyring()
    const config = this.#config()
    const { clock } = this
    const tenure = await store.takeOver()
    const terminate = (() => this.kill()) as () => never
    const writes = new LedgerWrites()
    const random = seededBytes(`${this.#seed}, start ${this.#starts}`)
    const options = { clock, terminate, random }
    let log: DecisionLog | undefined
    const onCommit = () => log?.transaction(stateOf(ledger))
    const ledger = keyring.ledger.use((key) =>
      ledgerOver(store, tenure, { key, terminate, onBatch: writes.add, onCommit }),
    )
    log = new DecisionLog({
      holdersDigest: undefined,
      witnessesDigest: undefined,
      directory: logDirectory(config.ledgerDirectory),
      deploymentId: keyring.pins.deploymentId,
      lane: ORGANIZATIONS_LANE,
      signerOf: keyring.log.signerOf,
      ledger: () => stateOf(ledger),
      nowMs: () => Math.max(clock.wallMs(), ledger.timeFloorMs()),
      audit: undefined,
      witnesses: config.witnesses,
      monotonicMs: () => clock.monotonicMs(),
      terminate,
      onContradiction: () => undefined,
    })
    const parts = { ledger, log, writes, acts: holderActs(undefined, config, options) }
    const signer = serve(keyringAt(keyring, 0), parts, config, options)
    this.#running = { signer, store, ledger, log }
  }

  /** Ends the process as SIGKILL does: changes that it had not written are lost, and orders under way are never answered. */
  kill(): void {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    running.store.cut()
    running.signer.stop()
    running.log.signed.abandon()
    for (const end of this.#ends.splice(0)) end()
  }

  /**
   * The host shows the ledger as it was some transactions ago. The log stays as it is: it is older than the ledger, or contradicts
   * it, or says the same.
   */
  async rollBack(transactions: number): Promise<void> {
    this.kill()
    const { batches } = this.#storage
    this.#newest = this.#storage
    this.#storage = new MemoryStorage(this.#created)
    for (const batch of batches.slice(0, Math.max(0, batches.length - transactions)))
      this.#storage.take(batch)
    await this.start()
  }

  /** The newest ledger is restored. */
  async rollForward(): Promise<void> {
    this.kill()
    this.#storage = this.#newest ?? this.#storage
    await this.start()
  }

  async restart(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    await running?.signer.close()
    await this.start()
  }

  async close(): Promise<void> {
    this.kill()
    mock.timers.reset()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  get #current(): Running {
    if (this.#running === undefined) throw new Error("the signer does not run")
    return this.#running
  }

  #keyring() {
    return openKeyring(Secret.moveFrom(Buffer.from(seededBytes(`${this.#seed}, root`)(SEED_BYTES))))
  }

  #config() {
    return readConfig({ COUNTERSIGN_DATA_DIR: this.#directory }, readAdmittedMembers)
  }
}

/** The ledger's state as leaves of the log name it. */
function stateOf(ledger: Ledger) {
  const { lanes } = ledger.position()
  return { sequence: lanes.reduce((sum, { sequence }) => sum + sequence, 0n), digest: ledger.stateDigest() }
}
