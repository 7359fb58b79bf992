import { create } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { type User, UserSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { nextId, storeOrganization, user } from "../documents.ts"
import { outcome, quorumBody, refused, sha256, submitBody } from "../prepared.ts"
import { type Json, startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const keys = { alice: makeKey(), phone: makeKey(), bob: makeKey() }
const { CONSENSUS_NEEDED, COMPLETED } = ActivityStatus

t.test(
  "a vote's body is a replay for the credential that cast it, and the signer's to decide for any other",
  async (t) => {
    const { signer, post, sql } = await startApi(t)
    const [alice, phone, bob] = [keys.alice, keys.phone, keys.bob].map((key, index) =>
      create(UserSchema, user(`user ${index}`, key)),
    ) as [User, User, User]
    alice.apiKeys.push(...phone.apiKeys)
    const rootQuorum = { threshold: 3, userIds: [alice.userId, bob.userId] }
    await storeOrganization(sql, { users: [alice, bob], rootQuorum })

    const body = quorumBody([alice.userId])
    signer.answers.push(outcome(bob.userId, { status: CONSENSUS_NEEDED }))
    const opened = (await post("submit/update_root_quorum", body, keys.bob)).json["activity"] as Json
    const voted = (userId: string, status: ActivityStatus) =>
      outcome(userId, {
        opened: false,
        status,
        activityFingerprint: sha256(body),
        decision: {
          activityId: String(opened["id"]),
          voteId: nextId(),
          userId,
          decidedAtMs: BigInt(Date.now()),
        },
      })
    const vote = submitBody("APPROVE_ACTIVITY", { fingerprint: `sha256:${sha256(body).toString("hex")}` })
    const approve = async (key: typeof keys.alice) => {
      const { status, json } = await post("submit/approve_activity", vote, key)
      return {
        status,
        votes: ((json["activity"] as Json)["votes"] as Json[]).length,
        orders: signer.orders.length,
      }
    }
    signer.answers.push(voted(alice.userId, CONSENSUS_NEEDED))
    t.same(await approve(keys.alice), { status: 200, votes: 2, orders: 2 })
    t.same(await approve(keys.alice), { status: 200, votes: 2, orders: 2 }, "the same stamp: a replay")
    signer.answers.push(refused(RefusalCode.VOTE_REPEATED, "user has already voted on this activity"))
    t.same(await approve(keys.phone), { status: 200, votes: 2, orders: 3 }, "a key that adds nothing")
    signer.answers.push(voted(alice.userId, CONSENSUS_NEEDED))
    t.same(await approve(keys.phone), { status: 200, votes: 3, orders: 4 }, "a key that the signer counts")
    signer.answers.push(voted(bob.userId, COMPLETED))
    t.same(await approve(keys.bob), { status: 200, votes: 4, orders: 5 }, "another user")
    for (const key of Object.values(keys))
      t.same(await approve(key), { status: 200, votes: 4, orders: 5 }, "each has now cast it")
  },
)
