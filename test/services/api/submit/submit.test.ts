import t from "tap"
import { ActivityStatus, Outcome, VoteSelection } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { nextId, notarized, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { denied, outcome, quorumBody, refused, sha256, signBody, signed, submitBody } from "../prepared.ts"
import { type Json, startApi } from "../start-api.ts"
import { makeKey, stamp } from "../stamps.ts"

const keys = { alice: makeKey(), bob: makeKey() }

async function started(test: Parameters<typeof startApi>[0]) {
  const api = await startApi(test)
  const alice = user("alice", keys.alice)
  const bob = user("bob", keys.bob)
  const rootQuorum = { threshold: 2, userIds: [alice.userId, bob.userId] }
  await storeOrganization(api.sql, { users: [alice, bob], rootQuorum })
  return { ...api, alice, bob }
}

const activityOf = (json: Json) => json["activity"] as Json

t.test("a signature is one order, one row, one reply", async (t) => {
  const { signer, post, sql, alice } = await started(t)
  signer.answers.push(signed(alice.userId))
  const body = signBody()
  const reply = await post("submit/sign_raw_payload", body, keys.alice)
  t.equal(reply.status, 200)
  t.equal(reply.headers.get("content-type"), "application/json")
  const activity = activityOf(reply.json)
  t.same(Object.keys(activity), [
    "id",
    "organizationId",
    "status",
    "type",
    "intent",
    "result",
    "votes",
    "fingerprint",
    "canApprove",
    "canReject",
    "createdAt",
    "updatedAt",
  ])
  t.match(activity, {
    organizationId: ORGANIZATION_ID,
    status: "ACTIVITY_STATUS_COMPLETED",
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    intent: { signRawPayloadIntentV2: JSON.parse(body).parameters },
    result: { signRawPayloadResult: { v: "00" } },
    fingerprint: `sha256:${sha256(body).toString("hex")}`,
    canApprove: false,
    canReject: false,
    votes: [
      {
        userId: alice.userId,
        user: { userName: "alice", userEmail: "alice@example.com", authenticators: [] },
        selection: "VOTE_SELECTION_APPROVED",
        message: body,
        publicKey: keys.alice.publicKey,
        scheme: "SIGNATURE_SCHEME_TK_API_P256",
        createdAt: { seconds: /^\d+$/, nanos: /^\d+$/ },
      },
    ],
  })
  t.equal(signer.orders.length, 1)
  t.equal(signer.orders[0]?.documents.length, 0, "the signer is expected to hold the document")
  t.same(signer.acknowledged, [])
  t.same(await sql`select status from activities`, [{ status: "ACTIVITY_STATUS_COMPLETED" }])
})

t.test("a repeated body is the same activity", async (t) => {
  const { signer, post, alice } = await started(t)
  signer.answers.push(signed(alice.userId), signed(alice.userId, "33".repeat(32)))
  const body = signBody()
  const first = await post("submit/sign_raw_payload", body, keys.alice)
  const again = await post("submit/sign_raw_payload", body, keys.alice)
  t.same(again.json, first.json, "a signature: the stored row is the answer")

  signer.answers.push(
    outcome(alice.userId, { result: { result: { case: "updateRootQuorumResult", value: {} } } }),
  )
  const change = quorumBody([alice.userId])
  const changed = await post("submit/update_root_quorum", change, keys.alice)
  t.same(activityOf(changed.json)["result"], { updateRootQuorumResult: {} })
  const repeated = await post("submit/update_root_quorum", change, keys.alice)
  t.same(repeated.json, changed.json)
  t.equal(signer.orders.length, 3, "a change is looked up first")
  t.same(signer.acknowledged, [sha256(change).toString("hex")])
})

t.test("a change stores document and activity, and later requests see them", async (t) => {
  const { signer, post, alice, bob } = await started(t)
  const document = notarized({
    version: 2n,
    name: "Renamed",
    users: [alice],
    rootQuorum: { threshold: 1, userIds: [alice.userId] },
  })
  signer.answers.push(
    outcome(alice.userId, { document, result: { result: { case: "updateRootQuorumResult", value: {} } } }),
  )
  t.equal((await post("submit/update_root_quorum", quorumBody([alice.userId]), keys.alice)).status, 200)
  const who = await post("query/whoami", { organizationId: ORGANIZATION_ID }, keys.alice)
  t.match(who.json, { organizationName: "Renamed", userId: alice.userId, username: "alice" })
  const gone = await post("query/whoami", { organizationId: ORGANIZATION_ID }, keys.bob)
  t.equal(gone.status, 401, `${bob.name} has no key left`)
})

t.test("an activity waits, is voted on and completes", async (t) => {
  const { signer, post, alice, bob } = await started(t)
  signer.answers.push(outcome(alice.userId, { status: ActivityStatus.CONSENSUS_NEEDED }))
  const body = quorumBody([alice.userId])
  const fingerprint = `sha256:${sha256(body).toString("hex")}`
  const opened = activityOf((await post("submit/update_root_quorum", body, keys.alice)).json)
  t.match(opened, {
    status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
    result: {},
    canApprove: false,
    canReject: false,
  })

  const activityId = String(opened["id"])
  const seen = await post("query/get_activity", { organizationId: ORGANIZATION_ID, activityId }, keys.bob)
  t.match(activityOf(seen.json), { canApprove: true, canReject: true }, "bob has not voted")

  signer.answers.push(({ body: message }) =>
    outcome(bob.userId, {
      opened: false,
      activityFingerprint: sha256(body),
      decision: { activityId, voteId: nextId(), userId: bob.userId, decidedAtMs: BigInt(Date.now()) },
      result: { result: { case: "updateRootQuorumResult", value: {} } },
    })({ body: message } as never),
  )
  const approval = submitBody("APPROVE_ACTIVITY", { fingerprint })
  const approved = await post("submit/approve_activity", approval, keys.bob)
  t.match(activityOf(approved.json), {
    id: activityId,
    type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
    status: "ACTIVITY_STATUS_COMPLETED",
    result: { updateRootQuorumResult: {} },
    votes: [{ userId: alice.userId }, { userId: bob.userId, message: approval }],
  })
  t.same(signer.acknowledged.at(-1), sha256(approval).toString("hex"), "the vote's own body is acknowledged")
  const again = await post("submit/approve_activity", approval, keys.bob)
  t.same(again.json, approved.json, "the same approval again is the same vote")
  t.equal(signer.orders.length, 2)
})

t.test(
  "a vote on an activity that the signer has forgotten is refused as settled if the database knows it",
  async (t) => {
    const { signer, post, alice } = await started(t)
    const body = quorumBody([alice.userId])
    const target = { fingerprint: `sha256:${sha256(body).toString("hex")}` }
    const unknown = refused(RefusalCode.ACTIVITY_UNKNOWN, "No activity found with fingerprint")
    const vote = async (type: string) => {
      signer.answers.push(unknown)
      return post(`submit/${type.toLowerCase()}`, submitBody(type, target), keys.bob)
    }
    t.match(await vote("APPROVE_ACTIVITY"), { status: 404 }, "there never was such an activity")
    signer.answers.push(outcome(alice.userId, { status: ActivityStatus.CONSENSUS_NEEDED }))
    const opened = activityOf((await post("submit/update_root_quorum", body, keys.alice)).json)
    t.match(await vote("APPROVE_ACTIVITY"), { status: 404 }, "to the database it waits still")
    const [activityId, userId] = [String(opened["id"]), alice.userId]
    signer.answers.push(
      outcome(alice.userId, {
        opened: false,
        status: ActivityStatus.REJECTED,
        selection: VoteSelection.REJECTED,
        activityFingerprint: sha256(body),
        decision: { activityId, voteId: nextId(), userId, decidedAtMs: BigInt(Date.now()) },
      }),
    )
    const rejected = await post("submit/reject_activity", submitBody("REJECT_ACTIVITY", target), keys.alice)
    t.match(activityOf(rejected.json), { status: "ACTIVITY_STATUS_REJECTED" })
    for (const type of ["APPROVE_ACTIVITY", "REJECT_ACTIVITY"]) {
      const told = await vote(type)
      t.equal(told.status, 400)
      t.match(told.json["message"], /the activity is settled, votes no longer count: sha256:[0-9a-f]{64}/)
    }
  },
)

t.test(
  "the identical body of another user goes to the signer as a vote while the activity is pending",
  async (t) => {
    const { signer, post, alice, bob } = await started(t)
    const body = quorumBody([alice.userId])
    signer.answers.push(outcome(alice.userId, { status: ActivityStatus.CONSENSUS_NEEDED }))
    const opened = activityOf((await post("submit/update_root_quorum", body, keys.alice)).json)
    await post("submit/update_root_quorum", body, keys.alice)
    t.equal(signer.orders.length, 1, "its submitter again: nothing to decide")
    signer.answers.push(
      outcome(bob.userId, {
        opened: false,
        selection: VoteSelection.APPROVED,
        decision: {
          activityId: String(opened["id"]),
          voteId: nextId(),
          userId: bob.userId,
          decidedAtMs: BigInt(Date.now()),
        },
      }),
    )
    const done = activityOf((await post("submit/update_root_quorum", body, keys.bob)).json)
    t.match(done, { id: opened["id"], status: "ACTIVITY_STATUS_COMPLETED", votes: { length: 2 } })
  },
)

t.test("a denial answers 403, is stored, and answers the same when repeated", async (t) => {
  const { signer, post, alice } = await started(t)
  const body = quorumBody([alice.userId])
  signer.answers.push(denied(alice.userId))
  const reply = await post("submit/update_root_quorum", body, keys.alice)
  t.equal(reply.status, 403)
  t.match(reply.json, {
    code: 7,
    message: /^You don't have sufficient permissions to take this action\./,
    details: [
      {
        "@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
        message: "No policies evaluated to outcome: Allow",
        policyEvaluations: [],
      },
    ],
    turnkeyErrorCode: "REQUEST_NOT_AUTHORIZED",
  })
  const list = await post("query/list_activities", { organizationId: ORGANIZATION_ID }, keys.alice)
  const [kept] = list.json["activities"] as Json[]
  t.match(kept, { status: "ACTIVITY_STATUS_FAILED", result: {}, failure: { code: 7 } })
  t.match((reply.json["details"] as Json[]).at(-1), { metadata: { activityId: kept?.["id"] } })
  signer.answers.push(denied(alice.userId))
  const again = await post("submit/update_root_quorum", body, keys.alice)
  t.equal(again.status, 403)
  t.same(withoutRequestId(again.json), withoutRequestId(reply.json))
})

t.test("a denial belongs to its user: the same body of another user goes to the signer", async (t) => {
  const { signer, post, sql, logged, alice, bob } = await started(t)
  const alicesOutcomes = [{ policyId: nextId(), outcome: Outcome.DENY_EXPLICIT }]
  const bobsOutcomes = [{ policyId: nextId(), outcome: Outcome.DENY_IMPLICIT }]
  const cases = [
    { path: "submit/sign_raw_payload", body: signBody(), run: signed(bob.userId) },
    { path: "submit/update_root_quorum", body: quorumBody([bob.userId]), run: outcome(bob.userId) },
  ]
  for (const { path, body, run } of cases) {
    const idOf = (json: unknown) => (/"activityId":"([^"]+)"/.exec(JSON.stringify(json)) ?? [])[1] ?? ""
    const rows = () => sql<{ id: string; userId: string; status: string }[]>`
      select id, user_id as "userId", status from activities where fingerprint = ${sha256(body)} order by id`
    signer.answers.push(denied(alice.userId, ORGANIZATION_ID, alicesOutcomes))
    const first = await post(path, body, keys.alice)
    t.match(first.json, {
      code: 7,
      details: [{ policyEvaluations: [{ policyId: alicesOutcomes[0]?.policyId }] }],
    })
    const alicesId = idOf(first.json)
    t.match(alicesId, /^[0-9a-f-]{36}$/)
    const isSecret = (text: string) =>
      [alicesId, alicesOutcomes[0]?.policyId ?? "", alice.userId].some((s) => text.includes(s))

    signer.answers.push(
      denied(bob.userId, ORGANIZATION_ID, bobsOutcomes),
      refused(RefusalCode.ACTIVITY_REPLAYED, "it ran"),
    )
    const second = await post(path, body, keys.bob)
    t.match(second.json, {
      code: 7,
      details: [{ policyEvaluations: [{ policyId: bobsOutcomes[0]?.policyId }] }],
    })
    const third = await post(path, body, keys.bob)
    t.notSame(third.status, 200)
    t.notOk(
      [second, third].some(({ text }) => isSecret(text)),
      "bob sees nothing of the other user's denial",
    )
    t.notOk(
      logged.slice(-2).some((line) => isSecret(JSON.stringify(line))),
      "nor in the log of bob's requests",
    )
    const denials = [
      { id: alicesId, userId: alice.userId, status: "ACTIVITY_STATUS_FAILED" },
      { id: idOf(second.json), userId: bob.userId, status: "ACTIVITY_STATUS_FAILED" },
    ]
    t.same(await rows(), denials, "both denials are kept")

    signer.answers.push(run)
    const allowed = await post(path, body, keys.bob)
    t.equal(allowed.status, 200)
    const activity = activityOf(allowed.json)
    t.match(activity, { status: "ACTIVITY_STATUS_COMPLETED", votes: [{ userId: bob.userId }] })
    t.notOk(
      isSecret(allowed.text.replaceAll(JSON.stringify(body), "")),
      "nothing of alicesOutcomes in what ran",
    )
    t.match(logged.at(-1), { activityId: activity["id"] })
    const completed = { id: activity["id"], userId: bob.userId, status: "ACTIVITY_STATUS_COMPLETED" }
    t.same(await rows(), [...denials, completed], "denials keep their ids when the body runs")
    t.equal(signer.answers.length, 0)
    for (const { id } of denials) {
      const query = { organizationId: ORGANIZATION_ID, activityId: id }
      const kept = (await post("query/get_activity", query, keys.alice)).json["activity"]
      t.match(kept, { id, status: "ACTIVITY_STATUS_FAILED", failure: { code: 7 } })
    }

    signer.answers.push(denied(alice.userId, ORGANIZATION_ID, alicesOutcomes))
    await post(path, body, keys.alice)
    t.same(await rows(), [...denials, completed], "a denial never takes the place of what ran")
    signer.answers.length = 0
  }
})

