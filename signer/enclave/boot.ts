import type { BootedSigner } from "./booted-signer.ts"
import type { SignerConfig } from "./config.ts"
import { type Secret, wiping } from "../core/crypto/secret.ts"
import { requireUnusedLedger } from "./ledger/create-ledger.ts"
import type { CarryOverEvent } from "./ledger/carry-over/carry-over.ts"
import { ORGANIZATIONS_LANE } from "./ledger/lanes.ts"
import { DEPLOYMENT, type Ledger } from "./ledger/ledger.ts"
import { errorFields, log } from "../process/log.ts"
import { openLedger } from "./ledger/local.ts"
import { DecisionLog } from "./log/decision-log.ts"
import { logDirectory } from "./log/log-files.ts"
import type { Contradiction, LoggedState } from "./log/recovery.ts"
import type { Phase } from "./phase.ts"
import { type Keyring, keyringAt, openKeyring, wipeKeyring } from "./provision/keyring.ts"
import { isSeedStored, readSealedFile, readStoredSeed, type StoredSeed } from "../process/root-seed.ts"
import { requireProductionOf } from "../process/sealed-production.ts"
import { Refusal } from "../core/refusal.ts"
import type { SealedFile } from "../core/sealed-seed/format.ts"
import { type Holders, holdersDigest } from "../core/sealed-seed/holders.ts"
import { witnessesDigest } from "../core/sealed-seed/witnesses.ts"
import { namesWitnesses, requireApprovedWitnesses } from "./approved-witnesses.ts"
import { rememberSeal, requireNewestSeal } from "./newest-seal.ts"
import { holderActs } from "./holder-acts.ts"
import { type OpenedSigner, sealable } from "./sealable.ts"
import { type BootOptions, withRandom } from "./start/boot-options.ts"
import { halted } from "./start/halted.ts"
import { LedgerWrites, serve } from "./start/serving.ts"

export type { BootedSigner }

/**
 * Opens root seed and ledger, decides the first phase. Halts if they do not match, so an operator can ask why. With a sealed
 * seed it waits to be unlocked.
 */
export function boot(config: SignerConfig, options: BootOptions): BootedSigner {
  let closed = Promise.resolve()
  const idle = (phase: Phase) => halted(phase, { config, options, closed })
  const open = (seed: Secret, sealed?: SealedFile) =>
    openWith(seed, { config, options, sealed, onFault: (ending) => void (closed = ending) })
  try {
    const stored = readSeed(config)
    if (stored === undefined) return idle({ name: "empty", sentence: ROOT_SEED_MISSING })
    if (stored.kind === "plain") return wiping([stored.seed], () => open(stored.seed))
    const { clock, onLockChange = () => undefined, isRehearsal = false } = options
    if (!isRehearsal) requireProductionOf(stored.sealed, config)
    if (!isRehearsal) requireApprovedWitnesses(stored.sealed.header, config.witnesses)
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

type Opening = {
  config: SignerConfig
  options: BootOptions
  /** The file that gave the seed; undefined: it lies in a plain one. */
  sealed: SealedFile | undefined
  /** Called when nothing was opened, with the end of what was open until then. */
  onFault: (closed: Promise<void>) => void
}

function openWith(seed: Secret, opening: Opening): OpenedSigner {
  const { config, options, sealed } = opening
  // The file may be another one than at the start, and is authentic only now.
  if (sealed !== undefined && options.isRehearsal !== true)
    requireApprovedWitnesses(sealed.header, config.witnesses)
  const keyring = openKeyring(seed, config)
  const { terminate } = options
  const writes = new LedgerWrites()
  let [ledger, decisionLog]: [Ledger?, DecisionLog?] = []
  const onCommit = () => ledger && decisionLog?.transaction(stateOf(ledger))
  const directory = config.ledgerDirectory
  const events = { terminate, onBatch: writes.add, onCommit, onCarryOver: logCarryOver }
  try {
    ledger = keyring.ledger.use((key) => openLedger({ directory, key, ...events }))
    requireNewestSeal(ledger, sealed)
    const acts = holderActs(sealed, config, withRandom(options))
    decisionLog = openLog(keyring, ledger, { ...opening, holders: acts.holders })
    // If the disk is full, the next start or unlocking does it.
    rememberSeal(ledger, sealed).catch((error: unknown) =>
      log("error", "the revision of the sealed seed was not kept", errorFields(error)),
    )
    const { epoch } = ledger.term(DEPLOYMENT)
    const signer = serve(
      keyringAt(keyring, epoch),
      { ledger, log: decisionLog, writes, acts },
      config,
      options,
    )
    return { ...signer, wipeKeys: () => wipeKeyring(keyring) }
  } catch (error) {
    wipeKeyring(keyring)
    opening.onFault(closeAll(ledger, decisionLog))
    throw error
  }
}

/** The next unlocking opens the same files: whoever locks waits for this. */
async function closeAll(ledger: Ledger | undefined, decisionLog: DecisionLog | undefined): Promise<void> {
  try {
    await ledger?.close()
    await decisionLog?.close()
  } catch (error) {
    log("error", "the ledger was not closed", errorFields(error))
  }
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

function logContradiction({ code, detail }: Contradiction): void {
  log("error", "a signed checkpoint contradicts the ledger's log: nothing is decided", {
    code,
    reason: detail,
  })
}
