import t from "tap"
import { Effect } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { requireQueryReply } from "../../../contract/replies.ts"
import { nextId, ORGANIZATION_ID as organizationId, storeOrganization, user } from "../documents.ts"
import { startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const key = makeKey()
const api = await startApi(t)
const alice = user("alice", key)
const policy = (name: string, time?: string) => {
  return { policyId: nextId(), name, effect: Effect.ALLOW, ...(time === undefined ? {} : { time }) }
}
const broken = "time.nwo < 1"
const policies = [
  policy("always"),
  policy("past", "time.now < Timestamp('2020-01-01T00:00:00Z')"),
  policy("present", "time.now >= Timestamp('2020-01-01T00:00:00Z')"),
  policy("of an earlier release", broken),
]
await storeOrganization(api.sql, {
  users: [alice],
  rootQuorum: { threshold: 1, userIds: [alice.userId] },
  policies,
})

t.test("every policy is shown with the state of its time expression, all at one instant", async (t) => {
  const { status, json } = await api.post("query/get_active_policies", { organizationId }, key)
  t.equal(status, 200)
  const { statuses, evaluatedAtMs } = requireQueryReply("get_active_policies", json)
  t.match(evaluatedAtMs, /^\d{13}$/)
  const ids = policies.map(({ policyId }) => ({ organizationId, policyId }))
  t.same(statuses, [
    { ...ids[0], active: true },
    { ...ids[1], active: false, timeExpr: policies[1]?.time },
    { ...ids[2], active: true, timeExpr: policies[2]?.time },
    {
      ...ids[3],
      active: false,
      timeExpr: broken,
      error: "this release cannot read the time expression",
    },
  ])
})