t.test("a signature that was denied once is shown when the signer allows it later", async (t) => {
  const { signer, post, alice } = await started(t)
  const body = signBody()
  signer.answers.push(denied(alice.userId), signed(alice.userId))
  t.equal((await post("submit/sign_raw_payload", body, keys.alice)).status, 403)
  const allowed = await post("submit/sign_raw_payload", body, keys.alice)
  t.match(activityOf(allowed.json), { result: { signRawPayloadResult: { v: "00" } }, votes: { length: 1 } })
})

t.test("other refusals leave no row", async (t) => {
  const { signer, post, sql } = await started(t)
  signer.answers.push(
    refused(
      RefusalCode.SIGN_WITH_UNKNOWN,
      "Could not find any resource to sign with.",
      "parameters.signWith",
    ),
  )
  const reply = await post("submit/sign_raw_payload", signBody(), keys.alice)
  t.equal(reply.status, 404)
  t.same(withoutRequestId(reply.json), {
    code: 5,
    message: "Could not find any resource to sign with.",
    details: [
      { "@type": "type.googleapis.com/errors.v1.TurnkeyErrorDetail", turnkeyErrorCode: "REQUEST_INVALID" },
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [
          { field: "parameters.signWith", description: "Could not find any resource to sign with." },
        ],
      },
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "SIGN_WITH_UNKNOWN",
        domain: "countersign",
        metadata: {},
      },
    ],
    turnkeyErrorCode: "REQUEST_INVALID",
  })
  t.same(await sql`select 1 from activities`, [])
})

