import type { MessageInitShape } from "@bufbuild/protobuf"
import type { Intent, ResultSchema } from "../../../proto/gen/countersign/api/v1/activities_pb.ts"
import type {
  FeatureName,
  FiatOnRampProvider,
  OtpType,
} from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type {
  CheckCodeTask,
  CodeStarted,
  Oauth2ExchangeTask,
  MailKeyTask,
  OnRampKeys,
  OnRampPurchaseStarted,
  SendInvitationsTask,
  StartCodeTask,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { SessionProfile, User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Record, RecordKind, SessionScope } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { SignedTransactionSchema } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { DigestSigners, EthereumPlan, SignedBytes } from "../../core/send/ethereum-plan.ts"
import type { EthereumSend } from "../../core/send/ethereum-send.ts"
import type { SolanaPlan, SolanaSendParameters } from "../../core/send/solana-send.ts"
import type { RawTransaction } from "../../core/send/raw-transaction.ts"
import type { Steps } from "../../core/turns/steps.ts"
import type { BundleWriter } from "../bundles/signed-bundle.ts"
import type { EffectiveSettings } from "../../core/auth-proxy/settings.ts"
import type { AuthProxyKey } from "../keys/auth-proxy-key.ts"
import type { SigningKey } from "../keys/signing-key.ts"
import type { PrivateKey } from "../../core/crypto/curve.ts"
import type { RandomBytes, Secret } from "../../core/crypto/secret.ts"
import type { MailTemplate } from "../../core/messages/otp-message.ts"
import type { Purchase } from "../../core/on-ramp/moonpay.ts"
import type { ChangeSet } from "./change-set.ts"
import type { VerificationToken } from "../../core/otp/verification-token.ts"
import type { Identity } from "../../core/oidc/identity.ts"
import type { VerificationKey } from "../../core/oidc/keys.ts"
import type { Credential } from "../../core/policy/decision/decision-input.ts"
import type { ReadOnlySession } from "../../core/session/read-only-session.ts"
import type { Draft } from "../organization/draft.ts"
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
 * The behaviour of an activity. It depends on its parameters and the context only: no clock, no files, no network.
 * Stamp, liveness and decision were checked before; the activity refuses what cannot be done.
 */
export type Activity<
  Name extends string,
  IntentVersion extends Version = "",
  ResultVersion extends Version = "",
> = {
  /**
   * Refuses parameters that can never be executed, before it runs and before any user is asked to vote. It pauses between
   * its parts where it may compute for long.
   */
  check?(parameters: IntentOf<`${Name}Intent${IntentVersion}`>): void | Steps<void>
  run(
    parameters: IntentOf<`${Name}Intent${IntentVersion}`>,
    context: ActivityContext,
  ): ResultOf<`${Name}Result${ResultVersion}`>
}

/**
 * An activity that may compute for long: `run` pauses between its parts, so that other orders have their turn. The lock of
 * its organization is held all the time, and nothing that it does is visible before it ends.
 */
export type LongActivity<
  Name extends string,
  IntentVersion extends Version = "",
  ResultVersion extends Version = "",
> = Pick<Activity<Name, IntentVersion>, "check"> & {
  run(
    parameters: IntentOf<`${Name}Intent${IntentVersion}`>,
    context: ActivityContext,
  ): Steps<ResultOf<`${Name}Result${ResultVersion}`>>
}

/** An activity of any type. The reader ensures that the parameters are those of the type. */
export type AnyActivity = {
  check?(parameters: never): unknown
  run(parameters: never, context: ActivityContext): unknown
}

/** Everything an activity may touch. */
export type ActivityContext = {
  organization: Draft
  /** Id of the user who submitted the activity; empty when it creates a top-level organization. */
  userId: string
  /** True if the submitter is a user of the parent. */
  isByParent: boolean
  /** Scope of the session that stamped; undefined: it has none, or the stamp is of no session. @throws LOGIN_LAPSED */
  sessionScope: SessionScope | undefined
  /** Value of `SessionRecord.opened_by` for a session that this activity opens. @throws LOGIN_LAPSED */
  openedBy: string
  /** Name of the credential that stamped, and its expiry, Unix ms; 0: it does not expire. @throws LOGIN_LAPSED */
  stampedBy: { credential: string; expiresAtMs: bigint }
  /** Channel of the contact that the stamp's verification token proves; undefined for other stamps. @throws LOGIN_LAPSED */
  provenChannel: OtpType | undefined
  nowMs: number
  /** A new UUID. */
  newId: () => string
  random: RandomBytes
  /** The key that this activity mails, the same whenever it is run. The caller wipes it. */
  mailedKey: () => PrivateKey
  /** Makes the organization's proxy key, sealed to the paired auth proxy. @throws AUTH_PROXY_NOT_PAIRED */
  newAuthProxyKey: (configId: string) => AuthProxyKey
  /** Opens a record of this organization at the ledger's version. ContextNeeded asks for a record that is missing. */
  record(kind: RecordKind, id: string, field?: string): Record
  /** Opens several records, in the order of the ids. All missing ones are asked for at once. */
  records(kind: RecordKind, ids: readonly string[], field: string): Steps<Record[]>
  /** Requires living records; returns their ids in lower case, each once. @throws RESOURCE_UNKNOWN, RECORD_DELETED */
  requireRecords(kind: RecordKind, ids: readonly string[], field: string): Steps<string[]>
  /** All living records of these kinds. Reads from disk: not for frequent activities. */
  archived: (kinds: readonly RecordKind[]) => Steps<Record[]>
  /** Keys of wallets, accounts and private keys. No other member reveals secrets. */
  vault: Vault
  changes: ChangeSet
  /** The plan of a send, and the transactions that were signed. */
  sends: SendContext
  /** Facts from the paired fetcher. ContextNeeded asks for facts that are missing. */
  externalFacts: ExternalFacts
  /** Keys that users seal imports to. */
  importKeys: ImportKeyStore
  /** Keys that users seal imports of secrets to. */
  secretImportKeys: SecretImportKeyStore
  /** Signs import keys, and export bundles. */
  bundles: BundleWriter
  /** Session token, signed by the notarizer. */
  sessionToken(claims: SessionClaims): string
  /** Text of a read-only session, signed by the notarizer. */
  readOnlySession(session: ReadOnlySession): string
  /** Origins that passkeys must be registered on, undefined for any: set by the organization or its parent. */
  allowedOrigins: () => readonly string[] | undefined
  /** True if the organization or its parent has set a feature. */
  hasFeature: (name: FeatureName) => boolean
  /** Requires that organization and parent accept tokens of an application. @throws OIDC_APPLICATION_NOT_ALLOWED */
  requireApplication(identity: Pick<Identity, "issuer" | "audience">, field: string): void
  /** Settings of the auth proxy that the organization or its parent has enabled. */
  authProxySettings: () => EffectiveSettings | undefined
  /** A session profile of the organization or its parent. The id may be in any case. @throws RESOURCE_UNKNOWN */
  sessionProfile(id: string, field: string): SessionProfile
  /**
   * A template that the organization or its parent has for mails with codes; without id the newest. Undefined, also with
   * the id "": the built-in mail. @throws RESOURCE_UNKNOWN
   */
  mailTemplate(id: string | undefined, field: string): MailTemplate | undefined
  /**
   * The keys of an on-ramp provider that the organization or its parent has for a mode.
   * @throws ON_RAMP_CREDENTIAL_MISSING
   */
  onRampKeys(provider: FiatOnRampProvider, sandbox: boolean): OnRampKeys
  /** Requires that one credential satisfies the MFA policy of a user for whom somebody else asks. @throws LOGIN_MFA_NEEDED */
  requireLoginMfa(user: User, credential: Credential): void
  /** Creates a sub-organization and returns the context that acts on it. */
  createSubOrganization(name: string): ActivityContext
}

export type Vault = {
  /** Opens the sealed secret of a record; the caller wipes it. */
  openSecret(record: Record): Secret
  /** The key of an address or private key id, from the cache or derived. `field`: by default parameters.signWith. */
  signingKey(signWith: string, field?: string): SigningKey
  /** The wallet account of an address, and its wallet. @throws RESOURCE_UNKNOWN */
  account(address: string, field: string): { account: Record; wallet: Record }
}

export type SendContext = {
  /**
   * A send with all its values. ContextNeeded asks for values that neither the body gives nor the order brings.
   * @throws the codes of planEthereumSend
   */
  plan(send: EthereumSend): EthereumPlan
  /** The same of a send on a Solana chain. @throws the codes of planSolanaSend, TRANSACTION_INVALID */
  planSolana(parameters: SolanaSendParameters): SolanaPlan
  /** A transaction that was signed elsewhere. @throws TRANSACTION_INVALID, SEND_CHAIN_MISMATCH */
  raw(parameters: { signedTransaction: string; caip2: string }): RawTransaction
  /** Keeps a signed transaction with the outcome, to be broadcast. */
  add(transaction: MessageInitShape<typeof SignedTransactionSchema>): void
  /**
   * The transaction of a plan. A sponsored one is counted with the activity's changes and signed by the paymaster, which
   * signs nothing else. @throws SPONSORSHIP_DISABLED, SPONSORSHIP_UNPRICED, SPONSORSHIP_LIMIT_EXCEEDED
   */
  sign(plan: EthereumPlan, sender: DigestSigners["sender"]): SignedBytes
}

/** Kinds of imports; each has an import key of its own. */
export type ImportKind = "wallet" | "private-key"

/** One key for each user and kind of import, valid for one hour and one import. */
export type ImportKeyStore = {
  /** Makes a key that replaces the earlier one; returns its public point, 65 bytes. */
  make(userId: string, kind: ImportKind): Uint8Array
  /**
   * The key, spent once the activity succeeds; the caller wipes it.
   * @throws IMPORT_TARGET_UNKNOWN, IMPORT_TARGET_SPENT, IMPORT_TARGET_EXPIRED
   */
  spend(userId: string, kind: ImportKind, field: string): Secret
}

/** An import key that a request names by its point, 130 hexadecimal digits; `field`: path of that member. */
export type NamedImportKey = { readonly publicKeyHex: string; readonly field: string }

/** Keys of one user for imports of secrets, several at a time, each valid for one hour and one secret. */
export type SecretImportKeyStore = {
  /** Makes keys; returns their public points, 65 bytes each. */
  make(userId: string, count: number): Uint8Array[]
  /**
   * The named keys, spent once the activity succeeds; the caller wipes them.
   * @throws IMPORT_TARGET_UNKNOWN, IMPORT_TARGET_SPENT, IMPORT_TARGET_EXPIRED
   */
  spend(userId: string, keys: readonly NamedImportKey[]): Secret[]
}

/** Facts from outside the signer, as the fetcher stated them for this request. */
export type ExternalFacts = {
  /**
   * Keys of issuers, in the order of the needs. All missing ones are asked for at once. A need with a key id gets a key
   * set that holds it, unless the issuer has no such key. @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID
   */
  issuerKeys(needs: readonly { issuer: string; keyId: string | undefined }[]): (readonly VerificationKey[])[]
  /**
   * Requires that a client secret opens with the fetcher's key and is bound to no other organization.
   * @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID, CLIENT_SECRET_OF_ANOTHER_ORGANIZATION
   */
  requireOpens(sealedSecret: Uint8Array): void
  /**
   * Requires that sealed keys of an on-ramp provider open, are of its form, and are bound to no other organization.
   * @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID, ON_RAMP_KEY_INVALID, ON_RAMP_KEY_OF_ANOTHER_ORGANIZATION
   */
  requireOnRampKeys(keys: OnRampKeys): void
  /**
   * Has the fetcher start a purchase. Its id is made with the order to the fetcher: `purchase` has none yet.
   * @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID, ON_RAMP_KEY_INVALID, ON_RAMP_KEY_OF_ANOTHER_ORGANIZATION,
   *   ON_RAMP_URL_NOT_ALLOWED, ON_RAMP_REFUSED
   */
  startPurchase(purchase: Purchase): StartedPurchase
  /**
   * Has the fetcher make a one-time code and send it. @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID, OTP_LIMIT_EXCEEDED,
   * OTP_SENDER_NOT_ALLOWED
   */
  startCode(code: CodeToStart): CodeStarted
  /**
   * Has the fetcher check a one-time code; returns the verification token.
   * @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID, OTP_CODE_INVALID
   */
  checkCode(code: CodeToCheck): string
  /** Issuer of the ID tokens that the paired fetcher signs. @throws OAUTH2_ISSUER_UNCONFIGURED */
  ownIssuer(): string
  /**
   * Has the fetcher exchange a code of an OAuth 2.0 provider; returns the ID token that the fetcher signed.
   * @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID, OAUTH2_ISSUER_UNCONFIGURED, CLIENT_SECRET_INVALID,
   *   CLIENT_SECRET_OF_ANOTHER_ORGANIZATION, OAUTH2_REFUSED
   */
  exchangeCode(code: CodeToExchange): string
  /**
   * Has the fetcher mail invitations. @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID, INVITATION_LIMIT_EXCEEDED
   */
  sendInvitations(invitations: InvitationsToSend): void
  /**
   * Has the fetcher mail a key to a user. @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID, OTP_LIMIT_EXCEEDED,
   * OTP_SENDER_NOT_ALLOWED
   */
  mailKey(mail: KeyToMail): void
  /**
   * Reads a token that the paired fetcher signed for this organization or its parent.
   * @throws VERIFICATION_TOKEN_INVALID, FETCHER_NOT_PAIRED
   */
  verificationToken(compact: string, field: string): VerificationToken
}

/** A one-time code to start, one to check, and invitations: tasks without what the signer adds to each. */
export type CodeToStart = Omit<StartCodeTask, "$typeName" | "activityFingerprint" | "parentId">
export type CodeToCheck = Omit<CheckCodeTask, "$typeName" | "activityFingerprint">
export type InvitationsToSend = Pick<SendInvitationsTask, "organizationName" | "invited">

/** A code of an OAuth 2.0 provider to exchange: a task without the issuer, which the signer knows. */
export type CodeToExchange = Omit<Oauth2ExchangeTask, "$typeName" | "issuer">

/** A key to mail: a task without what the signer adds. `bundle` makes the credential bundle, which is asked for at most once. */
export type KeyToMail = Omit<
  MailKeyTask,
  "$typeName" | "activityFingerprint" | "parentId" | "sealedBundle"
> & { bundle: () => string }

/** A purchase with its id, and what the fetcher stated for it. */
export type StartedPurchase = { purchase: Purchase; started: OnRampPurchaseStarted }
