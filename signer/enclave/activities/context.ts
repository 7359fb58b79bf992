import type { Record, RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { RandomBytes } from "../../core/crypto/secret.ts"
import type { Steps } from "../../core/turns/steps.ts"
import type { Draft } from "../organization/draft.ts"
import type { ChangeSet } from "./change-set.ts"
import type {
  ClientSecrets,
  Codes,
  Invitations,
  Issuers,
  MailedKeys,
  Oauth2,
  OnRamp,
  Verifications,
} from "./powers/fetched.ts"
import type {
  AuthProxyKeys,
  BundleExporter,
  ImportKeys,
  SecretImportKeys,
  SigningKeyReader,
  Vault,
} from "./powers/keys.ts"
import type { LoginMfa, Sessions, SettingsReader, StampCredential } from "./powers/login.ts"
import type { Broadcasts, SendPlans } from "./powers/sends.ts"

/** The base, and the powers that an activity declares. */
export type ActivityContext<Needs extends readonly PowerName[] = []> = Base & Pick<Powers, Needs[number]>

type Base = {
  readonly organization: Draft
  /** Id of the user who submitted the activity; empty when it creates a top-level organization. */
  readonly userId: string
  /** True if the submitter is a user of the parent. */
  readonly isByParent: boolean
  readonly nowMs: number
  /** A new UUID. */
  readonly newId: () => string
  readonly records: RecordReader
  readonly changes: ChangeSet
}

/** Records of the organization at the ledger's version. ContextNeeded asks for records that are missing. */
export type RecordReader = {
  open(kind: RecordKind, id: string, field?: string): Record
  /** Returns the records in the order of the ids. Missing ones are requested together. */
  openAll(kind: RecordKind, ids: readonly string[], field: string): Steps<Record[]>
  /** Requires living records; returns their ids in lower case, each once. @throws RESOURCE_UNKNOWN, RECORD_DELETED */
  requireAlive(kind: RecordKind, ids: readonly string[], field: string): Steps<string[]>
  /** All living records of these kinds. Reads from disk: not for frequent activities. */
  archived(kinds: readonly RecordKind[]): Steps<Record[]>
}

export type PowerName = keyof Powers

/** Powers that an activity declares in its `needs`. Each is made when the activity first reads it. */
export type Powers = {
  readonly signingKey: SigningKeyReader
  readonly vault: Vault
  /** Random bytes for new keys. */
  readonly random: RandomBytes
  readonly exportBundle: BundleExporter
  readonly importKey: ImportKeys
  readonly secretImportKey: SecretImportKeys
  readonly authProxyKey: AuthProxyKeys
  readonly mailedKey: MailedKeys
  readonly send: SendPlans
  readonly broadcast: Broadcasts
  readonly session: Sessions
  /** @throws LOGIN_LAPSED when read, if the credential that stamped no longer counts */
  readonly credential: StampCredential
  readonly loginMfa: LoginMfa
  readonly settings: SettingsReader
  readonly subOrganization: SubOrganizations
  readonly issuer: Issuers
  readonly code: Codes
  readonly verification: Verifications
  readonly invitation: Invitations
  readonly oauth2: Oauth2
  readonly clientSecret: ClientSecrets
  readonly onRamp: OnRamp
}

/** Powers in an organization that the activity creates. */
export const SUB_ORGANIZATION_NEEDS = ["random", "settings", "issuer"] as const

export type SubOrganizations = {
  /** Creates a sub-organization and returns the context that acts on it. */
  create(name: string): ActivityContext<typeof SUB_ORGANIZATION_NEEDS>
}