t.test(
  "creating an organization needs only a valid stamp here; its activity is the new organization's",
  async (t) => {
    const { signer, post, send } = await startApi(t)
    const root = user("root", keys.alice)
    const document = notarized({ users: [root], rootQuorum: { threshold: 1, userIds: [root.userId] } })
    const result = { organizationId: ORGANIZATION_ID, userId: root.userId, apiKeyIds: [] }
    signer.answers.push(
      outcome(root.userId, {
        document,
        result: { result: { case: "createOrganizationResult", value: result } },
      }),
    )
    const body = submitBody("CREATE_ORGANIZATION", {
      setupCode: "c2V0dXA",
      organizationName: "Dev",
      rootUser: {
        userName: "root",
        apiKeys: [{ apiKeyName: "root", publicKey: keys.alice.publicKey, curveType: "API_KEY_CURVE_P256" }],
      },
    })
    const bad = await send("/public/v1/submit/create_organization", {
      method: "POST",
      body,
      headers: { "x-stamp": stamp(keys.alice, `${body} `) },
    })
    t.match(bad, { status: 401, json: { code: 16, turnkeyErrorCode: "SIGNATURE_INVALID" } })
    t.equal(signer.orders.length, 0)
    const reply = await post("submit/create_organization", body, keys.alice)
    t.equal(reply.status, 200)
    t.match(activityOf(reply.json), {
      organizationId: ORGANIZATION_ID,
      result: { createOrganizationResult: result },
      votes: [{ user: { userName: "root" } }],
    })
    t.same((await post("submit/create_organization", body, keys.alice)).json, reply.json)
    t.equal(signer.orders.length, 1)
  },
)

t.test("the log line of a request", async (t) => {
  const { post, logged, signer, alice } = await started(t)
  signer.answers.push(signed(alice.userId))
  const reply = await post("submit/sign_raw_payload", signBody("secret words"), keys.alice, {
    "x-request-id": "r-1",
  })
  await post("submit/sign_raw_payload", signBody(), makeKey())
  t.match(logged[0], {
    level: "info",
    operation: "sign_raw_payload",
    status: 200,
    ms: Number,
    requestId: "r-1",
    organizationId: ORGANIZATION_ID,
    activityId: activityOf(reply.json)["id"],
  })
  t.match(logged[1], { status: 401, reason: "CREDENTIAL_UNKNOWN" })
  t.notMatch(JSON.stringify(logged), /secret words|alice@|SIGNATURE_SCHEME/)
})

/** The only member in which two replies to one body may differ. */
function withoutRequestId(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (key, value: unknown) => (key === "requestId" ? undefined : value))
}
