import type { AddressFormat } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Record, RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Secret } from "../../core/crypto/secret.ts"
import type { SecretPurpose } from "../../core/fetch-orders/bound-secret.ts"
import type { Refusal } from "../../core/refusal.ts"
import type { Steps } from "../../core/turns/steps.ts"

/** Counters of velocity controls. */
export type CounterChanges = {
  /** Removes the counters of a control, 20,000 at most; no control ever has its id again. */
  removeAll(velocityControlId: string): Steps<void>
  /** Removes the counter of a user or wallet. */
  remove(velocityControlId: string, bucketId: string): void
}

/** Collects the changes of an activity. They are stored only when the whole activity succeeds. */
export type ChangeSet = {
  /** Adds a record at version 1. */
  addRecord(record: NewRecord): Record
  /** The next version of an opened record, with the same secret. An activity changes a record once. */
  changeRecord(record: Record, payload: Uint8Array): Record
  /** Deletes a record for good. The key with its id leaves the cache. @throws RESOURCE_UNKNOWN, RECORD_DELETED */
  deleteRecord(kind: RecordKind, id: string, field?: string): void
  /** Removes the accounts of deleted wallets, with their addresses; the cost grows with them. @throws LIMIT_EXCEEDED */
  removeAccounts(walletIds: ReadonlySet<string>, field: string): Steps<void>
  /**
   * Removes all that a deleted organization holds from the ledger, keys included; purges remove what is too much at once.
   * Fingerprints of its pending activities stay until their requests have expired for certain.
   * @param isReadNext whether the caller reads the holdings next
   * @throws LIMIT_EXCEEDED when they are too many to be read
   */
  removeEverything(nowMs: number, isReadNext: boolean): Steps<void>
  readonly counters: CounterChanges
  /** Takes a name, unique for its kind of resource. @throws NAME_TAKEN */
  takeName(kind: NamedKind, name: string, field: string): void
  readonly secrets: {
    /** Claims a secret that was sealed to the fetcher for this organization, for good. @throws `refusal` */
    claim(purpose: SecretPurpose, sealed: Uint8Array, refusal: () => Refusal): void
  }
  /** Spends a token for one use, until it expires. @throws `refusal` when it was spent for this use before */
  spendToken(token: SpentToken, refusal: () => Refusal): void
  /** Frees a name, which may be taken again. */
  releaseName(kind: NamedKind, name: string): void
  /**
   * Takes an address for a key, so that signWith names one key. Formats that spell one key alike may share an address:
   * accounts of one wallet in different formats, and all formats of one private key. @throws ACCOUNT_TAKEN
   */
  takeAddress(address: string, target: AddressTarget, field: string): void
  /** Marks an account's key as exported for as long as the account lives. Only the ledger stores this. */
  markExported(account: AccountName): void
  /** True if the account's own key was exported; exports of its wallet do not count. */
  wasExported(account: AccountName): boolean
  /**
   * Verifies in steps what the ledger has of names, addresses and accounts, which the calls above and below read at once.
   * Without it they take longer in a very large organization.
   */
  prepare(what: Prepared): Steps<void>
  /** Frees a holder's address, for good when no other holder shares it. Its key leaves the cache. */
  releaseAddress(address: string, holderId: string): void
}

/** One use of a token. `organizationId`: organization that counts the token's uses. `expiresMs`: of the token. */
export type SpentToken = { organizationId: string; use: string; id: string; expiresMs: number }

/** Names, addresses and accounts that a change reads of the ledger next. */
export type Prepared = {
  names?: readonly { kind: NamedKind; name: string }[]
  addresses?: readonly string[]
  accounts?: readonly AccountName[]
}

/** An account within its wallet. */
export type AccountName = { walletId: string; accountId: string }

/** Kinds of records whose names are unique in an organization. */
export type NamedKind = "wallet" | "private key" | "oauth2 credential" | "secret"

/** The signer of an address: an account with its wallet, or a private key. */
export type AddressTarget = (AccountName & { addressFormat: AddressFormat }) | { privateKeyId: string }

export type NewRecord = {
  kind: RecordKind
  id: string
  payload: Uint8Array
  secret?: Secret
  /** Unix time of the record's expiry, milliseconds. */
  expiresMs?: number
}
