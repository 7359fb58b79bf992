import { randomFillSync } from "node:crypto"
import type { BootedSigner } from "./booted-signer.ts"
import type { SignerConfig } from "./config.ts"
import type { AuditStream } from "./audit/audit-stream.ts"
import { LedgerCopies } from "./backup/copies.ts"
import { Executor } from "./execution/execute.ts"
import type { HeldKey } from "./execution/state/held-key.ts"
import { IdentityRegister } from "./execution/state/identity-register.ts"
import { Organizations } from "./execution/state/organizations.ts"
import { ArchivedRecords } from "./execution/state/archived-records.ts"
import { describeNewer, ledgerOlder, RollbackDetector } from "./execution/state/rollback.ts"
import { CurrentSessions } from "./execution/state/sessions.ts"
import { IdSource } from "./ids.ts"
import { CodeSequence } from "./execution/state/code-sequence.ts"
import { IssuerKeyStore } from "./execution/state/issuer-keys.ts"
import { ISSUER_KEYS } from "./execution/workspace/issuer-keys.ts"
import { writeNoteKey } from "../core/log/note-key.ts"
import { readFetcherKeys } from "../core/fetch-orders/pairing.ts"
import { KeyCache } from "./keys/cache.ts"
import { ownBytes, type Secret, wiping } from "../core/crypto/secret.ts"
import type { Limits } from "./organization/limits.ts"
import { requireUnusedLedger } from "./ledger/create-ledger.ts"
import type { CarryOverEvent } from "./ledger/carry-over/carry-over.ts"
import { ORGANIZATIONS_LANE } from "./ledger/lanes.ts"
import { DEPLOYMENT, type Ledger } from "./ledger/ledger.ts"
import { log } from "../process/log.ts"
import { Histogram } from "../process/figures.ts"
import { freeBytesOf, sizeOf } from "./ledger/files.ts"
import { openLedger } from "./ledger/local.ts"
import { DecisionLog } from "./log/decision-log.ts"
import { logDirectory } from "./log/log-files.ts"
import type { Contradiction, LoggedState } from "./log/recovery.ts"
import { type Clock, TrustedClock } from "./ledger/trusted-clock.ts"
import { fetched } from "./modules/powers.ts"
import type { Phase } from "./phase.ts"
import { OrderFigures } from "./rpc/order-figures.ts"
import { newTurns } from "./rpc/turns.ts"
import { type AttestationProvider, noAttestation } from "./proof/boot-proof.ts"
import { type Keyring, keyringAt, openKeyring, wipeKeyring } from "./provision/keyring.ts"
import { openProcessIdentity } from "./provision/process-identity.ts"
import { isSeedStored, readSealedFile, readStoredSeed, type StoredSeed } from "../process/root-seed.ts"
import { requireProductionOf } from "../process/sealed-production.ts"
import { Refusal } from "../core/refusal.ts"
import type { ActGate } from "../core/holder-acts/act-gate.ts"
import type { SealedFile } from "../core/sealed-seed/format.ts"
import { type Holders, holdersDigest } from "../core/sealed-seed/holders.ts"
import { witnessesDigest } from "../core/sealed-seed/witnesses.ts"
import { namesWitnesses, requireApprovedWitnesses } from "./approved-witnesses.ts"
import { holderActs } from "./holder-acts.ts"
import type { ServingState } from "./rpc/context.ts"
import { type OpenedSigner, sealable } from "./sealable.ts"
import { runSlowly, verifyIndexSlowly } from "./verify-index.ts"

export type { BootedSigner }

export type BootOptions = {
  clock: Clock
  /** Ends the process: a failed write may or may not be on disk, or an invariant is broken. */
  terminate: (error: unknown) => never
  random?: (length: number) => Uint8Array
  /** The host's attestation of the code it runs; by default none. */
  attestation?: AttestationProvider
  /** The audit stream that the log binds; absent: none. */
  audit?: AuditStream | undefined
  /** Called after a sealed seed was unlocked or locked. */
  onLockChange?: () => void
}

/**
 * Opens root seed and ledger, decides the first phase. Halts if they do not match, so an operator can ask why. With a sealed
 * seed it waits to be unlocked.
 */
