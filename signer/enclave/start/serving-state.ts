import { readFetcherKeys } from "../../core/fetch-orders/pairing.ts"
import { LedgerCopies } from "../backup/copies.ts"
import type { SignerConfig } from "../config.ts"
import { Executor } from "../execution/execute.ts"
import { ArchivedRecords } from "../execution/state/archived-records.ts"
import { CodeSequence } from "../execution/state/code-sequence.ts"
import type { HeldKey } from "../execution/state/held-key.ts"
import type { HeldWallet } from "../execution/state/held-wallet.ts"
import { IdentityRegister } from "../execution/state/identity-register.ts"
import { IssuerKeyStore } from "../execution/state/issuer-keys.ts"
import { Organizations } from "../execution/state/organizations.ts"
import { CurrentSessions } from "../execution/state/sessions.ts"
import { ISSUER_KEYS } from "../execution/workspace/issuer-keys.ts"
import { IdSource } from "../ids.ts"
import { KeyCache, type KeyCacheOptions } from "../keys/cache.ts"
import type { TrustedClock } from "../ledger/trusted-clock.ts"
import { fetched } from "../modules/powers.ts"
import type { Limits } from "../organization/limits.ts"
import { noAttestation } from "../proof/boot-proof.ts"
import { openProcessIdentity } from "../provision/process-identity.ts"
import type { ServingState } from "../rpc/context.ts"
import { type BootOptions, freshBytes } from "./boot-options.ts"

/** The objects that decide and run orders, over one ledger and keyring. */
export function servingState(
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
    heldWallets: new KeyCache<HeldWallet>(walletCacheOf(config.keyCache)),
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

/** The limits that are numbers: those that boot proofs show. */
function numbersOf(limits: Readonly<Limits>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
  )
}

/** The cache of wallets has a tenth of the entries of the cache of keys: one wallet has many keys. */
function walletCacheOf({ maxEntries, ttlMs }: KeyCacheOptions): KeyCacheOptions {
  return { maxEntries: Math.ceil(maxEntries / 10), ttlMs }
}
