import type { ActGate } from "../../core/holder-acts/act-gate.ts"
import { Histogram } from "../../process/figures.ts"
import { log } from "../../process/log.ts"
import type { BootedSigner } from "../booted-signer.ts"
import type { SignerConfig } from "../config.ts"
import { describeNewer, RollbackDetector } from "../execution/state/rollback.ts"
import { diskOf, sizeOf } from "../ledger/files.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { TrustedClock } from "../ledger/trusted-clock.ts"
import type { DecisionLog } from "../log/decision-log.ts"
import type { Keyring } from "../provision/keyring.ts"
import type { ServingState } from "../rpc/context.ts"
import { OrderFigures } from "../rpc/order-figures.ts"
import { newTurns } from "../rpc/turns.ts"
import { runSlowly, verifyIndexSlowly } from "../verify-index.ts"
import type { BootOptions } from "./boot-options.ts"
import { phaseOf, STOPPING } from "./serving-phase.ts"
import { servingState } from "./serving-state.ts"

/** Counts the ledger's transactions. */
export class LedgerWrites {
  readonly seconds = new Histogram()
  changes = 0n

  readonly add = (changes: number, syncSeconds: number): void => {
    this.seconds.add(syncSeconds)
    this.changes += BigInt(changes)
  }
}

type Opened = { ledger: Ledger; log: DecisionLog; writes: LedgerWrites; acts: ActGate }

/** A signer over an open ledger, with its keys. */
export function serve(
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
    storage: () => ({ ...storageOf(state, writes, config), indexVerified }),
    stopping: stopping.signal,
    seedLock: undefined,
    acts,
    state: () => state,
    terminate: options.terminate,
    acceptClock: () => time.acceptClock(options.clock.wallMs()),
    async acceptLedger() {
      await time.waitOutRequests()
      const epoch = await rollback.accept(options.clock.wallMs())
      await decisionLog.beginEra(epoch)
    },
    signLog: () => decisionLog.sign(),
    signedHead: () => decisionLog.signed.head,
    async purge() {
      if (stopping.signal.aborted) return
      const isReady = phaseOf(time, rollback, decisionLog).name === "ready"
      wipeKeys(state, isReady ? time.nowMs() : undefined)
      if (!isReady) return
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

/** @param nowMs undefined: nothing signs for users, perhaps for days, and the time by which keys lapse may stand still */
function wipeKeys(
  { signingKeys, heldWallets }: Pick<ServingState, "signingKeys" | "heldWallets">,
  nowMs: number | undefined,
): void {
  for (const keys of [signingKeys, heldWallets])
    if (nowMs === undefined) keys.clear()
    else keys.sweep(nowMs)
}

/** Closes once, however often it is called: a second stop would be a leaf of the log. */
function closingOf(
  keys: Pick<ServingState, "signingKeys" | "heldWallets">,
  ledger: Ledger,
  decisionLog: DecisionLog,
): () => Promise<void> {
  let closing: Promise<void> | undefined
  const close = async () => {
    wipeKeys(keys, undefined)
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

function storageOf(
  { signingKeys, organizations, keyring, log: decisionLog }: ServingState,
  { seconds, changes }: LedgerWrites,
  { ledgerDirectory, audit }: Pick<SignerConfig, "ledgerDirectory" | "audit">,
) {
  const disk = diskOf(ledgerDirectory)
  const auditDisk = diskOf(audit.directory)
  return {
    ledgerSyncSeconds: seconds.read(),
    ledgerChanges: changes,
    ledgerBytes: BigInt(sizeOf(ledgerDirectory)),
    diskFreeBytes: disk.free,
    diskBytes: disk.all,
    auditDiskFreeBytes: auditDisk.free,
    auditDiskBytes: auditDisk.all,
    cachedKeys: signingKeys.size,
    cachedDocuments: organizations.size,
    sealEpoch: keyring.records.epoch,
    unwitnessedSeconds: decisionLog.witnesses.unwitnessedSeconds,
  }
}
