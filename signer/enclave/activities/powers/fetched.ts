// Facts from outside the signer, as the paired fetcher stated them for this request, and effects that the fetcher has.
// ContextNeeded asks for a fact that is missing. Each call throws FETCHER_NOT_PAIRED, and STATEMENT_INVALID for a statement
// that cannot be accepted.
import type {
  CheckCodeTask,
  CodeStarted,
  MailKeyTask,
  Oauth2ExchangeTask,
  OnRampKeys,
  OnRampPurchaseStarted,
  SendInvitationsTask,
  StartCodeTask,
} from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { PrivateKey } from "../../../core/crypto/curve.ts"
import type { VerificationKey } from "../../../core/oidc/keys.ts"
import type { MailTemplate } from "../../../core/messages/otp-message.ts"
import type { Purchase } from "../../../core/on-ramp/moonpay.ts"
import type { VerificationToken } from "../../../core/otp/verification-token.ts"

/** Issuers of ID tokens. */
export type Issuers = {
  /**
   * Keys of issuers, in the order of the needs. All missing ones are asked for at once. A need with a key id gets a key
   * set that holds it, unless the issuer has no such key.
   */
  keys(needs: readonly { issuer: string; keyId: string | undefined }[]): (readonly VerificationKey[])[]
}

/** A one-time code to start: a task without what the signer adds. */
export type CodeToStart = Omit<StartCodeTask, "$typeName" | "activityFingerprint" | "parentId">

/** Templates for mails. */
export type MailTemplates = {
  /**
   * A template that the organization or its parent has for mails with codes; without id the newest. Undefined, also with
   * the id "": the built-in mail. @throws RESOURCE_UNKNOWN
   */
  template(id: string | undefined, field: string): MailTemplate | undefined
}

export type Codes = MailTemplates & {
  /** Has the fetcher make a one-time code and send it. @throws OTP_LIMIT_EXCEEDED, OTP_SENDER_NOT_ALLOWED */
  start(code: CodeToStart): CodeStarted
}

/** A one-time code to check. */
export type CodeToCheck = Omit<CheckCodeTask, "$typeName" | "activityFingerprint">

/** Proofs of contacts. */
export type Verifications = {
  /** Has the fetcher check a one-time code; returns the verification token. @throws OTP_CODE_INVALID */
  check(code: CodeToCheck): string
  /** Reads a token that the fetcher signed for this organization or its parent. @throws VERIFICATION_TOKEN_INVALID */
  token(compact: string, field: string): VerificationToken
}

/** A key to mail. `bundle` makes the credential bundle, which is asked for at most once. */
export type KeyToMail = Omit<
  MailKeyTask,
  "$typeName" | "activityFingerprint" | "parentId" | "sealedBundle"
> & { bundle: () => string }

export type MailedKeys = MailTemplates & {
  /** The key that this activity mails, the same whenever it is run. The caller wipes it. */
  key(): PrivateKey
  /** Has the fetcher mail the key to a user. @throws OTP_LIMIT_EXCEEDED, OTP_SENDER_NOT_ALLOWED */
  mail(mail: KeyToMail): void
}

export type InvitationsToSend = Pick<SendInvitationsTask, "organizationName" | "invited">

export type Invitations = {
  /** Has the fetcher mail invitations. @throws INVITATION_LIMIT_EXCEEDED */
  send(invitations: InvitationsToSend): void
}

/** A code of an OAuth 2.0 provider to exchange: a task without the issuer, which the signer knows. */
export type CodeToExchange = Omit<Oauth2ExchangeTask, "$typeName" | "issuer">

/** Logins at OAuth 2.0 providers. */
export type Oauth2 = {
  /** Issuer of the ID tokens that the paired fetcher signs. @throws OAUTH2_ISSUER_UNCONFIGURED */
  issuer(): string
  /**
   * Has the fetcher exchange a code; returns the ID token that the fetcher signed.
   * @throws OAUTH2_ISSUER_UNCONFIGURED, CLIENT_SECRET_INVALID, CLIENT_SECRET_OF_ANOTHER_ORGANIZATION, OAUTH2_REFUSED
   */
  exchange(code: CodeToExchange): string
}

/** Secrets of OAuth 2.0 clients, sealed to the fetcher. */
export type ClientSecrets = {
  /** Requires that a secret opens and is bound to no other organization. @throws CLIENT_SECRET_OF_ANOTHER_ORGANIZATION */
  requireOpens(sealedSecret: Uint8Array): void
}

/** A purchase with its id, and what the fetcher stated for it. */
export type StartedPurchase = { purchase: Purchase; started: OnRampPurchaseStarted }

/** Providers of on-ramps. */
export type OnRamp = {
  /**
   * Requires that sealed keys of a provider open, are of its form, and are bound to no other organization.
   * @throws ON_RAMP_KEY_INVALID, ON_RAMP_KEY_OF_ANOTHER_ORGANIZATION
   */
  requireKeys(keys: OnRampKeys): void
  /**
   * Has the fetcher start a purchase. Its id is made with the order to the fetcher: `purchase` has none yet.
   * @throws ON_RAMP_KEY_INVALID, ON_RAMP_KEY_OF_ANOTHER_ORGANIZATION, ON_RAMP_URL_NOT_ALLOWED, ON_RAMP_REFUSED
   */
  startPurchase(purchase: Purchase): StartedPurchase
}
