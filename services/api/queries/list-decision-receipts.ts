import {
  type ListDecisionReceiptsRequest,
  ListDecisionReceiptsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { logOrigin, writeDecision } from "../../../signer/core/log/leaf.ts"
import { readLogReceipt } from "../../../signer/core/log/receipt.ts"
import { jsonText } from "../resources/json-text.ts"
import { getActivity } from "../store/activities.ts"
import { hex } from "../store/activity-row.ts"
import {
  decisionsOf,
  listDecided,
  listLooseReceipts,
  looseReceiptsOf,
  type StoredDecision,
} from "../store/decision-receipts.ts"
import { storedDeployment } from "../store/deployment.ts"
import { HIGHEST_UUID } from "../store/uuid.ts"
import { MAX_PAGE_BYTES } from "./shared/pagination.ts"
import type { Query } from "./shared/query.ts"

const DEFAULT_LIMIT = 100

/** Receipts beside the votes of activities, and those of decisions that have no activity of their own. */
export const listDecisionReceipts: Query<ListDecisionReceiptsRequest> = async (request, context) => {
  const { sql, organization } = context
  const deploymentId = (await storedDeployment(sql))?.id ?? ""
  const { entries, nextAfter } =
    request.activityId === undefined
      ? await pageOf(request, context)
      : { entries: await ofActivity(request.activityId, context), nextAfter: undefined }
  const shown = (decision: StoredDecision) => shownDecision(decision, organization.id, deploymentId)
  return jsonText(ListDecisionReceiptsResponseSchema, {
    decisions: entries.flatMap(({ decisions }) => decisions.map(shown)),
    ...(nextAfter !== undefined && { nextAfter }),
  })
}

type Entry = { id: string; decisions: StoredDecision[] }
type Context = Parameters<Query<ListDecisionReceiptsRequest>>[1]

async function pageOf({ after, limit }: ListDecisionReceiptsRequest, { sql, organization }: Context) {
  const count = limit === undefined ? DEFAULT_LIMIT : Number(limit)
  const below = after?.toLowerCase() ?? HIGHEST_UUID
  const [decided, loose] = await Promise.all([
    listDecided(sql, organization.id, { below, limit: count, maxBytes: MAX_PAGE_BYTES }),
    listLooseReceipts(sql, organization.id, { below, limit: count }),
  ])
  const found = [...decided.entries, ...loose.map((one) => ({ id: one.voteId, decisions: [one] }))]
  // Beyond the end of a list that was cut, entries of it are missing.
  const ends = [
    decided.isCut ? decided.entries.at(-1)?.id : undefined,
    loose.length < count ? undefined : loose.at(-1)?.voteId,
  ]
  const lowest = ends.reduce((end = "", other = "") => (end > other ? end : other)) ?? ""
  const sorted = found.filter(({ id }) => id >= lowest).toSorted((one, other) => (one.id < other.id ? 1 : -1))
  const entries = sorted.slice(0, count)
  const hasMore = lowest !== "" || entries.length < sorted.length
  return { entries, nextAfter: hasMore ? entries.at(-1)?.id : undefined }
}

async function ofActivity(activityId: string, { sql, organization }: Context): Promise<Entry[]> {
  const row = await getActivity(sql, organization.id, activityId)
  const loose = await looseReceiptsOf(sql, organization.id, activityId)
  return [{ id: activityId, decisions: [...(row ? decisionsOf(row) : []), ...loose] }]
}

function shownDecision(
  { activityId, voteId, fingerprint, decidedMs, receipt }: StoredDecision,
  organizationId: string,
  deploymentId: string,
) {
  const known = { activityId, voteId, decidedAtMs: String(decidedMs) }
  const opened = receipt === undefined ? undefined : readLogReceipt(Buffer.from(receipt, "hex"))
  if (opened === undefined) return known
  const { status, lane, era, startIndex, counter, index, salt } = opened
  const statement = {
    organizationId,
    activityId,
    fingerprint,
    status,
    counter,
    startIndex,
    decidedAtMs: decidedMs,
  }
  return {
    ...known,
    logOrigin: logOrigin(deploymentId, lane, era === 0 ? "" : String(era)),
    leafIndex: String(index),
    salt: hex(salt),
    statement: hex(writeDecision(statement)),
  }
}
