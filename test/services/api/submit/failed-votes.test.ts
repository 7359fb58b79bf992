import { create } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { type User, UserSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { nextId, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { outcome, sha256, submitBody } from "../prepared.ts"
import { type Json, startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const keys = { alice: makeKey(), bob: makeKey() }
const { CONSENSUS_NEEDED, FAILED } = ActivityStatus

/** Rules become stricter with a release: an activity that waited before it may fail as it runs. */
t.test("a fault that the last vote meets is stored with its place and a suggestion", async (t) => {
  const { signer, post } = await startApiOfTwo(t)
  const condition = "eth.tx.gasPrice > 1"
  const body = submitBody("CREATE_POLICY_V3", {
    policyName: "a",
    effect: "EFFECT_ALLOW",
    condition,
    notes: "",
  })
  signer.answers.push(outcome(signer.bob, { status: CONSENSUS_NEEDED }))
  const opened = (await post("submit/create_policy", body, keys.bob)).json["activity"] as Json
  t.equal(opened["status"], "ACTIVITY_STATUS_CONSENSUS_NEEDED")
  const field = "parameters.condition"
  const sentence = "invalid policy condition. Expression cannot be evaluated: field does not exist: gasPrice"
  const place = { field, offset: 7, length: 8, expected: "", found: "gasPrice" }
  const ids = { activityId: String(opened["id"]), voteId: nextId(), userId: signer.alice }
  signer.answers.push(
    outcome(signer.alice, {
      opened: false,
      status: FAILED,
      activityFingerprint: sha256(body),
      decision: { ...ids, decidedAtMs: BigInt(Date.now()) },
      failure: { code: RefusalCode.EXPRESSION_FIELD_UNKNOWN, sentence, field, expression: place },
    }),
  )
  const vote = submitBody("APPROVE_ACTIVITY", { fingerprint: `sha256:${sha256(body).toString("hex")}` })
  const voted = (await post("submit/approve_activity", vote, keys.alice)).json["activity"] as Json
  const query = JSON.stringify({ organizationId: ORGANIZATION_ID, activityId: opened["id"] })
  const read = (await post("query/get_activity", query, keys.bob)).json["activity"] as Json
  for (const activity of [voted, read]) {
    t.equal(activity["status"], "ACTIVITY_STATUS_FAILED")
    t.match(activity["failure"], { message: `${sentence}. Did you mean gas_price?`, details: Array })
    const { details } = activity["failure"] as { details: Json[] }
    t.match(details.at(-1), { field, offset: 7, length: 8, suggestion: "gas_price" })
  }
})

async function startApiOfTwo(test: Parameters<typeof startApi>[0]) {
  const { signer, post, sql } = await startApi(test)
  const [alice, bob] = [keys.alice, keys.bob].map((key, index) =>
    create(UserSchema, user(`user ${index}`, key)),
  ) as [User, User]
  await storeOrganization(sql, {
    users: [alice, bob],
    rootQuorum: { threshold: 2, userIds: [alice.userId, bob.userId] },
  })
  return { signer: Object.assign(signer, { alice: alice.userId, bob: bob.userId }), post }
}
