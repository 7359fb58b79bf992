import { type ActivityEntry, activityTypes } from "../../../proto/catalog.ts"
import { obsoleteTypes } from "../../../proto/operations.ts"
import {
  type MemberRule,
  missingMember,
  type ParametersMessage,
  readContent,
  readEnvelope,
} from "../../../signer/core/request/read-body.ts"
import { sha256OfBody } from "../../../signer/core/stamp/large-body.ts"
import type { ApiError } from "../../common/api-error.ts"
import { notImplemented } from "../../common/dispatch.ts"
import { invalid } from "../errors.ts"
import { readOrganizationId } from "../request-body.ts"

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
  parameters: ParametersMessage
  /** The parameters as replies echo them: without null and unknown members. */
  intent: string
}

/**
 * Reads a body sent to a submit path that accepts the activity types `ofPath`, as the signer reads it. Without a rule, unknown
 * members are ignored: a body that the signer recovers was accepted before.
 *
 * @throws Refusal, ApiError
 */
export function readSubmission(
  body: Buffer,
  ofPath: readonly ActivityEntry[],
  rule?: MemberRule,
): Submission {
  const envelope = readEnvelope(body, rule)
  requireTypeOfPath(envelope.members["type"], ofPath)
  const { organizationId: id } = envelope.members
  // A malformed id has a public code of its own.
  if (typeof id === "string") readOrganizationId(id)
  const { activity, organizationId, timestampMs, parameters, clean } = readContent(envelope)
  return {
    body,
    fingerprint: sha256OfBody(body),
    activity,
    organizationId,
    timestampMs,
    parameters,
    intent: `{"${activity.intentName}":${JSON.stringify(clean)}}`,
  }
}

function requireTypeOfPath(type: unknown, ofPath: readonly ActivityEntry[]): void {
  if (typeof type !== "string") throw missingMember("type")
  const activity = ofPath.find((entry) => entry.type === type)
  if (activity === undefined) throw wrongType(type, ofPath)
  if (!activity.served) throw notImplemented(`${activity.path} as ${type}`, servedTypes(ofPath))
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
