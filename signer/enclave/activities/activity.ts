import type { MessageInitShape } from "@bufbuild/protobuf"
import type { Intent, ResultSchema } from "../../../proto/gen/countersign/api/v1/activities_pb.ts"
import type { AddressFormat } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { SessionProfile } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Record, RecordKind, SessionScope } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { BundleWriter } from "../bundles/signed-bundle.ts"
import type { SigningKey } from "../keys/signing-key.ts"
import type { Secret } from "../../core/crypto/secret.ts"
import type { VerificationKey } from "../../core/oidc/keys.ts"
import type { OrganizationDraft } from "../organization/draft.ts"
import type { SessionClaims } from "../proof/session-token.ts"

type IntentCase = Exclude<Intent["intent"]["case"], undefined>
type ResultInit = NonNullable<MessageInitShape<typeof ResultSchema>["result"]>
type ResultCase = Exclude<ResultInit["case"], undefined>

/** The message of a member of Intent. */
type IntentOf<Case> = Case extends IntentCase ? Extract<Intent["intent"], { case: Case }>["value"] : unknown

/** The value of a member of Result. */
type ResultOf<Case> = Case extends ResultCase ? Extract<ResultInit, { case: Case }>["value"] : never

/** Ending of the names of intents and results after their first version. */
type Version = "" | `V${number}`

/**
 * What an activity does. It depends on its parameters and the context only: no clock, no files, no network.
 * Stamp, liveness and decision were checked before; the activity refuses what cannot be done.
 */
export type Activity<
  Name extends string,
  IntentVersion extends Version = "",
  ResultVersion extends Version = "",
> = {
  /** Refuses parameters that can never be executed, before it runs and before anybody is asked to vote. */
  check?(parameters: IntentOf<`${Name}Intent${IntentVersion}`>): void
  run(
    parameters: IntentOf<`${Name}Intent${IntentVersion}`>,
    context: ActivityContext,
  ): ResultOf<`${Name}Result${ResultVersion}`>
}

/** An activity of any type. The reader ensures that the parameters are those of the type. */
export type AnyActivity = {
  check?(parameters: never): void
  run(parameters: never, context: ActivityContext): unknown
}

/** Everything an activity may touch. */
export type ActivityContext = {
  organization: OrganizationDraft
  /** Who submitted it; nobody at a birth. */
  userId: string
  /** What the session that stamped is confined to; undefined: to nothing, or it was no session. */
  sessionScope: SessionScope | undefined
  /** What a session that is opened now comes from (`SessionRecord.opened_by`). */
  openedBy: string
  nowMs: number
  /** A fresh UUID. */
  newId: () => string
  random: (length: number) => Uint8Array
  /** Opens a record of this organization, current by the ledger. The order is asked for it where it is not at hand. */
  record(kind: RecordKind, id: string, field?: string): Record
  /** Opens those of a list, in its order; what is not at hand is asked for all at once. */
  records(kind: RecordKind, ids: readonly string[], field: string): Record[]
  /**
   * Makes sure that the ledger has records of these ids that live, without opening them; answers the ids in lower
   * case, each once. @throws RESOURCE_UNKNOWN, RECORD_DELETED
   */
  requireRecords(kind: RecordKind, ids: readonly string[], field: string): string[]
  /** All living records of these kinds, as the ledger has them. Reads from disk: not for what happens often. */
  archived: (kinds: readonly RecordKind[]) => Record[]
  /** Keys of wallets, accounts and private keys. Nothing else reveals secrets. */
  vault: Vault
  changes: ChangeSet
  /** What the paired fetcher found out. The order is sent back for it where it is not at hand. */
  externalFacts: ExternalFacts
  /** Keys that users seal imports to. */
  importKeys: ImportKeyStore
  /** The signer's word on such a key, and on what it sealed. */
  bundles: BundleWriter
  /** The notarizer's word on a session. */
  sessionToken(claims: SessionClaims): string
  /** Origins that passkeys must be made on, undefined for any: set by the organization, or by its parent. */
  allowedOrigins: () => readonly string[] | undefined
  /** A session profile of the organization, or of its parent. The id in any case. @throws RESOURCE_UNKNOWN */
  sessionProfile(id: string, field: string): SessionProfile
  /** Begins a sub-organization of this one; what is done with its context is done to it. */
  createSubOrganization(name: string): ActivityContext
}

