import type { MessageInitShape } from "@bufbuild/protobuf"
import type { Intent, ResultSchema } from "../../proto/gen/countersign/api/v1/activities_pb.ts"
import type { Record, RecordKind } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import type { SigningKey } from "../keys/signing-key.ts"
import type { Secret } from "../keys/secret.ts"
import type { OrganizationDraft } from "../organization/draft.ts"

type IntentCase = Exclude<Intent["intent"]["case"], undefined>
type ResultInit = NonNullable<MessageInitShape<typeof ResultSchema>["result"]>
type ResultCase = Exclude<ResultInit["case"], undefined>

/** Parameters of an activity: the message of this member of Intent. */
export type Parameters<I extends IntentCase> = Extract<Intent["intent"], { case: I }>["value"]

/** What an activity answers: the value of this member of Result. */
export type ResultOf<R extends ResultCase> = Extract<ResultInit, { case: R }>["value"]

/**
 * What an activity does. It is pure over its parameters and the context: no clock, no files, no network.
 * Stamp, liveness and decision lie behind it; it only refuses what cannot be done.
 */
export type Activity<I extends IntentCase, R extends ResultCase> = {
  run(parameters: Parameters<I>, context: ActivityContext): ResultOf<R>
}

/** Everything an activity may touch. */
export type ActivityContext = {
  organization: OrganizationDraft
  nowMs: number
  /** A fresh UUID. */
  newId: () => string
  random: (length: number) => Uint8Array
  /** Opens a record of this organization, current by the ledger. The order is asked for it where it is not at hand. */
  record(kind: RecordKind, id: string): Record
  /** Keys of wallets and accounts. Nothing else reveals secrets. */
  vault: Vault
  changes: ChangeSet
}

export type Vault = {
  /** Opens the sealed secret of a record; the caller wipes it. */
  openSecret(record: Record): Secret
  /** The key behind an address or id of this organization, from the cache or derived. */
  signingKey(signWith: string): SigningKey
}

/** Collects what an activity adds; nothing of it is kept unless the whole activity succeeds. */
export type ChangeSet = {
  /** A new record at version 1. */
  addRecord(record: NewRecord): Record
  /** Takes a name, unique for its kind of resource. @throws NAME_TAKEN */
  takeName(kind: "wallet", name: string, field: string): void
  /** Takes an address for an account of a wallet, so that signWith has one answer. @throws ACCOUNT_TAKEN */
  takeAddress(address: string, accountId: string, walletId: string, field: string): void
}

export type NewRecord = { kind: RecordKind; id: string; payload: Uint8Array; secret?: Secret }
