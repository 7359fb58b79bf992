import { hash } from "node:crypto"
import type { ActivityEntry } from "../../../proto/catalog.ts"
import { readMessage } from "../../../proto/read.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import { invalid } from "../errors.ts"
import { readObject } from "../read-object.ts"
import { isServed, notServed, whyObsolete } from "../served.ts"

/** A submit body, read once; everything later works on this. */
export type Submission = {
  /** As received: stamps cover these bytes. */
  body: Buffer
  /** SHA-256 of the body: the same body is the same activity. */
  fingerprint: Buffer
  activity: ActivityEntry
  /** Lower case. */
  organizationId: string
  timestampMs: number
  /** Message of the parameters. */
  parameters: { fingerprint?: unknown }
  /** The parameters as they are echoed: what was sent, without null and unknown members. */
  intent: string
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DECIMAL = /^(?:0|[1-9][0-9]{0,15})$/

/**
 * Reads a body sent to a submit path. `ofPath` are the activity types that the path takes.
 *
 * @throws StrictJsonError, ReadFault, ApiError
 */
export function readSubmission(body: Buffer, ofPath: readonly ActivityEntry[]): Submission {
  const envelope = readObject(body)
  const activity = readActivity(envelope["type"], ofPath)
  const organizationId = readOrganizationId(envelope["organizationId"])
  const timestampMs = readTimestamp(envelope["timestampMs"])
  requireBoolean(envelope["generateAppProofs"])
  const json = envelope["parameters"]
  if (typeof json !== "object" || json === null) throw missing("parameters")
  const { message, clean } = readMessage(activity.intentSchema, json, "parameters")
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
  if (activity === undefined) {
    const types = ofPath.map((entry) => entry.type).join(", ")
    throw invalid(whyObsolete(type) ?? `type does not belong to this path, which takes ${types}`, "type")
  }
  if (!isServed(activity)) throw notServed(`${activity.path} as ${type}`)
  return activity
}

function readOrganizationId(value: unknown): string {
  if (typeof value !== "string") throw missing("organizationId")
  const organizationId = value.toLowerCase()
  if (UUID.test(organizationId)) return organizationId
  throw new ApiError(GrpcCode.invalidArgument, "malformed organization ID provided", {
    publicCode: "INVALID_ORGANIZATION_ID",
    field: "organizationId",
  })
}

function readTimestamp(value: unknown): number {
  if (value === undefined || value === null || value === "") throw missing("timestampMs")
  if (typeof value === "string" && DECIMAL.test(value)) return Number(value)
  throw invalid("timestampMs must be a string of decimal digits, milliseconds", "timestampMs")
}

/** The signer reads it from the body; what it would refuse is refused here. */
function requireBoolean(generateAppProofs: unknown): void {
  if (typeof generateAppProofs === "boolean" || (generateAppProofs ?? undefined) === undefined) return
  throw invalid("generateAppProofs must be true or false", "generateAppProofs")
}

function missing(field: string): ApiError {
  return invalid(`invalid request body: missing field \`${field}\``, field)
}
