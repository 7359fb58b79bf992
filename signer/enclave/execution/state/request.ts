import { hash } from "node:crypto"
import { activityTypes, type ActivityEntry } from "../../../../proto/catalog.ts"
import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { ReadFault, readMessage } from "../../../../proto/read.ts"
import { parseStrictJsonBytes, StrictJsonError } from "../../../../proto/strict-json.ts"
import type { Stamp } from "../../../core/stamp/index.ts"
import { readStampHeaders } from "../../../core/stamp/index.ts"
import { refuse } from "../../../core/refusal.ts"
import { MAX_BODY_BYTES } from "../../../core/wire.ts"

/** A stamped body in parts. Only what stands in the body counts; nothing said beside it is believed. */
export type Request = {
  /** Exactly as stamped. */
  body: Uint8Array
  /** SHA-256 of the body, lower-case hexadecimal. */
  fingerprint: string
  stamp: Stamp
  activity: ActivityEntry
  organizationId: string
  timestampMs: number
  /** Message of the activity's parameters. */
  parameters: ParametersMessage
  /** Whether app proofs are asked for. */
  wantsProofs: boolean
}

/** Parameters of any activity; `userId` and `fingerprint` are looked at before the activity itself runs. */
export type ParametersMessage = {
  userId?: unknown
  fingerprint?: unknown
  setupCode?: unknown
  organizationName?: unknown
}

/** Largest body of an approval or rejection, bytes: it is kept with the activity. */
const MAX_VOTE_BYTES = 8 * 1024

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DECIMAL = /^(0|[1-9][0-9]{0,15})$/

/**
 * Reads a stamped body, without looking at keys or state.
 *
 * @throws REQUEST_TOO_LARGE, REQUEST_MALFORMED, REQUEST_INVALID, ACTIVITY_TYPE_UNKNOWN, STAMP_MISSING,
 *   STAMP_MALFORMED, STAMP_SCHEME_UNKNOWN
 */
export function readRequest(order: { body: Uint8Array; xStamp: string; xStampWebauthn: string }): Request {
  const { body } = order
  if (body.length > MAX_BODY_BYTES)
    throw refuse("REQUEST_TOO_LARGE", `the body is over ${MAX_BODY_BYTES} bytes`)
  const stamp = readStampHeaders({ xStamp: order.xStamp, xStampWebauthn: order.xStampWebauthn })
  const envelope = readEnvelope(body)
  const activity = readActivity(envelope["type"])
  if (activity.authority === Authority.VOTE && body.length > MAX_VOTE_BYTES) {
    throw refuse("REQUEST_TOO_LARGE", `the body of a vote is over ${MAX_VOTE_BYTES} bytes`)
  }
  return {
    body,
    fingerprint: hash("sha256", body, "hex"),
    stamp,
    activity,
    organizationId: readOrganizationId(envelope["organizationId"]),
    timestampMs: readTimestamp(envelope["timestampMs"]),
    parameters: readParameters(activity, envelope["parameters"]),
    wantsProofs: readWantsProofs(envelope["generateAppProofs"]),
  }
}

/** Reads the body of an activity that was accepted before and waits for votes. */
export function readBody(
  body: Uint8Array,
): Pick<Request, "activity" | "timestampMs" | "parameters" | "wantsProofs"> {
  const envelope = readEnvelope(body)
  const activity = readActivity(envelope["type"])
  return {
    activity,
    timestampMs: readTimestamp(envelope["timestampMs"]),
    parameters: readParameters(activity, envelope["parameters"]),
    wantsProofs: readWantsProofs(envelope["generateAppProofs"]),
  }
}

function readEnvelope(body: Uint8Array): { [member: string]: unknown } {
  let json: unknown
  try {
    json = parseStrictJsonBytes(body)
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    throw refuse("REQUEST_MALFORMED", `the body is not strict JSON: ${cause.message}`, { cause })
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw refuse("REQUEST_MALFORMED", "the body is no JSON object")
  }
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
  const organizationId = value.toLowerCase()
  if (UUID.test(organizationId)) return organizationId
  throw refuse("REQUEST_INVALID", "malformed organization ID provided", { field: "organizationId" })
}

function readTimestamp(value: unknown): number {
  if (value === undefined || value === null || value === "") throw missing("timestampMs")
  if (typeof value === "string" && DECIMAL.test(value)) return Number(value)
  throw refuse("REQUEST_INVALID", "timestampMs must be a string of decimal digits, milliseconds", {
    field: "timestampMs",
  })
}

/** Clients may leave the same member among the parameters as well; there it says nothing. */
function readWantsProofs(value: unknown): boolean {
  if (typeof value === "boolean") return value
  if (value === undefined || value === null) return false
  throw refuse("REQUEST_INVALID", "generateAppProofs must be true or false", { field: "generateAppProofs" })
}

function readParameters(activity: ActivityEntry, json: unknown): ParametersMessage {
  if (typeof json !== "object" || json === null) throw missing("parameters")
  try {
    return readMessage(activity.intentSchema, json, "parameters").message as ParametersMessage
  } catch (cause) {
    if (!(cause instanceof ReadFault)) throw cause
    throw refuse("REQUEST_INVALID", cause.message, { cause, field: cause.path })
  }
}

function missing(field: string) {
  return refuse("REQUEST_INVALID", `invalid request body: missing field \`${field}\``, { field })
}
