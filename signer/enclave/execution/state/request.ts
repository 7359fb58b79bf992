import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Order } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { refuse } from "../../../core/refusal.ts"
import {
  type MemberRule,
  type ReadBody,
  readBody,
  readContent,
  readEnvelope,
} from "../../../core/request/read-body.ts"
import { sha256OfBody } from "../../../core/stamp/large-body.ts"
import { readStampHeaders, type Stamp } from "../../../core/stamp/read-stamp.ts"
import { MAX_BODY_BYTES } from "../../../core/wire.ts"
import type { CredentialOwner } from "./credential-owner.ts"
import type { RequestParts } from "./request-parts.ts"

/** A stamped body, parsed from the stamped bytes only: no field outside them is used. */
export type StampedRequest = PendingBody & {
  /** Exactly the stamped bytes. */
  body: Uint8Array
  stamp: Stamp
}

/** `fingerprint`: SHA-256 of the body, lower-case hexadecimal. */
export type PendingBody = ReadBody & { fingerprint: string }

/** A request whose stamp was verified, with the organization it is for. */
export type AuthenticatedRequest = {
  request: StampedRequest
  /** Serialized Records, fetched statements and values of a chain that came with the request. */
  order: Pick<Order, "records" | "fetched" | "fill"> & Partial<Pick<Order, "policyList">>
  /** The organization that the request is for, at the ledger's version. */
  organization: Organization
  /** The organization whose policies decide: the same, or its parent for a login that a user of the parent asks for. */
  deciding: Organization
  /** The user whose credential stamped the request, of the deciding organization. */
  owner: CredentialOwner
  /** The organization whose settings apply: the parent, or the organization itself. */
  governing: () => Organization
  parts: RequestParts
  nowMs: number
}

/** Largest body of an approval or rejection, bytes: the vote is stored with its activity. */
const MAX_VOTE_BYTES = 8 * 1024

/**
 * Parses a stamped body and its stamp headers, before any look-up. `rule` judges members that the activity does not have.
 *
 * @throws REQUEST_TOO_LARGE, REQUEST_MALFORMED, REQUEST_INVALID, ACTIVITY_TYPE_UNKNOWN, STAMP_MISSING,
 *   STAMP_MALFORMED, STAMP_SCHEME_UNKNOWN, OIDC_TOKEN_INVALID, VERIFICATION_TOKEN_INVALID
 */
export function readRequest(
  order: Pick<Order, "body" | "xStamp" | "xStampWebauthn" | "xStampAttested">,
  rule: MemberRule,
): StampedRequest {
  const { body } = order
  if (body.length > MAX_BODY_BYTES)
    throw refuse("REQUEST_TOO_LARGE", `the body is over ${MAX_BODY_BYTES} bytes`)
  const stamp = readStampHeaders(order)
  const envelope = readEnvelope(body, rule)
  if (envelope.activity?.authority === Authority.VOTE && body.length > MAX_VOTE_BYTES)
    throw refuse("REQUEST_TOO_LARGE", `the body of a vote is over ${MAX_VOTE_BYTES} bytes`)
  return { ...readContent(envelope), body, fingerprint: sha256OfBody(body).toString("hex"), stamp }
}

/** Parses the body of a pending activity. Its unknown members were judged when it was submitted. */
export function readPendingBody(body: Uint8Array): PendingBody {
  return { ...readBody(body), fingerprint: sha256OfBody(body).toString("hex") }
}
