import type { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { ChangeSet } from "../../activities/change-set.ts"
import type { ActivityContext, RecordReader } from "../../activities/context.ts"
import { type RecordName, recordName } from "../state/archived-records.ts"
import type { Changes } from "./changes.ts"
import { only } from "./only.ts"
import type { Records } from "./records.ts"
import type { Workspace } from "./workspace.ts"

type Base = { readonly [Name in keyof ActivityContext]: (workspace: Workspace) => ActivityContext[Name] }

/** How the members that every activity gets are made. */
export const BASE: Base = {
  organization: ({ draft }) => draft,
  userId: ({ submitter }) => submitter.userId,
  isByParent: ({ run }) => run.isByParent,
  nowMs: ({ run }) => run.nowMs,
  newId: ({ run, deps }) => {
    return () => deps.ids.next(run.nowMs)
  },
  records: ({ records }) => recordReader(records),
  changes: ({ changes }) => changeSet(changes),
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