export type Vault = {
  /** Opens the sealed secret of a record; the caller wipes it. */
  openSecret(record: Record): Secret
  /** The key behind an address or id of this organization, from the cache or derived. */
  signingKey(signWith: string): SigningKey
  /** The wallet account that has this address, and its wallet. @throws RESOURCE_UNKNOWN where none has */
  account(address: string, field: string): { account: Record; wallet: Record }
}

/** What is imported: each kind has a key of its own. */
export type ImportKind = "wallet" | "private-key"

/** One key for each user and kind of import, good for one hour and one import. */
export type ImportKeyStore = {
  /** A new one in the place of the one before; answers its point, 65 bytes. */
  make(userId: string, kind: ImportKind): Uint8Array
  /**
   * The key, which is spent once the activity succeeds. The caller wipes it.
   *
   * @throws IMPORT_TARGET_UNKNOWN, IMPORT_TARGET_SPENT, IMPORT_TARGET_EXPIRED
   */
  spend(userId: string, kind: ImportKind, field: string): Secret
}

/** The world beyond the signer, as the fetcher states it for this very request. */
export type ExternalFacts = {
  /**
   * Keys of issuers, in the order asked; what is not at hand is asked for all at once. With a key id: a set that
   * has it, unless the issuer has none such.
   *
   * @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID
   */
  issuerKeys(needs: readonly { issuer: string; keyId: string | undefined }[]): (readonly VerificationKey[])[]
  /** Sees to it that a client secret opens with the fetcher's key. @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID */
  requireOpens(sealedSecret: Uint8Array): void
}

/** Collects what an activity changes; nothing of it is kept unless the whole activity succeeds. */
export type ChangeSet = {
  /** A new record at version 1. */
  addRecord(record: NewRecord): Record
  /** The next version of a record that was opened, its secret kept. One change of a record in one activity. */
  changeRecord(record: Record, payload: Uint8Array): Record
  /**
   * Ends a record for good: what is left of it says so and no more. This process forgets a key that goes by its id.
   *
   * @throws RESOURCE_UNKNOWN, RECORD_DELETED
   */
  deleteRecord(kind: RecordKind, id: string, field?: string): void
  /**
   * Takes the accounts of wallets that end out of the ledger, with their addresses. Whoever has their records learns
   * of their end from the wallet's. Costs as much as there are such accounts.
   *
   * @throws LIMIT_EXCEEDED
   */
  removeAccounts(walletIds: ReadonlySet<string>, field: string): void
  /**
   * Takes all that the organization holds out of the ledger, keys included. Its end: nothing opens it again. `nowMs`:
   * what waited is known until its body is certain to be too old.
   *
   * @throws LIMIT_EXCEEDED where it holds more than can be taken at once
   */
  removeEverything(nowMs: number): void
  /** Takes a name, unique for its kind of resource. @throws NAME_TAKEN */
  takeName(kind: NamedKind, name: string, field: string): void
  /** Takes a sealed client secret for this organization, for good. @throws CLIENT_SECRET_INVALID when another has it */
  claimClientSecret(sealedSecret: Uint8Array): void
  /** Frees a name, for others or for taking it again. */
  releaseName(kind: NamedKind, name: string): void
  /**
   * Takes an address for a key, so that signWith has one answer. Formats that write one key as one text may share it:
   * accounts of one wallet in different formats, and all formats of one private key.
   *
   * @throws ACCOUNT_TAKEN
   */
  takeAddress(address: string, target: AddressTarget, field: string): void
  /** Notes that the key of an account went outside, for as long as the account lives. The ledger alone says so. */
  markExported(account: AccountName): void
  /** Whether the key of an account went outside by itself; what its wallet's words bring is not asked for. */
  wasExported(account: AccountName): boolean
  /** Frees an address of who holds it, for good where nobody else does; this process forgets its key. */
  releaseAddress(address: string, holderId: string): void
}

/** An account, within its wallet. */
export type AccountName = { walletId: string; accountId: string }

/** Kinds of records whose names are unique in an organization. */
export type NamedKind = "wallet" | "private key" | "oauth2 credential"

/** What signs for an address: an account together with its wallet, or a private key by itself. */
export type AddressTarget = (AccountName & { addressFormat: AddressFormat }) | { privateKeyId: string }

export type NewRecord = {
  kind: RecordKind
  id: string
  payload: Uint8Array
  secret?: Secret
  /** Unix time from which on the record is no more, milliseconds. */
  expiresMs?: number
}
