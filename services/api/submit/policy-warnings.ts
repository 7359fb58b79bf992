import type { OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Effect } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { withDefaults } from "../../../signer/core/auth-proxy/settings.ts"
import { counted } from "../../../signer/core/counted.ts"
import type { PolicyDraft } from "../../policy-advice/draft.ts"
import { knownNamesOf, searchMeasureOf } from "../../policy-advice/known.ts"
import { type MfaPolicyText, mfaNotesOf } from "../../policy-advice/mfa-notes.ts"
import { notesOf, type PolicyNote } from "../../policy-advice/notes.ts"
import type { ActivityRow } from "../store/activities.ts"

/** Characters of expressions that are checked in one request, so that advice delays no other request. */
const MAX_CHECKED = 64 * 1024

/** Characters of the header: clients read 16 KiB of headers in all. */
const MAX_HEADER = 4096

type Members = { readonly [member: string]: string | undefined }

/**
 * Header text with the notes about the policies that an activity creates or changes: a JSON array of PolicyNote in ASCII,
 * at most 4096 characters. Undefined: there are none. Notes that do not fit are counted in the last one.
 */
export function policyWarningsText(
  { type, intent }: Pick<ActivityRow, "type" | "intent">,
  document: OrganizationDocument,
  nowMs: number,
): string | undefined {
  const notesIn = NOTES.get(type)
  if (notesIn === undefined) return undefined
  const [parameters] = Object.values(JSON.parse(intent) as { [intentName: string]: never })
  const notes = notesIn(parameters as never, document, nowMs)
  return notes.length === 0 ? undefined : headerText(notes)
}

function notesOfDrafts(
  drafts: readonly PolicyDraft[],
  document: OrganizationDocument,
  nowMs: number,
): PolicyNote[] {
  const notes: PolicyNote[] = []
  const searches = searchMeasureOf(document)
  let checked = 0
  for (const draft of drafts) {
    checked += [draft.condition, draft.consensus, draft.time].join("").length
    if (checked > MAX_CHECKED) break
    notes.push(...notesOf(draft, knownNamesOf(draft.effect, document, nowMs, searches)))
  }
  return notes
}

type Notes = (parameters: never, document: OrganizationDocument, nowMs: number) => PolicyNote[]

/** Notes by activity type, from the intent. */
const NOTES: ReadonlyMap<string, Notes> = new Map<string, Notes>([
  ["ACTIVITY_TYPE_CREATE_POLICY_V3", onDrafts((parameters: Members) => [created(parameters)])],
  [
    "ACTIVITY_TYPE_CREATE_POLICIES",
    onDrafts(({ policies }: { policies: Members[] }) => policies.map(created)),
  ],
  ["ACTIVITY_TYPE_UPDATE_POLICY_V2", onDrafts(changed)],
  [
    "ACTIVITY_TYPE_CREATE_MFA_POLICY",
    (parameters: MfaPolicyText, document) => mfaNotesOf(parameters, document),
  ],
  ["ACTIVITY_TYPE_ENABLE_AUTH_PROXY", (_parameters, document) => originNotes(document)],
  [
    "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
    ({ name }: Members, document) => (name === "FEATURE_NAME_AUTH_PROXY" ? originNotes(document) : []),
  ],
])

function onDrafts(draftsIn: (parameters: never, document: OrganizationDocument) => PolicyDraft[]): Notes {
  return (parameters, document, nowMs) => notesOfDrafts(draftsIn(parameters, document), document, nowMs)
}

/** A note about the policy of an auth proxy that no list of origins limits. */
function originNotes({ authProxy }: OrganizationDocument): PolicyNote[] {
  const { allowedOrigins } = withDefaults(authProxy?.settings)
  if (allowedOrigins.length > 0 && !allowedOrigins.includes("*")) return []
  const sentence =
    "the auth proxy serves pages of every origin, because no origin is listed: name yours with update_auth_proxy_config"
  return [{ policyName: `Auth proxy ${authProxy?.configId ?? ""}`.trim(), sentence }]
}

function created({ policyName = "", effect, condition, consensus, time }: Members): PolicyDraft {
  return {
    name: policyName,
    effect: effect === "EFFECT_ALLOW" ? "allow" : "deny",
    condition,
    consensus,
    time,
  }
}

/** The policy with the change; nothing if it is no longer there. */
function changed(parameters: Members, { policies }: OrganizationDocument): PolicyDraft[] {
  const stored = policies.find(({ policyId }) => policyId === parameters["policyId"]?.toLowerCase())
  if (stored === undefined) return []
  const { policyName, policyEffect, policyCondition, policyConsensus, time } = parameters
  const effect = policyEffect ?? (stored.effect === Effect.ALLOW ? "EFFECT_ALLOW" : "EFFECT_DENY")
  return [
    created({
      policyName: policyName ?? stored.name,
      effect,
      condition: policyCondition ?? stored.condition,
      consensus: policyConsensus ?? stored.consensus,
      time: time ?? stored.time,
    }),
  ]
}

function headerText(notes: readonly PolicyNote[]): string {
  for (let kept = notes.length; kept > 0; kept--) {
    const text = asciiJson(
      kept === notes.length ? notes : [...notes.slice(0, kept), moreNotes(notes.length - kept)],
    )
    if (text.length <= MAX_HEADER) return text
  }
  return asciiJson([moreNotes(notes.length)])
}

function moreNotes(count: number): PolicyNote {
  return { policyName: "", sentence: `${counted(count, "more note")}: npx countersign policy check` }
}

/** Headers hold ASCII; JSON escapes the rest (RFC 8259 §7). */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}
