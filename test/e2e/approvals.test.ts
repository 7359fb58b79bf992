import t from "tap"
import { ethereumAccount, signParams, userParams } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import type { Json } from "../harness/system.ts"

type Shown = {
  id: string
  status: string
  fingerprint: string
  canApprove: boolean
  canReject: boolean
  result: Json
  votes: {
    userId: string
    selection: string
    message: string
    publicKey: string
    user: { userName: string }
  }[]
}

t.test("a root quorum of two out of three, over HTTP", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root, rootUserId } = await system.createOrganization()
  const [alice, bob, eve] = [newKey(), newKey(), newKey()]
  const users = [userParams("alice", alice), userParams("bob", bob), userParams("eve", eve)]
  const made = await system.submit(
    "create_users",
    system.body("CREATE_USERS_V4", organizationId, { users }),
    root,
  )
  const { userIds } = (made["result"] as { createUsersResult: { userIds: [string, string, string] } })
    .createUsersResult
  const [aliceId, bobId] = userIds
  const wallet = { walletName: "First", accounts: [ethereumAccount(0)] }
  const first = await system.submit(
    "create_wallet",
    system.body("CREATE_WALLET", organizationId, wallet),
    root,
  )
  const { addresses } = (first["result"] as { createWalletResult: { addresses: [string] } })
    .createWalletResult
  const quorum = { threshold: 2, userIds: [rootUserId, aliceId, bobId] }
  await system.submit("update_root_quorum", system.body("UPDATE_ROOT_QUORUM", organizationId, quorum), root)

  async function see(activityId: string, key: TestKey): Promise<Shown> {
    const { json } = await system.query("get_activity", { organizationId, activityId }, key)
    return json["activity"] as Shown
  }
  const submit = async (path: string, body: string, key: TestKey) =>
    (await system.submit(path, body, key)) as unknown as Shown
  const vote = (type: "APPROVE" | "REJECT", fingerprint: string) =>
    system.body(`${type}_ACTIVITY`, organizationId, { fingerprint })
  const propose = (walletName: string) => {
    const body = system.body("CREATE_WALLET", organizationId, { walletName, accounts: [] })
    return submit("create_wallet", body, root).then((activity) => ({ body, activity }))
  }

  t.test(
    "each viewer sees whether they may vote, and the second approval completes the activity",
    async (t) => {
      const { activity } = await propose("Second")
      t.match(activity, {
        status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
        result: {},
        canApprove: false,
        canReject: false,
      })
      t.match(await see(activity.id, alice), { canApprove: true, canReject: true })
      t.match(await see(activity.id, root), { canApprove: false, canReject: false })
      t.match(await see(activity.id, eve), { canApprove: false, canReject: false })
      const body = vote("APPROVE", activity.fingerprint)
      const done = await submit("approve_activity", body, alice)
      t.match(done, { id: activity.id, status: "ACTIVITY_STATUS_COMPLETED", canApprove: false })
      t.ok((done.result as { createWalletResult: { walletId: string } }).createWalletResult.walletId)
      t.match(done.votes, [
        { userId: rootUserId, selection: "VOTE_SELECTION_APPROVED", user: { userName: "root" } },
        {
          userId: aliceId,
          selection: "VOTE_SELECTION_APPROVED",
          message: body,
          publicKey: alice.publicKeyHex,
        },
      ])
      t.same(await see(activity.id, bob), { ...done })
      t.same(await submit("approve_activity", body, alice), done, "the vote's body again: the same activity")
      const late = await system.post("submit/approve_activity", vote("APPROVE", activity.fingerprint), bob)
      t.equal(late.status, 400, "votes no longer count")
    },
  )

  t.test("the identical body from another member is that member's vote", async (t) => {
    const parameters = signParams(addresses[0], "11".repeat(32))
    const body = system.body("SIGN_RAW_PAYLOAD_V2", organizationId, parameters)
    const proposed = await submit("sign_raw_payload", body, root)
    t.equal(proposed.status, "ACTIVITY_STATUS_CONSENSUS_NEEDED")
    t.same(await submit("sign_raw_payload", body, root), proposed, "not the submitter's, however often")
    const signed = await submit("sign_raw_payload", body, bob)
    t.match(signed, { id: proposed.id, status: "ACTIVITY_STATUS_COMPLETED" })
    t.match((signed.result as { signRawPayloadResult: Json }).signRawPayloadResult, { r: /^[0-9a-f]{64}$/ })
    t.equal(signed.votes.length, 2)
    t.same((await submit("sign_raw_payload", body, root)).result, signed.result)
  })

  t.test("a rejection ends the activity", async (t) => {
    const { body, activity } = await propose("Never")
    const rejected = await submit("reject_activity", vote("REJECT", activity.fingerprint), bob)
    t.match(rejected, { id: activity.id, status: "ACTIVITY_STATUS_REJECTED", result: {}, canApprove: false })
    t.equal(rejected.votes.at(-1)?.selection, "VOTE_SELECTION_REJECTED")
    const late = await system.post("submit/approve_activity", vote("APPROVE", activity.fingerprint), alice)
    t.equal(late.status, 400)
    t.match(await submit("create_wallet", body, root), { status: "ACTIVITY_STATUS_REJECTED" })
  })

  t.test(
    "a user who is not an eligible voter cannot vote, and an unknown fingerprint is refused",
    async (t) => {
      const { body, activity } = await propose("Third")
      const asEve = await system.post("submit/approve_activity", vote("APPROVE", activity.fingerprint), eve)
      t.equal(asEve.status, 403)
      t.equal((await system.post("submit/create_wallet", body, eve)).status, 403, "nor by the identical body")
      t.equal((await see(activity.id, root)).votes.length, 1, "and counts for nothing")
      const unknown = `sha256:${"ab".repeat(32)}`
      const nowhere = await system.post("submit/approve_activity", vote("APPROVE", unknown), alice)
      t.equal(nowhere.status, 404)
      t.match(nowhere.json["message"], /No activity found with fingerprint/)
    },
  )

  t.test("an activity no longer possible ends as failed, with the reason", async (t) => {
    const [one, two] = [await propose("Twin"), await propose("Twin")]
    await submit("approve_activity", vote("APPROVE", one.activity.fingerprint), alice)
    const failed = await submit("approve_activity", vote("APPROVE", two.activity.fingerprint), alice)
    t.match(failed, {
      status: "ACTIVITY_STATUS_FAILED",
      failure: { message: /Twin is taken/, details: Array },
    })
  })

  t.test("lists filter activities by status", async (t) => {
    const of = async (status: string) => {
      const filterByStatus = [`ACTIVITY_STATUS_${status}`]
      const { json } = await system.query("list_activities", { organizationId, filterByStatus }, alice)
      return (json["activities"] as Shown[]).length
    }
    t.same([await of("CONSENSUS_NEEDED"), await of("REJECTED"), await of("FAILED")], [1, 1, 1])
  })

  t.test("two members approve with one body", async (t) => {
    const all = { threshold: 3, userIds: [rootUserId, aliceId, bobId] }
    const change = await submit(
      "update_root_quorum",
      system.body("UPDATE_ROOT_QUORUM", organizationId, all),
      root,
    )
    await submit("approve_activity", vote("APPROVE", change.fingerprint), alice)
    const { activity } = await propose("Shared")
    const body = vote("APPROVE", activity.fingerprint)
    t.match(await submit("approve_activity", body, alice), { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" })
    const done = await submit("approve_activity", body, bob)
    t.match(done, { id: activity.id, status: "ACTIVITY_STATUS_COMPLETED", votes: { length: 3 } })
    t.same(await submit("approve_activity", body, alice), done)
  })

  t.test(
    "after the threshold was lowered, another approval of a member completes the activity",
    async (t) => {
      const { activity } = await propose("Satisfied")
      const first = vote("APPROVE", activity.fingerprint)
      t.match(await submit("approve_activity", first, alice), { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" })
      const refused = await system.post(
        "submit/approve_activity",
        vote("APPROVE", activity.fingerprint),
        alice,
      )
      t.equal(refused.status, 409, "not before")
      const fewer = { threshold: 2, userIds: [rootUserId, aliceId, bobId] }
      const body = system.body("UPDATE_ROOT_QUORUM", organizationId, fewer)
      const change = await submit("update_root_quorum", body, root)
      for (const member of [alice, bob])
        await submit("approve_activity", vote("APPROVE", change.fingerprint), member)
      t.match(await submit("approve_activity", first, alice), { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" })
      const again = vote("APPROVE", activity.fingerprint)
      const done = await submit("approve_activity", again, alice)
      t.match(done, { id: activity.id, status: "ACTIVITY_STATUS_COMPLETED", votes: { length: 3 } })
      t.match(
        done.votes.at(-1),
        { userId: aliceId, message: again },
        "the request that completed it is shown",
      )
      for (const body of [first, again]) t.same(await submit("approve_activity", body, alice), done)
    },
  )
})
