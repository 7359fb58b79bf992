import type { KeyObject } from "node:crypto"
import type { IdSource } from "../ids.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Keyring } from "../provision/keyring.ts"
import type { ProcessIdentity } from "../provision/process-identity.ts"
import type { ArchivedRecords } from "./state/archived-records.ts"
import type { IdentityRegister } from "./state/identity-register.ts"
import type { IssuerKeys } from "./state/issuer-keys.ts"
import type { Organizations } from "./state/organizations.ts"
import type { Sessions } from "./state/sessions.ts"
import type { SigningKeys } from "./workspace/vault.ts"

/** What execution stands on; handed in by main.ts, so that tests bring their own clock and randomness. */
export type ExecutionDeps = {
  ledger: Ledger
  keyring: Keyring
  /** Signs app proofs, and says what process this is. */
  identity: ProcessIdentity
  organizations: Organizations
  sessions: Sessions
  archive: ArchivedRecords
  register: IdentityRegister
  signingKeys: SigningKeys
  /** Signing half of the paired fetcher's key set; undefined: paired with none. */
  fetcherKey: KeyObject | undefined
  issuerKeys: IssuerKeys
  ids: IdSource
  random: (length: number) => Uint8Array
  /** Unix time, milliseconds, never behind the ledger's time floor. */
  nowMs: () => number
}
