// Activities that expired by the signer's setting, in the database: what is asked, what is stored, what callers see.
import { setTimeout as pause } from "node:timers/promises"
import t, { type Test } from "tap"
import { create } from "@bufbuild/protobuf"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { type User, UserSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { statusName, storedStatus } from "../../../../services/api/store/activity-codes.ts"
import { ActivityExpiry } from "../../../../services/api/signer/activity-expiry.ts"
import { applyChange } from "../../../../services/api/store/changes.ts"
import { createLogger } from "../../../../services/common/logger.ts"
import { refuse } from "../../../../signer/core/refusal.ts"
import { ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { outcome, refused, sha256, submitBody } from "../prepared.ts"
import { makeKey } from "../stamps.ts"
import { type Json, startApi } from "../start-api.ts"
import { nextId, sampleActivity } from "../store/sample.ts"

const HOUR_MS = 60 * 60 * 1000
const NOW_MS = 1_800_000_000_000
const { CONSENSUS_NEEDED, REJECTED, FAILED, UNSPECIFIED } = ActivityStatus
const sentence = "the activity waited too long for votes and has expired: submit it again"
const failure = { code: RefusalCode.ACTIVITY_EXPIRED, sentence, field: "" }

/** Waiting activities of these ages, and their rows after a run. */
async function waiting(t: Test, ages: number[], organizationId = ORGANIZATION_ID) {
  const { sql, signer } = await startApi(t)
  await storeOrganization(sql, { organizationId, users: [user("alice", makeKey())] })
  for (const age of ages) {
    const createdMs = NOW_MS - age * HOUR_MS
    const activity = sampleActivity({ organizationId, createdMs, updatedMs: createdMs })
    await applyChange(sql, { organizationId, records: [], activity })
  }
  signer.expiries.set("", { pendingLifetimeMs: BigInt(48 * HOUR_MS) })
  const log = createLogger("test", "silent")
  const expiry = new ActivityExpiry({ signer, sql, log, now: () => NOW_MS })
  const rows = async () => {
    const stored = await sql<{ status: string; failure: string | null }[]>`
      select status, failure from activities order by id`
    return stored.map((row) => ({ ...row, status: statusName(row.status) }))
  }
  return { sql, signer, expiry, rows }
}

t.test(
  "stores what the signer says of activities that wait for too long, and asks about no others",
  async (t) => {
    const { signer, expiry, rows } = await waiting(t, [72, 71, 70, 69, 48, 47])
    signer.expiries.set(ORGANIZATION_ID, {
      activities: [
        { status: FAILED, failure },
        { status: CONSENSUS_NEEDED },
        { status: REJECTED },
        { status: UNSPECIFIED },
        { status: FAILED, failure },
      ],
    })
    await expiry.run()
    t.same(signer.questions, [`expire ${ORGANIZATION_ID} 5`])
    const stored = await rows()
    t.same(
      stored.map(({ status }) => status.replace("ACTIVITY_STATUS_", "")),
      ["FAILED", "CONSENSUS_NEEDED", "REJECTED", "FAILED", "FAILED", "CONSENSUS_NEEDED"],
    )
    for (const index of [0, 4]) t.match(JSON.parse(stored[index]!.failure!), { code: 3, message: sentence })
    t.match(stored[3]?.failure, /the database lost how this activity ended/)
  },
)

t.test("asks about nothing while activities wait without limit", async (t) => {
  const { signer, expiry, rows } = await waiting(t, [10_000])
  signer.expiries.delete("")
  await expiry.run()
  t.same(signer.questions, [])
  t.match(await rows(), [{ status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", failure: null }])
})

for (const fault of [refuse("LEDGER_DAMAGED", "a row of the ledger was altered"), new Error("CANCELLED")])
  t.test(`a fault of one organization keeps no other from its end: ${fault.message}`, async (t) => {
    const { sql, signer, expiry, rows } = await waiting(t, [72])
    const other = nextId()
    await storeOrganization(sql, { organizationId: other, users: [user("bob", makeKey())] })
    // The oldest, so it is asked about first.
    const activity = sampleActivity({ organizationId: other, createdMs: 1, updatedMs: 1 })
    await applyChange(sql, { organizationId: other, records: [], activity })
    const answer = signer.expireActivities.bind(signer)
    signer.expireActivities = async (organizationId, pending) => {
      if (organizationId === other) throw fault
      return answer(organizationId, pending)
    }
    signer.expiries.set(ORGANIZATION_ID, { activities: [{ status: FAILED, failure }] })
    await expiry.run()
    t.match(await rows(), [{ status: /FAILED/ }, { status: /CONSENSUS_NEEDED/ }])
  })

t.test(
  "more than a thousand are asked about page by page, and an outcome is never overwritten",
  async (t) => {
    const { sql, signer, expiry } = await waiting(t, [])
    const done = sampleActivity({
      organizationId: ORGANIZATION_ID,
      status: "ACTIVITY_STATUS_COMPLETED",
      result: "{}",
    })
    await applyChange(sql, { organizationId: ORGANIZATION_ID, records: [], activity: done })
    await sql`
    insert into activities (organization_id, id, fingerprint, type, status, user_id, intent, votes, created_ms, updated_ms)
    select ${ORGANIZATION_ID}, gen_random_uuid(), sha256(n::text::bytea), 'T', 'ACTIVITY_STATUS_CONSENSUS_NEEDED',
      ${nextId()}, '{}', '[]', 5, 5 from generate_series(1, 1500) n`
    const activities = Array.from({ length: 1000 }, () => ({ status: FAILED, failure }))
    signer.expiries.set(ORGANIZATION_ID, { activities })
    await expiry.run()
    t.same(signer.questions, [`expire ${ORGANIZATION_ID} 1000`, `expire ${ORGANIZATION_ID} 500`])
    t.same(await sql`select status, count(*)::int as count from activities group by 1 order by 1`, [
      { status: storedStatus("ACTIVITY_STATUS_COMPLETED"), count: 1 },
      { status: storedStatus("ACTIVITY_STATUS_FAILED"), count: 1500 },
    ])
  },
)

t.test("a service asks once it has recovered, and an earlier signer is no fault of it", async (t) => {
  const { signer, service, logged } = await startApi(t)
  let asked = 0
  signer.expireActivities = () => {
    asked += 1
    return Promise.reject(new Error("UNIMPLEMENTED"))
  }
  await service.recover()
  await service.recover()
  while (!logged.some(({ msg }) => msg === "activities that waited too long cannot be ended yet"))
    await pause(10)
  t.equal(asked, 1)
})

t.test(
  "a vote on an expired activity is refused, and the activity is shown as failed from then on",
  async (t) => {
    const { signer, post, sql } = await startApi(t)
    const keys = [makeKey(), makeKey()] as const
    const users = keys.map((key, index) => create(UserSchema, user(`user ${index}`, key))) as [User, User]
    const userIds = users.map(({ userId }) => userId)
    await storeOrganization(sql, { users, rootQuorum: { threshold: 2, userIds } })
    const body = submitBody("CREATE_WALLET", { walletName: "W", accounts: [] })
    signer.answers.push(outcome(users[0].userId, { status: CONSENSUS_NEEDED }))
    const opened = (await post("submit/create_wallet", body, keys[0])).json["activity"] as Json
    const vote = () =>
      submitBody("APPROVE_ACTIVITY", { fingerprint: `sha256:${sha256(body).toString("hex")}` })
    signer.answers.push(refused(RefusalCode.ACTIVITY_EXPIRED, sentence))
    const reply = await post("submit/approve_activity", vote(), keys[1])
    t.equal(reply.status, 400)
    t.match(reply.json, { message: sentence, turnkeyErrorCode: "REQUEST_INVALID" })
    const activityOf = async () => {
      const query = JSON.stringify({ organizationId: ORGANIZATION_ID, activityId: opened["id"] })
      return (await post("query/get_activity", query, keys[0])).json["activity"] as Json
    }
    const shown = await activityOf()
    t.match(shown, { status: "ACTIVITY_STATUS_FAILED", canApprove: false, canReject: false })
    t.match(shown["failure"], { message: sentence })
    t.equal((shown["votes"] as Json[]).length, 1, "the refused vote is not kept")
    const again = await post("submit/create_wallet", body, keys[0])
    t.match(again.json, { activity: { id: opened["id"], status: "ACTIVITY_STATUS_FAILED" } })
    signer.answers.push(refused(RefusalCode.ACTIVITY_UNKNOWN, "no activity found"))
    t.match((await post("submit/approve_activity", vote(), keys[1])).json, { message: /settled/ })
  },
)
