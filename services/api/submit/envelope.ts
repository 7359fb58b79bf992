import { hash } from "node:crypto"
import { type ActivityEntry, activityTypes } from "../../../proto/catalog.ts"
import { readMessage } from "../../../proto/read.ts"
import {
  ENVELOPE_MEMBERS,
  reportUnknownMembers,
  type OnUnknownMember,
} from "../../../proto/unknown-members.ts"
import type { ApiError } from "../../common/api-error.ts"
import { notImplemented } from "../../common/dispatch.ts"
import { invalid } from "../errors.ts"
import { readObject, readOrganizationId } from "../request-body.ts"
import { obsoleteTypes } from "../../../proto/operations.ts"

/** A submitted body, parsed once. */
export type Submission = {
  /** Bytes as received, which the stamp covers. */
  body: Buffer
  /** SHA-256 of the body, which identifies the activity. */
  fingerprint: Buffer
  activity: ActivityEntry
  /** Lower case. */
  organizationId: string
  timestampMs: number
  parameters: { fingerprint?: unknown }
  /** The parameters as replies echo them: without null and unknown members. */
  intent: string
}

const DECIMAL = /^(?:0|[1-9][0-9]{0,15})$/

/**
 * Reads a body sent to a submit path that accepts the activity types `ofPath`. Without `onUnknown`, unknown members are
 * ignored: a body that the signer recovers was accepted before.
 *
 * @throws StrictJsonError, ReadFault, ApiError
 */
export function readSubmission(
  body: Buffer,
  ofPath: readonly ActivityEntry[],
  onUnknown?: OnUnknownMember,
): Submission {
  const envelope = readObject(body)
  // First: a misspelt member would be reported as a missing one.
  if (onUnknown) reportUnknownMembers(envelope, ENVELOPE_MEMBERS, onUnknown)
  const activity = readActivity(envelope["type"], ofPath)
  const { organizationId: id } = envelope
  if (typeof id !== "string") throw missing("organizationId")
  const organizationId = readOrganizationId(id)
  const timestampMs = readTimestamp(envelope["timestampMs"])
  requireBoolean(envelope["generateAppProofs"])
  const json = envelope["parameters"]
  if (typeof json !== "object" || json === null) throw missing("parameters")
  const { message, clean } = readMessage(activity.intentSchema, json, "parameters", onUnknown)
  return {
    body,
    fingerprint: hash("sha256", body, "buffer"),
    activity,
    organizationId,
    timestampMs,
    parameters: message as { fingerprint?: unknown },
    intent: `{"${activity.intentName}":${JSON.stringify(clean)}}`,
  }
}

function readActivity(type: unknown, ofPath: readonly ActivityEntry[]): ActivityEntry {
  if (typeof type !== "string") throw missing("type")
  const activity = ofPath.find((entry) => entry.type === type)
  if (activity === undefined) throw wrongType(type, ofPath)
  if (!activity.served) throw notImplemented(`${activity.path} as ${type}`, servedTypes(ofPath))
  return activity
}

function servedTypes(ofPath: readonly ActivityEntry[]): string {
  const served = ofPath.filter((entry) => entry.served)
  return `send ${served.map((entry) => entry.type).join(" or ")}`
}

/** An unknown type gets the code that the signer would give it. */
function wrongType(type: string, ofPath: readonly ActivityEntry[]): ApiError {
  const types = ofPath.map((entry) => entry.type).join(", ")
  if (activityTypes.has(type))
    return invalid(`type does not belong to this path, which takes ${types}`, "type")
  const advice = obsoleteTypes.get(type)
  const sentence =
    advice === undefined
      ? `type is not an activity type; this path takes ${types}`
      : `${type} is obsolete: ${advice}`
  return invalid(sentence, "type", "ACTIVITY_TYPE_UNKNOWN")
}

function readTimestamp(value: unknown): number {
  if (value === undefined || value === null || value === "") throw missing("timestampMs")
  if (typeof value === "string" && DECIMAL.test(value)) return Number(value)
  throw invalid("timestampMs must be a string of decimal digits, milliseconds", "timestampMs")
}

/** Only the signer uses the value; it would refuse any other. */
function requireBoolean(generateAppProofs: unknown): void {
  if (typeof generateAppProofs === "boolean" || (generateAppProofs ?? undefined) === undefined) return
  throw invalid("generateAppProofs must be true or false", "generateAppProofs")
}

function missing(field: string): ApiError {
  return invalid(`invalid request body: missing field \`${field}\``, field)
}
