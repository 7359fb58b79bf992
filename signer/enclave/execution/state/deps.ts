import type { KeyObject } from "node:crypto"
import type { AdmittedMembers } from "../../../core/request/unknown-members.ts"
import type { SendSettings } from "../../../core/send/settings.ts"
import type { Turns } from "../../../core/turns/steps.ts"
import type { IdSource } from "../../ids.ts"
import type { KeyCache } from "../../keys/cache.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { DecisionLog } from "../../log/decision-log.ts"
import type { Limits } from "../../organization/limits.ts"
import type { Keyring } from "../../provision/keyring.ts"
import type { ProcessIdentity } from "../../provision/process-identity.ts"
import type { ArchivedRecords } from "./archived-records.ts"
import type { CodeSequence } from "./code-sequence.ts"
import type { FactKinds } from "./fact-kind.ts"
import type { HeldKey } from "./held-key.ts"
import type { HeldWallet } from "./held-wallet.ts"
import type { IdentityRegister } from "./identity-register.ts"
import type { IssuerKeyStore } from "./issuer-keys.ts"
import type { Organizations } from "./organizations.ts"
import type { RollbackDetector } from "./rollback.ts"
import type { CurrentSessions } from "./sessions.ts"

/** State, keys, clock and randomness of execution. boot.ts hands them in; tests bring their own. */
export type ExecutionDeps = {
  ledger: Ledger
  /** Each decision becomes a leaf of it. */
  log: Pick<
    DecisionLog,
    | "decide"
    | "act"
    | "count"
    | "signed"
    | "keepReceipt"
    | "auditIndex"
    | "sign"
    | "receiptOf"
    | "show"
    | "witnesses"
    | "contradiction"
  >
  keyring: Keyring
  /** Signs app proofs and identifies this process. */
  identity: ProcessIdentity
  /** Largest numbers in one organization, as the operator set them. */
  limits: Readonly<Limits>
  /** Members of bodies that this release does not know and the operator admits. */
  admittedMembers: AdmittedMembers
  /** Settings of sends, as the operator set them. */
  sends: SendSettings
  organizations: Organizations
  sessions: CurrentSessions
  archive: ArchivedRecords
  register: IdentityRegister
  signingKeys: KeyCache<HeldKey>
  /** Wallets by id, for accounts whose keys are not in `signingKeys`. */
  heldWallets: KeyCache<HeldWallet>
  /** Verification key of the paired fetcher; undefined: no fetcher is paired. */
  fetcherKey: KeyObject | undefined
  /** Issuer of the ID tokens that the paired fetcher signs, canonical; undefined: the service issues none. */
  oidcIssuer: string | undefined
  /** Kinds of facts that the fetcher states. */
  factKinds: FactKinds
  issuerKeys: IssuerKeyStore
  /** The highest state sequence that the paired fetcher has stated. */
  codeSequence: CodeSequence
  rollback: RollbackDetector
  ids: IdSource
  random: (length: number) => Uint8Array
  /** Turns of the organizations, in which long computations continue. */
  turns: Turns
  /** Unix time in milliseconds, never behind the ledger's time floor. */
  nowMs: () => number
}
