// Names that distinguish the facts of one request.
import { hash } from "node:crypto"
import { create, toBinary } from "@bufbuild/protobuf"
import {
  type FetchOrder,
  Oauth2ExchangeTaskSchema,
  type OnRampKeys,
  OnRampPurchaseTaskSchema,
} from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { onRampKeysDigest } from "../../../core/fetch-orders/on-ramp-key.ts"
import type { FetchTask } from "../../../core/fetch-orders/order.ts"
import type { Purchase } from "../../../core/on-ramp/moonpay.ts"
import { refuse } from "../../../core/refusal.ts"
import type { CodeToExchange } from "../../activities/activity.ts"

/** Subjects of refusals: an activity has one code, one list of invitations, or mails one key. */
export const START_CODE = "start a code"
export const CHECK_CODE = "check a code"
export const SEND_INVITATIONS = "send invitations"
export const MAIL_KEY = "mail a key"

/** True for tasks whose effect the fetcher's store keeps. */
export function isStored({ case: kind }: FetchTask): boolean {
  return kind === "startCode" || kind === "checkCode" || kind === "sendInvitations" || kind === "mailKey"
}

/** The issuer that a task is about, or the digest of what is sealed. */
export function subjectOf({ case: kind, value }: FetchOrder["task"]): string {
  switch (kind) {
    case "issuerKeys":
      return value.issuer
    case "clientSecret":
      return hash("sha256", value.sealedSecret, "hex")
    case "onRampKeys":
      return digestOf(value.keys)
    case "onRampPurchase":
      return purchaseSubject(value)
    case "startCode":
      return START_CODE
    case "checkCode":
      return CHECK_CODE
    case "sendInvitations":
      return SEND_INVITATIONS
    case "mailKey":
      return MAIL_KEY
    case "oauth2Exchange":
      return exchangeSubject(value)
    case "onRampStatus":
      throw invalid("a request has no task of this kind")
    case undefined:
      throw new Error("an order without task is not opened")
    default:
      return kind satisfies never
  }
}

/** A purchase without its id, which each order makes anew. */
export function purchaseSubject(purchase: Purchase): string {
  const task = create(OnRampPurchaseTaskSchema, { ...purchase, transactionId: "" })
  return hash("sha256", toBinary(OnRampPurchaseTaskSchema, task), "hex")
}

/** All that an exchange is ordered with. */
export function exchangeSubject(code: CodeToExchange & { issuer: string }): string {
  const task = create(Oauth2ExchangeTaskSchema, { ...code })
  return hash("sha256", toBinary(Oauth2ExchangeTaskSchema, task), "hex")
}

/** Digest of sealed keys; "" if a task has none, which no order of this signer is. */
export function digestOf(keys: OnRampKeys | undefined): string {
  return keys === undefined ? "" : Buffer.from(onRampKeysDigest(keys)).toString("hex")
}

/** The statement was not made for this request, or says what no statement says. */
export function invalid(why: string) {
  return refuse("STATEMENT_INVALID", `a statement of the fetcher cannot be accepted: ${why}`)
}

/** The operator has switched the service's own ID tokens off. */
export function noIssuer() {
  const sentence =
    "this service issues no ID tokens for users of OAuth 2.0 providers: the operator sets COUNTERSIGN_SIGNER_OIDC_ISSUER"
  return refuse("OAUTH2_ISSUER_UNCONFIGURED", sentence)
}
