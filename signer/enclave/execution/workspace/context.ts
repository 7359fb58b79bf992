import type { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { ChangeSet } from "../../activities/change-set.ts"
import {
  type ActivityContext,
  type PowerName,
  type RecordReader,
  SUB_ORGANIZATION_NEEDS,
} from "../../activities/context.ts"
import { type RecordName, recordName } from "../state/archived-records.ts"
import type { Changes } from "./changes.ts"
import { codesOf, verificationsOf } from "./fetched/codes.ts"
import { issuersOf } from "./fetched/issuer-keys.ts"
import { invitationsOf } from "./fetched/mails.ts"
import { clientSecretsOf, oauth2Of } from "./fetched/oauth2.ts"
import { onRampOf } from "./fetched/on-ramp.ts"
import { only } from "./only.ts"
import { KEY_POWERS } from "./powers/keys.ts"
import { LOGIN_POWERS } from "./powers/login.ts"
import type { Makers } from "./powers/makers.ts"
import type { Records } from "./records.ts"
import type { Workspace } from "./workspace.ts"

const POWERS: Makers<PowerName> = {
  ...KEY_POWERS,
  ...LOGIN_POWERS,
  issuer: ({ facts }) => issuersOf(facts),
  code: ({ facts }) => codesOf(facts),
  verification: ({ facts }) => verificationsOf(facts),
  invitation: ({ facts }) => invitationsOf(facts),
  oauth2: ({ facts }) => oauth2Of(facts),
  clientSecret: ({ facts }) => clientSecretsOf(facts),
  onRamp: ({ facts }) => onRampOf(facts),
  subOrganization: (workspace) => ({
    create(name) {
      const { deps, run } = workspace
      const child = workspace.createSubOrganization(deps.ids.next(run.nowMs), name)
      return contextOf(child, SUB_ORGANIZATION_NEEDS)
    },
  }),
}

/**
 * The context of an activity: the base and the declared powers, and nothing else, not even a prototype. Each power is made
 * when it is first read, because some cost and some are refused.
 */
export function contextOf<Needs extends readonly PowerName[]>(
  workspace: Workspace,
  needs: Needs,
): ActivityContext<Needs> {
  const { run, submitter, deps } = workspace
  const { isByParent, nowMs } = run
  const context = Object.assign(Object.create(null) as object, {
    userId: submitter.userId,
    isByParent,
    nowMs,
    newId: () => deps.ids.next(nowMs),
  })
  lazily(context, "organization", () => workspace.draft)
  lazily(context, "records", () => recordReader(workspace.records))
  lazily(context, "changes", () => changeSet(workspace.changes))
  for (const name of needs) lazily(context, name, () => Object.freeze(POWERS[name](workspace)))
  return Object.freeze(context) as ActivityContext<Needs>
}

/** Defines a member that is made when it is first read. */
function lazily(context: object, name: string, make: () => unknown): void {
  let made: unknown
  Object.defineProperty(context, name, { enumerable: true, get: () => (made ??= make()) })
}

function recordReader(records: Records): RecordReader {
  return Object.freeze<RecordReader>({
    open: (kind, id, field) => records.open(recordName(kind, id, field)),
    openAll: (kind, ids, field) => records.openAll(namesOf(kind, ids, field)),
    requireAlive: (kind, ids, field) => records.requireAlive(namesOf(kind, ids, field)),
    archived: (kinds) => records.archived(kinds),
  })
}

function namesOf(kind: RecordKind, ids: readonly string[], field: string): RecordName[] {
  return ids.map((id, index) => recordName(kind, id, `${field}[${index}]`))
}

function changeSet(changes: Changes): ChangeSet {
  return Object.freeze<ChangeSet>({
    ...only(
      changes,
      "addRecord",
      "changeRecord",
      "deleteRecord",
      "removeAccounts",
      "removeEverything",
      "takeName",
      "releaseName",
      "spendToken",
      "takeAddress",
      "releaseAddress",
      "markExported",
      "wasExported",
      "prepare",
    ),
    counters: only(changes.counters, "removeAll", "remove"),
    secrets: only(changes.secrets, "claim"),
  })
}