export function boot(config: SignerConfig, options: BootOptions): BootedSigner {
  const idle = (phase: Phase) => halted(phase, { config, options })
  const open = (seed: Secret, sealed?: SealedFile) => openWith(seed, { config, options, sealed })
  try {
    const stored = readSeed(config)
    if (stored === undefined) return idle({ name: "empty", sentence: ROOT_SEED_MISSING })
    if (stored.kind === "plain") return wiping([stored.seed], () => open(stored.seed))
    requireProductionOf(stored.sealed, config)
    requireApprovedWitnesses(stored.sealed.header, config.witnesses)
    const { clock, onLockChange = () => undefined } = options
    return sealable(stored.sealed, {
      open,
      read: () => readSealedFile(config.seedFile),
      idle,
      monotonicMs: () => clock.monotonicMs(),
      onChange: onLockChange,
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return idle({ name: "halted", code: error.code, sentence: error.message })
  }
}

/** `sealed`: the file that gave the seed; undefined: it lies in a plain one. */
type Opening = { config: SignerConfig; options: BootOptions; sealed: SealedFile | undefined }

function openWith(seed: Secret, opening: Opening): OpenedSigner {
  const { config, options, sealed } = opening
  // The file may be another one than at the start, and is authentic only now.
  if (sealed !== undefined) requireApprovedWitnesses(sealed.header, config.witnesses)
  const keyring = openKeyring(seed, config)
  const { terminate } = options
  const writes = new LedgerWrites()
  let decisionLog: DecisionLog | undefined
  const onCommit = () => decisionLog?.transaction(stateOf(ledger))
  const ledger = keyring.ledger.use((key) =>
    openLedger({
      directory: config.ledgerDirectory,
      key,
      terminate,
      onBatch: writes.add,
      onCommit,
      onCarryOver: logCarryOver,
    }),
  )
  const acts = holderActs(sealed, config, withRandom(options))
  const { holders } = acts
  decisionLog = openLog(keyring, ledger, { ...opening, holders })
  const { epoch } = ledger.term(DEPLOYMENT)
  const signer = serve(keyringAt(keyring, epoch), { ledger, log: decisionLog, writes, acts }, config, options)
  return { ...signer, wipeKeys: () => wipeKeyring(keyring) }
}

function logCarryOver(event: CarryOverEvent): void {
  if (event.is === "begun")
    return log("warn", "the ledger of an earlier release is carried over; this may take minutes", {
      bytes: event.bytes,
    })
  const { shards, rows } = event
  return log("warn", "the ledger was carried over: the release before cannot open it any more", {
    shards,
    rows,
  })
}

const withRandom = ({ clock, random = freshBytes }: BootOptions) => ({ clock, random })

/** Random bytes without another copy: wiping them leaves none. */
function freshBytes(length: number): Uint8Array {
  const bytes = ownBytes(length)
  randomFillSync(bytes)
  return bytes
}

/** Undefined: there is neither seed nor ledger. @throws ROOT_SEED_UNUSABLE, SEALED_SEED_DAMAGED; LEDGER_FOREIGN when only the seed is lost */
function readSeed({ seedFile, ledgerDirectory }: SignerConfig): StoredSeed | undefined {
  if (isSeedStored(seedFile)) return readStoredSeed(seedFile)
  requireUnusedLedger(ledgerDirectory)
  return undefined
}

const ROOT_SEED_MISSING =
  "there is neither root seed nor ledger; restore both from the backup of this deployment, or create a new deployment " +
  "with countersign-signer init; then start the signer again"

type LogOptions = Opening & { holders: Holders | undefined }

function openLog(
  keyring: Keyring,
  ledger: Ledger,
  { config, options, sealed, holders }: LogOptions,
): DecisionLog {
  const hasApprovedWitnesses = sealed !== undefined && namesWitnesses(sealed.header)
  return new DecisionLog({
    holdersDigest: holders === undefined ? undefined : holdersDigest(holders),
    witnessesDigest: hasApprovedWitnesses ? witnessesDigest(config.witnesses) : undefined,
    directory: logDirectory(config.ledgerDirectory),
    deploymentId: keyring.pins.deploymentId,
    lane: ORGANIZATIONS_LANE,
    signerOf: keyring.log.signerOf,
    ledger: () => stateOf(ledger),
    nowMs: () => Math.max(options.clock.wallMs(), ledger.timeFloorMs()),
    audit: options.audit,
    witnesses: config.witnesses,
    monotonicMs: () => options.clock.monotonicMs(),
    terminate: options.terminate,
    onContradiction: logContradiction,
  })
}

/** The ledger as leaves name it: the transactions of all its lanes are counted together. */
function stateOf(ledger: Ledger): LoggedState {
  const { lanes } = ledger.position()
  return { sequence: lanes.reduce((sum, { sequence }) => sum + sequence, 0n), digest: ledger.stateDigest() }
}

/** Counts the ledger's transactions. */
class LedgerWrites {
  readonly seconds = new Histogram()
  changes = 0n

  readonly add = (changes: number, syncSeconds: number): void => {
    this.seconds.add(syncSeconds)
    this.changes += BigInt(changes)
  }
}

type Opened = { ledger: Ledger; log: DecisionLog; writes: LedgerWrites; acts: ActGate }

function serve(
  keyring: Keyring,
  { ledger, log: decisionLog, writes, acts }: Opened,
  config: SignerConfig,
  options: BootOptions,
): BootedSigner {
  const time = new TrustedClock(options.clock, ledger)
  const rollback = new RollbackDetector(ledger, logNewer)
  const turns = newTurns()
  const orders = new OrderFigures()
  const stopping = new AbortController()
  const core = { keyring, ledger, log: decisionLog, time, rollback, turns, stopping: stopping.signal }
  const state = servingState(core, config, options)
  const closeNow = closingOf(state, ledger, decisionLog)
  let purging: Promise<number> | undefined
  let indexVerified = false
  return {
    phase: () => (stopping.signal.aborted ? STOPPING : phaseOf(time, rollback, decisionLog)),
    turns,
    orders,
    storage: () => ({ ...storageOf(state, writes, config.ledgerDirectory), indexVerified }),
    stopping: stopping.signal,
    seedLock: undefined,
    acts,
    state: () => state,
    terminate: options.terminate,
    acceptClock: () => time.acceptClock(options.clock.wallMs()),
    async acceptLedger() {
      await time.waitOutRequests()
      const epoch = await rollback.accept(options.clock.wallMs())
      decisionLog.beginEra(epoch)
    },
    signLog: () => decisionLog.sign(),
    signedHead: () => decisionLog.signed.head,
    async purge() {
      if (stopping.signal.aborted || phaseOf(time, rollback, decisionLog).name !== "ready") return
      state.signingKeys.sweep(time.nowMs())
      // After a long standstill one purge may take longer than the time to the next.
      purging ??= ledger.purge(time.purgeableUntilMs()).finally(() => {
        purging = undefined
      })
      await purging
    },
    async verifyIndex() {
      const verified = await verifyIndexSlowly(ledger, stopping.signal)
      indexVerified = verified !== undefined
      await runSlowly(decisionLog.signed.verify(), stopping.signal)
      return verified
    },
    stop: () => stopping.abort(),
    async close() {
      stopping.abort()
      await orders.idle()
      await closeNow()
    },
    closeNow,
  }
}

/** Closes once, however often it is called: a second stop would be a leaf of the log. */
function closingOf(
  { signingKeys }: Pick<ServingState, "signingKeys">,
  ledger: Ledger,
  decisionLog: DecisionLog,
): () => Promise<void> {
  let closing: Promise<void> | undefined
  const close = async () => {
    signingKeys.clear()
    await ledger.close()
    await decisionLog.close()
  }
  return () => (closing ??= close())
}

function logNewer(newer: Parameters<typeof describeNewer>[0]): void {
  log("error", "the ledger is older than state of this deployment: nothing is decided", {
    reason: describeNewer(newer),
  })
}

function logContradiction({ code, detail }: Contradiction): void {
  log("error", "a signed checkpoint contradicts the ledger's log: nothing is decided", {
    code,
    reason: detail,
  })
}

function storageOf(
  { signingKeys, organizations, keyring, log: decisionLog }: ServingState,
  { seconds, changes }: LedgerWrites,
  ledgerDirectory: string,
) {
  return {
    ledgerSyncSeconds: seconds.read(),
    ledgerChanges: changes,
    ledgerBytes: BigInt(sizeOf(ledgerDirectory)),
    diskFreeBytes: freeBytesOf(ledgerDirectory),
    cachedKeys: signingKeys.size,
    cachedDocuments: organizations.size,
    sealEpoch: keyring.records.epoch,
    unwitnessedSeconds: decisionLog.witnesses.unwitnessedSeconds,
  }
}

/** The objects that decide and run orders, over one ledger and keyring. */
function servingState(
  core: Pick<ServingState, "keyring" | "ledger" | "log" | "rollback" | "turns"> & {
    time: TrustedClock
    stopping: AbortSignal
  },
  config: SignerConfig,
  options: BootOptions,
): ServingState {
  const { keyring, ledger, log: decisionLog, rollback, turns, time, stopping } = core
  const random = options.random ?? freshBytes
  const fetcherKey = readFetcherKeys(config.fetcherPublicKey ?? "")?.sign
  const deps = {
    ledger,
    log: decisionLog,
    keyring,
    identity: openProcessIdentity({
      keyring,
      configuration: { ...config, limits: numbersOf(config.limits) },
      attestation: options.attestation ?? noAttestation,
      random,
      bootedAtMs: options.clock.wallMs(),
    }),
    limits: config.limits,
    admittedMembers: config.admittedMembers,
    sends: config.sends,
    organizations: new Organizations(ledger, rollback),
    sessions: new CurrentSessions(ledger, keyring.records),
    archive: new ArchivedRecords(ledger, keyring.records),
    register: new IdentityRegister(keyring.identity, ledger),
    signingKeys: new KeyCache<HeldKey>(config.keyCache),
    fetcherKey,
    oidcIssuer: config.oidcIssuer,
    factKinds: new Map([ISSUER_KEYS, ...fetched].map((kind) => [kind.task, kind])),
    issuerKeys: new IssuerKeyStore(ledger, keyring),
    codeSequence: new CodeSequence(ledger, fetcherKey),
    rollback,
    ids: new IdSource(random),
    random,
    turns,
    nowMs: () => time.nowMs(),
  }
  const copies = new LedgerCopies({
    ledger,
    log: decisionLog,
    key: keyring.ledger,
    ledgerDirectory: config.ledgerDirectory,
    nowMs: () => options.clock.wallMs(),
    monotonicMs: () => options.clock.monotonicMs(),
    stopping,
  })
  return { ...deps, executor: new Executor(deps), copies, audit: options.audit }
}

const STOPPING: Phase = {
  name: "stopping",
  sentence: "the signer is stopping; send the same body again once it is up",
}

/** A clock that does not run comes first: accepting a ledger takes a trusted time. */
function phaseOf(time: TrustedClock, { found }: RollbackDetector, decisionLog: DecisionLog): Phase {
  const { contradiction } = decisionLog
  if (time.isRunning() && found !== undefined)
    return { name: "ledger-older", ...OLDER, detail: describeNewer(found) }
  if (time.isRunning() && contradiction !== undefined) {
    const { code, detail } = contradiction
    return { name: "ledger-older", ...(code === "LEDGER_OLDER" ? OLDER : FORKED), detail }
  }
  try {
    time.nowMs()
    if (!decisionLog.isWitnessed) return unwitnessed(decisionLog)
    const remark = time.drift()
    return remark === undefined ? { name: "ready" } : { name: "ready", remark }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { name: "clock-untrusted", sentence: error.message }
  }
}

const OLDER = { code: "LEDGER_OLDER", sentence: ledgerOlder().message } as const
const FORKED = {
  code: "LEDGER_FORKED",
  sentence:
    "the signer's ledger is not the one whose log this deployment signed: a second copy of it went on by itself, or it was changed; an " +
    "operator must stop the other signer, restore the newest ledger with its log, or accept this one",
} as const

/** Callers learn which witnesses are missing; the operator also what these answered, and what each has to know. */
function unwitnessed({ witnesses, signed }: DecisionLog): Phase {
  const { threshold, keys } = witnesses.policy
  const missing = witnesses.missing(signed.size).join(", ")
  const sentence =
    `the signer has started, and ${threshold} of ${keys.length} witnesses have to cosign its log before it decides anything; ` +
    `missing: ${missing}; try again`
  const reports = witnesses.reports.map((report) => `; reported: ${report}`).join("")
  const detail =
    "start these witnesses, name them in COUNTERSIGN_API_WITNESSES, and give each the log's key " +
    `${writeNoteKey(signed.key)}. A witness that knows more leaves than ${signed.size}, or another log, shows that this ledger is an ` +
    `older copy or one of two: restore the newest one${reports}`
  return { name: "unwitnessed", sentence, detail }
}

const doNothing = () => Promise.resolve()

function halted(phase: Phase, { config, options }: Pick<Opening, "config" | "options">): BootedSigner {
  const { terminate } = options
  return {
    phase: () => phase,
    turns: newTurns(),
    orders: new OrderFigures(),
    storage: haltedState,
    stopping: new AbortController().signal,
    seedLock: undefined,
    acts: holderActs(undefined, config, withRandom(options)),
    state: haltedState,
    terminate,
    acceptClock: doNothing,
    acceptLedger: doNothing,
    purge: doNothing,
    signLog: doNothing,
    signedHead: () => undefined,
    verifyIndex: async () => undefined,
    stop: () => undefined,
    close: doNothing,
    closeNow: doNothing,
  }
}

function haltedState(): never {
  throw new Error("a halted signer has no state and no keys")
}

/** The limits that are numbers: those that boot proofs show. */
function numbersOf(limits: Readonly<Limits>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
  )
}
