// A database that is older than the ledger: what is compared, what is restored, and when the process is ready.
import { setTimeout as pause } from "node:timers/promises"
import { create, type MessageInitShape } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type ReadArchiveResponse,
  ReadArchiveResponseSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { ApiError, GrpcCode } from "../../../../services/common/api-error.ts"
import { statusName } from "../../../../services/api/store/activity-codes.ts"
import { applyChange } from "../../../../services/api/store/changes.ts"
import { refuse } from "../../../../signer/core/refusal.ts"
import { notarized, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { sampleActivity, sampleRecord } from "../store/sample.ts"
import { makeKey } from "../stamps.ts"
import { startApi } from "../start-api.ts"

type ArchiveParts = Pick<
  MessageInitShape<typeof ReadArchiveResponseSchema>,
  "ledgerSequence" | "activityStatuses"
>

const users = [user("alice", makeKey())]
const id = (last: number) => `${ORGANIZATION_ID.slice(0, -1)}${last}`
const state = (last: number, documentVersion: bigint, ledgerSequence: bigint) => ({
  organizationId: id(last),
  documentVersion,
  ledgerSequence,
})

/** An API whose database became the signer's while it was empty. */
async function started(t: Parameters<typeof startApi>[0]) {
  const api = await startApi(t)
  await api.service.recover()
  const readyz = async () => (await api.send("/readyz")).json
  const pages = new Map<string, ReadArchiveResponse>()
  api.signer.readArchive = async (organizationId) => {
    const page = pages.get(organizationId)
    if (page === undefined) throw refuse("LEDGER_DAMAGED", "a row of the ledger was altered")
    return page
  }
  /** Sets the archive of an organization; without it, its rows are damaged. */
  const archive = (last: number, { version = 1n, ...parts }: { version?: bigint } & ArchiveParts) => {
    const document = notarized({ organizationId: id(last), users, version })
    pages.set(id(last), create(ReadArchiveResponseSchema, { document, ...parts }))
  }
  return { ...api, readyz, archive }
}

t.test("restores the organizations that are older or missing, and no others", async (t) => {
  const { sql, signer, service, archive, logged } = await started(t)
  for (const last of [1, 2, 3]) await storeOrganization(sql, { organizationId: id(last), users })
  await sql`update organizations set ledger_sequence = 7`
  signer.organizations.push(state(1, 1n, 7n), state(2, 2n, 7n), state(3, 1n, 8n), state(4, 1n, 0n))
  archive(2, { version: 2n, ledgerSequence: 9n })
  archive(3, { ledgerSequence: 8n })
  archive(4, {})
  t.same(await service.heal(false), { compared: 4, restored: 3, failed: 0 })
  t.match(
    logged.filter(({ msg }) => msg === "restoring"),
    [{ done: 3, of: 3 }],
    "progress is logged",
  )
  t.same(await sql`select id, ledger_sequence::int as sequence from organizations order by id`, [
    { id: id(1), sequence: 7 },
    { id: id(2), sequence: 9 },
    { id: id(3), sequence: 8 },
    { id: id(4), sequence: 0 },
  ])
  t.same(await service.heal(false), { compared: 4, restored: 0, failed: 0 }, "nothing is older now")
  archive(1, { ledgerSequence: 7n })
  t.same(
    await service.heal(true),
    { compared: 4, restored: 4, failed: 0 },
    "all of them where that is asked for",
  )
})

t.test("ends what the archive no longer has, and settles what was decided", async (t) => {
  const { sql, signer, service, archive } = await started(t)
  await storeOrganization(sql, { users })
  const record = sampleRecord()
  const statuses = [
    ActivityStatus.CONSENSUS_NEEDED,
    ActivityStatus.COMPLETED,
    ActivityStatus.REJECTED,
    ActivityStatus.UNSPECIFIED,
  ]
  const activities = statuses.map(() => sampleActivity({ organizationId: ORGANIZATION_ID }))
  for (const activity of activities)
    await applyChange(sql, { organizationId: ORGANIZATION_ID, records: [record], activity })
  const session = { id: id(9), publicKey: "key", userId: id(8), expiresMs: Date.now() + 60_000, ended: false }
  await sql`insert into sessions ${sql({
    organization_id: ORGANIZATION_ID,
    id: session.id,
    public_key: session.publicKey,
    user_id: session.userId,
    expires_ms: session.expiresMs,
    ended: false,
    bytes: Buffer.alloc(1),
  })}`
  signer.organizations.push(state(1, 1n, 5n))
  // The newest activity is asked about first.
  archive(1, { ledgerSequence: 5n, activityStatuses: statuses.toReversed() })
  await service.heal(false)
  t.same(await sql`select deleted from records`, [{ deleted: true }])
  t.same(await sql`select ended from sessions`, [{ ended: true }])
  const rows = await sql<
    { status: string; failure: string | null }[]
  >`select status, failure from activities order by id`
  t.same(
    rows.map(({ status }) => statusName(status)),
    ["CONSENSUS_NEEDED", "COMPLETED", "REJECTED", "FAILED"].map((name) => `ACTIVITY_STATUS_${name}`),
  )
  t.match(rows[3]?.failure, /the database lost how this activity ended/)
})

t.test("is not ready from a lost connection until the database is as new as the ledger", async (t) => {
  const { sql, signer, service, archive, readyz } = await started(t)
  await storeOrganization(sql, { users })
  t.match(await readyz(), { ready: true, recovery: "ok" })
  const [first] = [signer.listOrganizations.bind(signer)]
  const unreachable = new ApiError(GrpcCode.unavailable, "the signer cannot be reached now; try again")
  signer.listOrganizations = () => Promise.reject(unreachable)
  service.databaseLost()
  // An answer of /readyz is reused for a moment.
  while ((await readyz())["ready"] === true) await pause(20)
  t.match(await readyz(), { ready: false, recovery: "comparing the database with the ledger" })
  signer.organizations.push(state(1, 1n, 5n))
  archive(1, { ledgerSequence: 5n })
  signer.listOrganizations = first
  while ((await readyz())["ready"] !== true) await pause(20)
  t.same(await sql`select ledger_sequence::int as sequence from organizations`, [{ sequence: 5 }])
})

t.test(
  "an organization whose rows in the ledger are damaged keeps no other from being restored",
  async (t) => {
    const { sql, signer, service, archive, logged } = await started(t)
    signer.organizations.push(state(1, 1n, 1n), state(2, 1n, 1n))
    archive(2, { ledgerSequence: 1n })
    t.same(await service.heal(false), { compared: 2, restored: 1, failed: 1 })
    t.same(await sql`select id from organizations`, [{ id: id(2) }])
    t.ok(logged.some((line) => line["msg"] === "an organization could not be restored from the ledger"))
  },
)
