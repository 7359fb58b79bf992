import type { Database, Queries } from "../../database/database.ts"
import { type ActivityRow, activityColumns, hex, readActivity, type StoredActivity } from "./activity-row.ts"
import { isUuidInAnyCase, LOWEST_UUID } from "./uuid.ts"

/** A receipt of a decision whose vote is not stored with an activity. */
export type LooseReceipt = {
  organizationId: string
  /** UUIDv7 of the decision. */
  voteId: string
  activityId: string
  /** 64 hexadecimal digits. */
  fingerprint: string
  decidedMs: number
  /** Hexadecimal. */
  receipt: string
}

const MAX_ROWS = 500
/** More that wait are dropped: their decisions can no longer be opened, and an audit names them. */
const MAX_WAITING = 50_000

type Waiting = { receipt: LooseReceipt; resolve: () => void; reject: (error: unknown) => void }

/** Stores loose receipts. One statement at a time has all that came meanwhile, so a flood of denials takes one connection. */
export class DecisionReceipts {
  readonly #sql: Database
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined

  constructor(sql: Database) {
    this.#sql = sql
  }

  /** Resolves when the receipt is stored. */
  async keep(receipt: LooseReceipt): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) return
    const stored = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ receipt, resolve, reject })
    })
    this.#running ??= this.#store()
    await stored
  }

  /** Resolves when every receipt is stored. */
  async idle(): Promise<void> {
    await this.#running
  }

  /** Never rejects: the promises of the waiting receipts are rejected instead. */
  async #store(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_ROWS)
      try {
        const rows = batch.map(({ receipt }) => receipt)
        await insert(this.#sql, rows)
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#running = undefined
  }
}

async function insert(sql: Database, rows: readonly LooseReceipt[]): Promise<void> {
  await sql`
    insert into decision_receipts (organization_id, vote_id, activity_id, fingerprint, decided_ms, receipt)
    select "organizationId", "voteId", "activityId", decode(fingerprint, 'hex'), "decidedMs", decode(receipt, 'hex')
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as given
      ("organizationId" uuid, "voteId" uuid, "activityId" uuid, fingerprint text, "decidedMs" bigint, receipt text)
    order by 1, 2
    on conflict do nothing`
}

type LooseRow = Omit<LooseReceipt, "decidedMs"> & { decidedMs: bigint }

function looseColumns(sql: Queries) {
  return sql`organization_id as "organizationId", vote_id as "voteId", activity_id as "activityId",
    encode(fingerprint, 'hex') as fingerprint, decided_ms as "decidedMs", encode(receipt, 'hex') as receipt`
}

/** Receipts below a vote id, newest first. */
export async function listLooseReceipts(
  sql: Queries,
  organizationId: string,
  { below, limit }: { below: string; limit: number },
): Promise<LooseReceipt[]> {
  const rows = await sql<LooseRow[]>`
    select ${looseColumns(sql)} from decision_receipts
    where organization_id = ${organizationId} and vote_id < ${below} order by vote_id desc limit ${limit}`
  return rows.map((row) => ({ ...row, decidedMs: Number(row.decidedMs) }))
}

/**
 * Receipts of one activity: of the decision that made it, or of votes on it. The id of a vote is above that of its activity. No index
 * has them: those after the activity are read, up to a bound.
 */
export async function looseReceiptsOf(
  sql: Queries,
  organizationId: string,
  activityId: string,
): Promise<LooseReceipt[]> {
  if (!isUuidInAnyCase(activityId)) return []
  const rows = await sql<LooseRow[]>`
    select * from (
      select ${looseColumns(sql)} from decision_receipts
      where organization_id = ${organizationId} and vote_id > ${activityId} order by vote_id limit ${MAX_READ}
    ) as later where "activityId" = ${activityId}`
  return rows.map((row) => ({ ...row, decidedMs: Number(row.decidedMs) }))
}

const MAX_READ = 1_000

/** A decision as it is stored with an activity or alone. `receipt` undefined: there is none. */
export type StoredDecision = Pick<LooseReceipt, "voteId" | "activityId" | "fingerprint" | "decidedMs"> & {
  receipt?: string | undefined
}

export function decisionsOf({ id, fingerprint, votes }: ActivityRow): StoredDecision[] {
  return votes.map(({ id: voteId, createdMs, logReceipt }) => ({
    voteId,
    activityId: id,
    fingerprint: hex(fingerprint),
    decidedMs: createdMs,
    receipt: logReceipt,
  }))
}

/** Decisions of the activities below an id, newest first, and at most `maxBytes` of their texts. */
export async function listDecided(
  sql: Queries,
  organizationId: string,
  { below, limit, maxBytes }: { below: string; limit: number; maxBytes: number },
): Promise<{ entries: { id: string; decisions: StoredDecision[] }[]; isCut: boolean }> {
  const rows = await sql<(StoredActivity & { chosen: number })[]>`
    with chosen as materialized (
      select id from activities where organization_id = ${organizationId} and id < ${below} order by id desc limit ${limit}
    ), measured as materialized (
      select id, row_number() over (order by id desc) as place, sum(coalesce(text_length, 0)) over (order by id desc) as bytes
      from chosen join activities using (id) where organization_id = ${organizationId}
    )
    select ${activityColumns(sql)}, (select count(*)::int from chosen) as chosen from measured join activities using (id)
    where organization_id = ${organizationId} and (place = 1 or bytes <= ${maxBytes})
    order by id desc`
  const entries = rows.map(readActivity).map((row) => ({ id: row.id, decisions: decisionsOf(row) }))
  const chosen = rows[0]?.chosen ?? 0
  return { entries, isCut: entries.length < chosen || chosen === limit }
}

/** Names a receipt, and its place among all. */
export type ReceiptKey = { organizationId: string; voteId: string }

/** The place before all receipts. */
export const FIRST_RECEIPT: ReceiptKey = { organizationId: LOWEST_UUID, voteId: LOWEST_UUID }

/** Receipts of decisions before a time, among the next ones after a place. `next` undefined: none follow. */
export async function readOldReceipts(
  sql: Queries,
  beforeMs: number,
  { organizationId, voteId }: ReceiptKey,
): Promise<{ rows: LooseReceipt[]; next: ReceiptKey | undefined }> {
  const page = await sql<LooseRow[]>`
    select ${looseColumns(sql)} from decision_receipts
    where (organization_id, vote_id) > (${organizationId}::uuid, ${voteId}::uuid)
    order by organization_id, vote_id limit ${MAX_ROWS}`
  const last = page.length < MAX_ROWS ? undefined : page.at(-1)
  const rows = page
    .filter(({ decidedMs }) => decidedMs < beforeMs)
    .map((row) => ({ ...row, decidedMs: Number(row.decidedMs) }))
  return { rows, next: last && { organizationId: last.organizationId, voteId: last.voteId } }
}

export async function removeReceipts(sql: Database, keys: readonly ReceiptKey[]): Promise<void> {
  await sql`
    delete from decision_receipts using unnest(
      ${keys.map(({ organizationId }) => organizationId)}::uuid[], ${keys.map(({ voteId }) => voteId)}::uuid[]
    ) as gone (organization_id, vote_id)
    where decision_receipts.organization_id = gone.organization_id and decision_receipts.vote_id = gone.vote_id`
}
