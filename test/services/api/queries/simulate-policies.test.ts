// A simulation computes for long and shares its process with the requests of all organizations.
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { SimulatePoliciesRequestSchema } from "../../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { simulatePolicies } from "../../../../services/api/queries/simulate-policies.ts"
import type { QueryContext } from "../../../../services/api/queries/shared/query.ts"
import { StoredOrganization } from "../../../../services/api/store/stored-organization.ts"
import { allow } from "../../../signer/core/policy/decision/fixture.ts"
import { CREATED_MS, notarized, ORGANIZATION_ID, user } from "../documents.ts"
import { makeKey } from "../stamps.ts"

const POLICIES = 40

t.test("one slice of all simulations runs in each turn of the event loop", async (t) => {
  // A clock by which every step fills a slice, however fast the machine is.
  let nowMs = 0
  t.intercept(performance, "now", { value: () => (nowMs += 10) })
  const alice = user("alice", makeKey())
  const policies = Array.from({ length: POLICIES }, (_, index) => ({
    ...allow({ condition: `activity.action == 'CREATE' && ${index} == 0` }),
    policyId: `p${index}`,
  }))
  const organization = new StoredOrganization(notarized({ users: [alice], policies }))
  // An activity that uses no wallet, key or contract reads nothing from the database.
  const context = { organization, userId: alice.userId, nowMs: CREATED_MS } as QueryContext
  const request = create(SimulatePoliciesRequestSchema, {
    organizationId: ORGANIZATION_ID,
    activity: {
      type: "ACTIVITY_TYPE_CREATE_USER_TAG",
      parameters: { userTagName: "staff", userIds: [] },
    },
  })
  const turnsOf = async (simulations: number) => {
    const replies: string[] = []
    for (let index = 0; index < simulations; index++)
      void Promise.resolve(simulatePolicies(request, context)).then((text) => replies.push(text), t.fail)
    let turns = 0
    for (; replies.length < simulations && t.passing(); turns++)
      await new Promise((resolve) => setImmediate(resolve))
    const shown = replies.map((text) => JSON.parse(text) as { policies: { outcome: string }[] })
    t.ok(shown.every((reply) => reply.policies.length === POLICIES))
    t.match(shown[0]?.policies[0], { outcome: "OUTCOME_ALLOW" })
    return turns
  }
  const alone = await turnsOf(1)
  t.ok(alone > POLICIES, `${alone} turns`)
  const three = await turnsOf(3)
  t.ok(three > 2 * alone, `${three} turns: simulations that run at once share them`)
})
