// Policy evaluations over HTTP and by published clients: two approvers, a denial, and eligible voters.
import { Turnkey } from "@turnkey/sdk-server"
import t from "tap"
import { ethereumAccount, signParams, userParams } from "../harness/api-client.ts"
import { closeDatabase, connectDatabase } from "../../services/database/database.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { type Json, privateKeyHex } from "../harness/system.ts"
import { requireAnswered } from "./replies/asked-by.ts"

type Shown = Json & { id: string; fingerprint: string; canApprove: boolean; canReject: boolean }

t.test("an agent signs when an admin approves:", async (t) => {
  const system = await sharedSystem()
  const sql = connectDatabase({ url: system.databaseUrl }, { max: 1 })
  t.teardown(() => closeDatabase(sql))
  const api = await DocumentedApi.of(system)
  const { submit, query, refused, organizationId, root } = api
  const keys = { agent: newKey(), admin: newKey(), other: newKey() }
  const tagOf = async (userTagName: string): Promise<string> =>
    String((await submit("CREATE_USER_TAG", { userTagName, userIds: [] }))["userTagId"])
  const [agentTag, adminTag] = [await tagOf("agent"), await tagOf("admin")]
  const users = [
    { ...userParams("agent", keys.agent), userTags: [agentTag] },
    { ...userParams("admin", keys.admin), userTags: [adminTag] },
    userParams("other", keys.other),
  ]
  const { userIds } = await submit("CREATE_USERS_V4", { users })
  const [agentId, adminId] = userIds as [string, string, string]
  const wallet = { walletName: "Till", accounts: [ethereumAccount(0)] }
  const { addresses } = await submit("CREATE_WALLET", wallet)
  const [address] = addresses as [string]
  const { policyId } = await submit("CREATE_POLICY_V3", {
    policyName: "agents sign with the till when an admin approves",
    effect: "EFFECT_ALLOW",
    condition: "activity.action == 'SIGN' && wallet.label == 'Till'",
    consensus: `approvers.any(u, u.tags.contains('${agentTag}')) && approvers.any(u, u.tags.contains('${adminTag}'))`,
    notes: "",
  })
  const clientOf = (key: TestKey) =>
    new Turnkey({
      apiBaseUrl: system.url,
      apiPublicKey: key.publicKeyHex,
      apiPrivateKey: privateKeyHex(key),
      defaultOrganizationId: organizationId,
      activityPoller: { intervalMs: 100, numRetries: 1 },
    }).apiClient()
  const [agent, admin, other] = [clientOf(keys.agent), clientOf(keys.admin), clientOf(keys.other)]
  const request = signParams(address) as unknown as Parameters<typeof agent.signRawPayload>[0]
  const see = async (activityId: string, key: TestKey): Promise<Shown> =>
    (await system.query("get_activity", { organizationId, activityId }, key)).json["activity"] as Shown
  const evaluations = async (activityId: string, key = root) =>
    (await query("get_policy_evaluations", { activityId }, { key }))["policyEvaluations"] as Json[]

  t.test("published clients propose and approve, and each vote has its evaluation", async (t) => {
    const { activity: proposed } = await agent.signRawPayload(request)
    t.match(proposed, { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", result: {}, canApprove: false })
    t.match(await see(proposed.id, keys.admin), { canApprove: true, canReject: true })
    for (const key of [keys.agent, keys.other]) {
      t.match(await see(proposed.id, key), { canApprove: false, canReject: false })
    }
    t.match(await see(proposed.id, root), { canApprove: true, canReject: true }, "of the root quorum")
    const waiting = { organizationId, filterByStatus: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"] }
    const { json } = await system.query("list_activities", waiting, keys.admin)
    t.match(json["activities"], [{ id: proposed.id, canApprove: true }])
    t.equal((json["activities"] as Json[]).length, 1)
    const pending = { policyEvaluations: [{ policyId, outcome: "OUTCOME_REQUIRES_CONSENSUS" }] }
    t.match(await evaluations(proposed.id), [{ activityId: proposed.id, organizationId, ...pending }])

    await t.rejects(other.approveActivity({ fingerprint: proposed.fingerprint }), { code: 7 })
    const { activity: done } = await admin.approveActivity({ fingerprint: proposed.fingerprint })
    t.match(done, { id: proposed.id, status: "ACTIVITY_STATUS_COMPLETED", canApprove: false })
    t.ok(done.result.signRawPayloadResult?.r)
    t.match(done.votes, [{ userId: agentId }, { userId: adminId }])
    const told = await evaluations(proposed.id)
    t.match(told, [
      { voteId: done.votes[0]?.id, ...pending },
      { voteId: done.votes[1]?.id, policyEvaluations: [{ policyId, outcome: "OUTCOME_ALLOW" }] },
    ])
    t.match(await agent.getPolicyEvaluations({ activityId: proposed.id }), { policyEvaluations: told })
  })

  t.test("one rejection ends the activity", async (t) => {
    const { activity } = await agent.signRawPayload(request)
    const { activity: rejected } = await admin.rejectActivity({ fingerprint: activity.fingerprint })
    t.match(rejected, { status: "ACTIVITY_STATUS_REJECTED", canApprove: false, canReject: false })
    t.match(await evaluations(activity.id), [{}, { policyEvaluations: [] }])
    await t.rejects(admin.approveActivity({ fingerprint: activity.fingerprint }), { code: 3 })
  })

  t.test("a rejection holds, also when the database is reset to before it", async (t) => {
    const { activity } = await agent.signRawPayload(request)
    const before = await sql`select status, contents from activities where id = ${activity.id}`
    await admin.rejectActivity({ fingerprint: activity.fingerprint })
    await sql`update activities set ${sql(before[0]!)} where id = ${activity.id}`
    t.match(await see(activity.id, keys.admin), {
      status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
      canApprove: true,
    })
    await t.rejects(admin.approveActivity({ fingerprint: activity.fingerprint }), {
      code: 3,
      message: /is settled/,
    })
  })

  t.test("a denial names each policy's outcome, and is kept with the activity", async (t) => {
    const body = system.body("SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
    const first = await system.post("submit/sign_raw_payload", body, keys.other)
    t.equal(first.status, 403)
    const outcomes = [{ policyId, outcome: "OUTCOME_DENY_IMPLICIT" }]
    const detail = {
      "@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
      message: "No policies evaluated to outcome: Allow",
      policyEvaluations: outcomes,
    }
    t.match(first.json, { code: 7, details: [detail] })
    const again = await system.post("submit/sign_raw_payload", body, keys.other)
    t.match(again.json, { code: 7, details: [detail] }, "the same body gets the same reply")
    const { json } = await system.query(
      "list_activities",
      { organizationId, filterByStatus: ["ACTIVITY_STATUS_FAILED"] },
      root,
    )
    const [failed] = json["activities"] as [Shown]
    t.match(failed, { failure: { code: 7 }, canApprove: false })
    t.match(await evaluations(failed.id, keys.other), [{ policyEvaluations: outcomes }])

    const made = await submit("CREATE_POLICY_V3", {
      policyName: "nobody exports",
      effect: "EFFECT_DENY",
      condition: "activity.action == 'EXPORT' || activity.action == 'SIGN'",
      notes: "",
    })
    await t.rejects(agent.signRawPayload(request), {
      code: 7,
      details: [{ message: `The following policies denied this action: ${String(made["policyId"])}` }],
    })
  })

  t.test(
    "a denial names the policies that denied, and the policy that it suggests allows the request",
    async (t) => {
      let wallets = 0
      const request = () =>
        system.body("CREATE_WALLET", organizationId, { walletName: `Suggested ${++wallets}`, accounts: [] })
      const body = request()
      const denied = await system.post("submit/create_wallet", body, keys.other)
      const details = denied.json["details"] as Json[]
      t.strictSame(
        details.map((detail) => detail["@type"]),
        [
          "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
          "type.googleapis.com/countersign.api.v1.DenialAdvice",
          "type.googleapis.com/google.rpc.Help",
          "type.googleapis.com/google.rpc.ErrorInfo",
        ],
      )
      const [, advice = {}, help = {}] = details
      const name = "agents sign with the till when an admin approves"
      t.match(advice["policies"], [
        { policyId, policyName: name, reason: "it cannot be evaluated for this request" },
      ])
      const [{ url }] = help["links"] as [{ url: string }]
      const page = await fetch(url, { headers: { accept: "application/json" } })
      t.match(await page.json(), { reason: "PERMISSION_DENIED" }, url)

      const { condition, consensus } = advice
      const policy = { policyName: "as suggested", effect: "EFFECT_ALLOW", condition, consensus, notes: "" }
      await submit("CREATE_POLICY_V3", policy)
      t.equal((await system.post("submit/create_wallet", request(), keys.other)).status, 200)
      const again = await system.post("submit/create_wallet", body, keys.other)
      t.equal(again.status, 200, "the body that was denied runs, too")
      const { metadata } = details.at(-1) as { metadata: { activityId: string } }
      t.match(
        await evaluations(metadata.activityId, root),
        [{ policyEvaluations: [{ policyId }] }],
        "and stays denied",
      )
      t.equal(
        (await system.post("submit/create_wallet", request(), keys.admin)).status,
        403,
        "no other user's",
      )
    },
  )

  t.test("an unknown activity has no evaluation", async () => {
    const activityId = "0198c0de-0000-7000-8000-0000000000aa"
    await refused("get_policy_evaluations", { activityId }, [404, 5])
  })

  requireAnswered(t, api, "evaluation")
})
