// The one reading of a stamped body. The signer decides by it, the API tier answers by it, and every description for people is
// made from it. So no member has one meaning for the signer and another for its readers.
import { type ActivityEntry, activityTypes } from "../../../proto/catalog.ts"
import { ReadFault, readMessage } from "../../../proto/read.ts"
import { BODY_LIMITS, type JsonMembers, readJsonObject, StrictJsonError } from "../../../proto/strict-json.ts"
import {
  ENVELOPE_MEMBERS,
  memberPath,
  type OnUnknownMember,
  reportUnknownMembers,
} from "../../../proto/unknown-members.ts"
import { refuse } from "../refusal.ts"
import { readUuid } from "../uuid.ts"
import { malformedOrganizationId } from "../wire.ts"

/** Parameters of any activity, with the fields that are read before the activity runs. */
export type ParametersMessage = {
  [field in "userId" | "fingerprint" | "setupCode" | "organizationName"]?: unknown
}

/** A body as the signer reads it. */
export type ReadBody = {
  readonly activity: ActivityEntry
  /** Lower case. */
  readonly organizationId: string
  /** Unix time, milliseconds. */
  readonly timestampMs: number
  readonly wantsProofs: boolean
  /** The message of the activity's intent. */
  readonly parameters: ParametersMessage
  /** The known parameters as they were sent, under lowerCamel names and without nulls. */
  readonly clean: JsonMembers
  /** Paths of members that have no effect, in the order of the body: `parameters.note`. Names end at 64 characters. */
  readonly ignored: readonly string[]
  /** All members of the body as they were sent. */
  readonly members: JsonMembers
}

/**
 * The rule for unknown members of one body, which throws ReadFault for those that it refuses. Undefined `activity`: the body
 * names no activity type.
 */
export type MemberRule = (activity: ActivityEntry | undefined) => OnUnknownMember

/** The members of a body whose values are not read yet. */
export type Envelope = {
  readonly members: JsonMembers
  /** Undefined: `type` is missing or no activity type. */
  readonly activity: ActivityEntry | undefined
  readonly ignored: string[]
  readonly onUnknown: OnUnknownMember
}

/**
 * Reads a body. Without a rule all unknown members are ignored: readers must not refuse a body that was accepted.
 *
 * @throws REQUEST_MALFORMED, REQUEST_INVALID, ACTIVITY_TYPE_UNKNOWN
 */
export function readBody(body: Uint8Array, rule?: MemberRule): ReadBody {
  return readContent(readEnvelope(body, rule))
}

const utf8 = new TextEncoder()

/** As readBody, for a body that is kept as text: that of a vote. */
export function readBodyText(body: string): ReadBody {
  return readBody(utf8.encode(body))
}

/** Characters of an ignored member's name that are kept: a name can be as long as a body. */
const MAX_NAME = 64

/**
 * Reads the outermost object of a body, and judges its unknown members: a misspelt one would be reported as a missing one.
 *
 * @throws REQUEST_MALFORMED, REQUEST_INVALID
 */
export function readEnvelope(body: Uint8Array, rule?: MemberRule): Envelope {
  const members = readJsonObject(body, malformed, BODY_LIMITS)
  const { type } = members
  const activity = typeof type === "string" ? activityTypes.get(type) : undefined
  const check = rule?.(activity)
  const ignored: string[] = []
  const onUnknown: OnUnknownMember = (parent, name, known) => {
    check?.(parent, name, known)
    ignored.push(memberPath(parent, name.slice(0, MAX_NAME)))
  }
  refuseFaults(() => reportUnknownMembers(members, ENVELOPE_MEMBERS, onUnknown))
  return { members, activity, ignored, onUnknown }
}

/** Reads the values of a body. @throws REQUEST_INVALID, ACTIVITY_TYPE_UNKNOWN */
export function readContent({ members, activity, ignored, onUnknown }: Envelope): ReadBody {
  if (typeof members["type"] !== "string") throw missingMember("type")
  if (activity === undefined)
    throw refuse("ACTIVITY_TYPE_UNKNOWN", "type is not an activity type", { field: "type" })
  const organizationId = readOrganizationId(members["organizationId"])
  const timestampMs = readTimestamp(members["timestampMs"])
  const wantsProofs = readWantsProofs(members["generateAppProofs"])
  const json = members["parameters"]
  if (typeof json !== "object" || json === null) throw missingMember("parameters")
  const { message, clean } = refuseFaults(() =>
    readMessage(activity.intentSchema, json, "parameters", onUnknown),
  )
  const parameters = message as ParametersMessage
  return { activity, organizationId, timestampMs, wantsProofs, parameters, clean, ignored, members }
}

/** The refusal of a body without a member of its envelope. Published clients match its sentence. */
export function missingMember(field: string) {
  return refuse("REQUEST_INVALID", `invalid request body: missing field \`${field}\``, { field })
}

function malformed(reason: string, cause?: unknown) {
  const place = cause instanceof StrictJsonError ? `: ${cause.message}` : ""
  return refuse("REQUEST_MALFORMED", `bad request body: it ${reason}${place}`, { cause })
}

function readOrganizationId(value: unknown): string {
  if (typeof value !== "string") throw missingMember("organizationId")
  const organizationId = readUuid(value)
  if (organizationId !== undefined) return organizationId
  throw refuse("REQUEST_INVALID", malformedOrganizationId(value), { field: "organizationId" })
}

const DECIMAL = /^(?:0|[1-9][0-9]{0,15})$/

function readTimestamp(value: unknown): number {
  if (value === undefined || value === null || value === "") throw missingMember("timestampMs")
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

function refuseFaults<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof ReadFault)) throw cause
    throw refuse("REQUEST_INVALID", `invalid request body: ${cause.sentence}`, { cause, field: cause.path })
  }
}
