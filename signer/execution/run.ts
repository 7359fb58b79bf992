import { create } from "@bufbuild/protobuf"
import type { ActivityEntry } from "../../proto/catalog.ts"
import { type Result, ResultSchema } from "../../proto/gen/countersign/api/v1/activities_pb.ts"
import type { RecordKind } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { type AnyActivity, activities } from "../activities/index.ts"
import { OrganizationDraft } from "../organization/draft.ts"
import { notarizeDocument } from "../organization/notarize.ts"
import { Organization } from "../organization/organization.ts"
import { refuse } from "../refusal.ts"
import { Changes } from "./changes.ts"
import type { ExecutionDeps } from "./deps.ts"
import { recordName, Records } from "./records.ts"
import type { ParametersMessage } from "./request.ts"
import { SessionChanges } from "./session-changes.ts"
import { OrderVault } from "./vault.ts"

/** What running an activity brought about, nothing of it kept yet. */
export type Effects = {
  result: Result
  /** The changed organization and its NotarizedDocument. */
  changed: { organization: Organization; notarized: Uint8Array } | undefined
  changes: Changes
}

/** @throws ACTIVITY_TYPE_NOT_SERVED */
export function requireServed(activity: ActivityEntry): AnyActivity {
  const served = activities.get(activity.type)
  if (served !== undefined) return served
  throw refuse("ACTIVITY_TYPE_NOT_SERVED", `${activity.path} is not served by this release`, {
    field: "type",
  })
}

/** Runs an allowed activity of a user; every refusal of it leaves nothing behind. */
export function runActivity(
  activity: ActivityEntry,
  parameters: ParametersMessage,
  organization: Organization,
  userId: string,
  supplied: readonly Uint8Array[],
  nowMs: number,
  deps: ExecutionDeps,
): Effects {
  const { keyring, ledger, random, ids, sessions, signingKeys } = deps
  const records = new Records(organization.id, supplied, keyring.records, ledger)
  const changes = new Changes(organization.id, keyring, ledger, random)
  const sessionChanges = new SessionChanges(organization.id, sessions, changes)
  const draft = new OrganizationDraft(organization, nowMs, sessionChanges)
  const value = requireServed(activity).run(parameters as never, {
    organization: draft,
    userId,
    nowMs,
    newId: () => ids.next(nowMs),
    random,
    record: (kind: RecordKind, id: string, field?: string) => records.open(recordName(kind, id, field)),
    records: (kind: RecordKind, list: readonly string[], field: string) =>
      records.openAll(list.map((id, index) => recordName(kind, id, `${field}[${index}]`))),
    requireRecords: (kind: RecordKind, list: readonly string[], field: string) =>
      records.requireAlive(list.map((id, index) => recordName(kind, id, `${field}[${index}]`))),
    vault: new OrderVault({
      organizationId: organization.id,
      records,
      keyring,
      ledger,
      cache: signingKeys,
      nowMs,
    }),
    changes,
    sessionToken: keyring.sessionToken,
  })
  const field = activity.resultField
  if (field === undefined) throw new Error(`${activity.type} declares no result`)
  const result = create(ResultSchema, { result: { case: field.localName, value } } as never)
  return { result, changed: finish(draft, deps), changes }
}

function finish(draft: OrganizationDraft, { keyring }: ExecutionDeps): Effects["changed"] {
  const document = draft.finish()
  if (document === undefined) return undefined
  const { notarized, digest } = notarizeDocument(document, keyring.notary)
  return { organization: new Organization(document, digest), notarized }
}
