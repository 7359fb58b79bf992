import { hash } from "node:crypto"
import { activityTypes, type ActivityEntry } from "../../../../proto/catalog.ts"
import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { ReadFault, readMessage } from "../../../../proto/read.ts"
import { BODY_LIMITS, parseStrictJsonBytes, StrictJsonError } from "../../../../proto/strict-json.ts"
import {
  ENVELOPE_MEMBERS,
  misspellingCheck,
  reportUnknownMembers,
  type OnUnknownMember,
} from "../../../../proto/unknown-members.ts"
import type { Order } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { refuse } from "../../../core/refusal.ts"
import { readStampHeaders, type Stamp } from "../../../core/stamp/read-stamp.ts"
import { readUuid } from "../../../core/uuid.ts"
import { malformedOrganizationId, MAX_BODY_BYTES } from "../../../core/wire.ts"
import type { CredentialOwner } from "./credential-owner.ts"

/** A stamped body, parsed from the stamped bytes only: no field outside them is used. */
export type StampedRequest = {
  /** Exactly the stamped bytes. */
  body: Uint8Array
  /** SHA-256 of the body, lower-case hexadecimal. */
  fingerprint: string
  stamp: Stamp
  activity: ActivityEntry
  organizationId: string
  timestampMs: number
  parameters: ParametersMessage
  wantsProofs: boolean
}

/** Parameters of any activity, with the fields that are read before the activity runs. */
export type ParametersMessage = {
  [field in "userId" | "fingerprint" | "setupCode" | "organizationName"]?: unknown
}

/** A request whose stamp was verified, with the organization it is for. */
export type AuthenticatedRequest = {
  request: StampedRequest
  /** Serialized Records, fetched statements and values of a chain that came with the request. */
  order: Pick<Order, "records" | "fetched" | "fill">
  /** The organization that the request is for, at the ledger's version. */
  organization: Organization
  /** The organization whose policies decide: the same, or its parent for a login that a user of the parent asks for. */
  deciding: Organization
  /** The user whose credential stamped the request, of the deciding organization. */
  owner: CredentialOwner
  /** The organization whose settings apply: the parent, or the organization itself. */
  governing: () => Organization
  nowMs: number
}

/** Largest body of an approval or rejection, bytes: the vote is stored with its activity. */
const MAX_VOTE_BYTES = 8 * 1024

const DECIMAL = /^(0|[1-9][0-9]{0,15})$/

/**
 * Parses a stamped body and its stamp headers, before any look-up.
 * @throws REQUEST_TOO_LARGE, REQUEST_MALFORMED, REQUEST_INVALID, ACTIVITY_TYPE_UNKNOWN, STAMP_MISSING,
 *   STAMP_MALFORMED, STAMP_SCHEME_UNKNOWN, OIDC_TOKEN_INVALID, VERIFICATION_TOKEN_INVALID
 */
export function readRequest(
  order: Pick<Order, "body" | "xStamp" | "xStampWebauthn" | "xStampAttested">,
): StampedRequest {
  const { body } = order
  if (body.length > MAX_BODY_BYTES)
    throw refuse("REQUEST_TOO_LARGE", `the body is over ${MAX_BODY_BYTES} bytes`)
  const stamp = readStampHeaders(order)
  const envelope = readEnvelope(body)
  const activity = readActivity(envelope["type"])
  if (activity.authority === Authority.VOTE && body.length > MAX_VOTE_BYTES)
    throw refuse("REQUEST_TOO_LARGE", `the body of a vote is over ${MAX_VOTE_BYTES} bytes`)
  const onUnknown = misspellingCheck()
  const request = {
    body,
    fingerprint: hash("sha256", body, "hex"),
    stamp,
    activity,
    organizationId: readOrganizationId(envelope["organizationId"]),
    timestampMs: readTimestamp(envelope["timestampMs"]),
    parameters: readParameters(activity, envelope["parameters"], onUnknown),
    wantsProofs: readWantsProofs(envelope["generateAppProofs"]),
  }
  refuseFaults(() => reportUnknownMembers(envelope, ENVELOPE_MEMBERS, onUnknown))
  return request
}

/** Parses the body of a pending activity. Its unknown members were judged when it was submitted. */
export function readPendingBody(
  body: Uint8Array,
): Pick<StampedRequest, "fingerprint" | "activity" | "timestampMs" | "parameters" | "wantsProofs"> {
  const envelope = readEnvelope(body)
  const activity = readActivity(envelope["type"])
  return {
    fingerprint: hash("sha256", body, "hex"),
    activity,
    timestampMs: readTimestamp(envelope["timestampMs"]),
    parameters: readParameters(activity, envelope["parameters"]),
    wantsProofs: readWantsProofs(envelope["generateAppProofs"]),
  }
}

function readEnvelope(body: Uint8Array): { [member: string]: unknown } {
  let json: unknown
  try {
    json = parseStrictJsonBytes(body, BODY_LIMITS)
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    throw refuse("REQUEST_MALFORMED", `the body is not strict JSON: ${cause.message}`, { cause })
  }
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw refuse("REQUEST_MALFORMED", "the body is no JSON object")
  return json as { [member: string]: unknown }
}

function readActivity(type: unknown): ActivityEntry {
  if (typeof type !== "string") throw missing("type")
  const activity = activityTypes.get(type)
  if (activity === undefined)
    throw refuse("ACTIVITY_TYPE_UNKNOWN", "type is no activity type", { field: "type" })
  return activity
}

function readOrganizationId(value: unknown): string {
  if (typeof value !== "string") throw missing("organizationId")
  const organizationId = readUuid(value)
  if (organizationId !== undefined) return organizationId
  throw refuse("REQUEST_INVALID", malformedOrganizationId(value), { field: "organizationId" })
}

function readTimestamp(value: unknown): number {
  if (value === undefined || value === null || value === "") throw missing("timestampMs")
  if (typeof value === "string" && DECIMAL.test(value)) return Number(value)
  const sentence = "timestampMs must be a string of decimal digits, milliseconds"
  throw refuse("REQUEST_INVALID", sentence, { field: "timestampMs" })
}

/** Clients may repeat this member inside the parameters, where it has no effect. */
function readWantsProofs(value: unknown): boolean {
  if (typeof value === "boolean") return value
  if (value === undefined || value === null) return false
  throw refuse("REQUEST_INVALID", "generateAppProofs must be true or false", { field: "generateAppProofs" })
}

function readParameters(
  activity: ActivityEntry,
  json: unknown,
  onUnknown?: OnUnknownMember,
): ParametersMessage {
  if (typeof json !== "object" || json === null) throw missing("parameters")
  return refuseFaults(
    () => readMessage(activity.intentSchema, json, "parameters", onUnknown).message as ParametersMessage,
  )
}

function refuseFaults<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof ReadFault)) throw cause
    throw refuse("REQUEST_INVALID", cause.message, { cause, field: cause.path })
  }
}

function missing(field: string) {
  return refuse("REQUEST_INVALID", `invalid request body: missing field \`${field}\``, { field })
}
