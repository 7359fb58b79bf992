import { cutUnsynced, ignoreSyncs } from "./synced-files.ts"
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { mock } from "node:test"
import { create } from "@bufbuild/protobuf"
import {
  AcknowledgementSchema,
  type OrderAnswer,
  OrderSchema,
  type RecoveredOutcome,
  type RecoverResponse,
  RecoverResponseSchema,
  SignerService,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import { MAX_LOG_LEAVES } from "../../signer/core/wire.ts"
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
import { chance } from "../harness/chance.ts"
import { TestClock } from "../harness/clock.ts"
import { MemoryStorage } from "../signer/enclave/ledger/memory-store.ts"
import { FaultyStore } from "./faulty-store.ts"
import type { Mutant } from "./mutants.ts"
import { seededBytes } from "./seeded.ts"
import { turns } from "./turns.ts"

const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()
const SEED_BYTES = 32
/** Longer than each timer of the signer's decisions. */
const TIMERS_MS = 1_000
/** More turns than the transaction of a timer takes. */
const TIMERS_TURNS = 8
/** Reads of the clock of slices before it advances. */
const CALLS_PER_SLICE = 32
/** Prefix of the names of the files that hold the leaves. */
const SEGMENTS = "leaves-"
/** More turns than the rest of a write takes. */
const WRITE_TURNS = 3

type Running = { signer: BootedSigner; store: FaultyStore; ledger: Ledger; log: DecisionLog }

/** The signer's own code over a ledger in memory, with the clock, the random bytes and the faults of a simulation. */
export class SimulatedSigner implements Boundary {
  readonly clock = new TestClock()
  readonly #directory = mkdtempSync(join(MEMORY, "countersign-simulation-"))
  readonly #seed: string
  readonly #mutant: Mutant
  readonly #created: NewLedger
  #storage: MemoryStorage
  #newest: MemoryStorage | undefined
  #running: Running | undefined
  #starts = 0
  #id = 0n
  #ends: (() => void)[] = []
  /** Leaves of the log that were signed when a process was killed, by its number. */
  readonly #signedAtEnd: number[] = []
  readonly #cuts: (below: number) => number

  private constructor(seed: string, mutant: Mutant) {
    this.#seed = seed
    this.#mutant = mutant
    this.#cuts = chance(Buffer.from(seededBytes(`${seed}, cuts`)(4)).readUInt32BE())
    ignoreSyncs(mutant.ignoresSyncs === true)
    mkdirSync(this.#config().ledgerDirectory, { recursive: true })
    this.#created = this.#keyring().ledger.use(newLedger)
    this.#storage = new MemoryStorage(this.#created)
  }

  static async open(seed: string, mutant: Mutant = {}): Promise<SimulatedSigner> {
    mock.timers.enable({ apis: ["setTimeout"] })
    const signer = new SimulatedSigner(seed, mutant)
    mock.method(performance, "now", sliceClock(seed, signer.clock))
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

  /** Resolves once the acknowledgement is durable. A timer or the next change writes it, or a kill loses it. */
  acknowledge(acknowledgement: AcknowledgementInit): Promise<void> {
    return acknowledge(create(AcknowledgementSchema, acknowledgement), this.#current.signer)
  }

  async recover(organizationId: string, after = ""): Promise<RecoverResponse> {
    const page = await signerHandlers.recover({ organizationId, after } as never, this.#current.signer)
    return create(RecoverResponseSchema, page)
  }

  /** Every outcome that Recover returns. */
  async recoverAll(): Promise<RecoveredOutcome[]> {
    const found: RecoveredOutcome[] = []
    for (let after = "", more = true; more; ) {
      const page = await this.recover("", after)
      found.push(...page.outcomes)
      after = page.outcomes.at(-1)?.outcome?.decision?.voteId ?? after
      more = page.more
    }
    return found
  }

  /** All records of an organization's archive, and its document. */
  async archive(organizationId: string) {
    const found: { document: Uint8Array; records: Uint8Array[] } = {
      document: new Uint8Array(0),
      records: [],
    }
    for (let cursor = "", more = true; more; ) {
      const request = { organizationId, afterRecordId: "", cursor, activityFingerprints: [] }
      const page = await signerHandlers.readArchive(request as never, this.#current.signer)
      found.document = page.document ?? found.document
      found.records.push(...page.records)
      cursor = page.nextCursor
      more = page.more
    }
    return found
  }

  /** Signs the log, and returns its head with the leaves from one on. */
  async signedLog(first: number) {
    await this.#current.signer.signLog()
    const request = { first: BigInt(first), count: MAX_LOG_LEAVES }
    const read = await signerHandlers.readLog(request as never, this.#current.signer)
    return this.#mutant.log?.(read) ?? read
  }

  /** Signed leaves at the end of the n-th process, which its kill cannot lose; infinity: it still runs. */
  signedAtEnd(start: number): number {
    return this.#signedAtEnd[start] ?? Number.POSITIVE_INFINITY
  }

  /** Digest of the ledger's whole state, hexadecimal. */
  get stateDigest(): string {
    return Buffer.from(this.#current.ledger.stateDigest()).toString("hex")
  }

  /** The stored bytes, which a host may alter while no process runs. */
  get storage(): MemoryStorage {
    return this.#storage
  }

  /** Number of processes so far. */
  get starts(): number {
    return this.#starts
  }

  async createSetupCode(publicKey: string, expirationSeconds = 0): Promise<string> {
    const request = { publicKey, expirationSeconds } as never
    return (await operatorHandlers.createSetupCode(request, this.#current.signer)).setupCode
  }

  nowMs(): number {
    this.clock.pass(1)
    return this.clock.wallMs()
  }

  /** The clock goes on by `ms`, and the signer's timers fire. */
  async pass(ms: number): Promise<void> {
    this.clock.pass(ms)
    await this.fireTimers()
    if (this.isRunning) await this.#current.signer.purge()
  }

  /**
   * Fires the signer's short timers, as if a second had passed, and waits for their work. That work must not overlap a sync of the log,
   * which takes another number of turns each time.
   */
  async fireTimers(): Promise<void> {
    await turns(1)
    mock.timers.tick(TIMERS_MS)
    await turns(TIMERS_TURNS)
  }

  async start(): Promise<void> {
    // Writes that a killed process had begun end before the next process reads.
    await turns(WRITE_TURNS)
    this.#starts += 1
    const store = new FaultyStore(this.#storage)
    const keyring = this.#keyring()
    const config = this.#config()
    const { clock } = this
    const start = this.#starts
    const tenure = await store.takeOver()
    // Code of a killed process goes on here; it ends no other one.
    const terminate = (() => this.#starts === start && this.kill()) as () => never
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
    const { decide: faulty } = this.#mutant
    const decide = log.decide.bind(log)
    if (faulty !== undefined) log.decide = (decision) => faulty(decide, decision)
    const parts = { ledger, log, writes, acts: holderActs(undefined, config, options) }
    const signer = serve(keyringAt(keyring, 0), parts, config, options)
    this.#running = { signer, store, ledger, log }
  }

  /** Ends the process as SIGKILL does: changes that it had not written are lost, and orders under way are never answered. */
  kill(): void {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    const { store, signer, log } = running
    this.#signedAtEnd[this.#starts] = log.signed.signed?.size ?? 0
    store.cut()
    signer.stop()
    log.signed.abandon()
    // Half of all ends are power cuts. The ledger in memory has what it acknowledged; the log's files have what was synced.
    if (this.#cuts(2) === 0) cutUnsynced(logDirectory(this.#config().ledgerDirectory), SEGMENTS)
    // A killed process writes no file.
    log.keepReceipt = () => undefined
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

  /** Stops the process gracefully while orders are under way: running ones are answered, others are refused. `start` starts it again. */
  async stop(): Promise<void> {
    const running = this.#running
    await running?.signer.close()
    if (this.#running !== running || running === undefined) return
    // Answers leave before the process ends.
    await turns(WRITE_TURNS)
    this.#running = undefined
    for (const end of this.#ends.splice(0)) end()
  }

  /** The operator accepts the host's clock. */
  async acceptClock(): Promise<void> {
    await this.#current.signer.acceptClock()
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
    mock.restoreAll()
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

/** The time by which the signer divides long work: slices end at chosen places, and not where the machine is busy. */
function sliceClock(seed: string, clock: TestClock): () => number {
  const pick = chance(Buffer.from(seededBytes(`${seed}, slices`)(4)).readUInt32BE())
  let slices = 0
  return () => {
    if (pick(CALLS_PER_SLICE) === 0) slices += 1
    return clock.monotonicMs() + slices
  }
}

/** The ledger's state as leaves of the log name it. */
function stateOf(ledger: Ledger) {
  const { lanes } = ledger.position()
  return { sequence: lanes.reduce((sum, { sequence }) => sum + sequence, 0n), digest: ledger.stateDigest() }
}
