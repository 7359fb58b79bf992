import t from "tap"
import { ActivityStatus, VoteSelection } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { storedStatus } from "../../../../services/api/store/activity-codes.ts"
import { nextId, notarized, ORGANIZATION_ID, user } from "../documents.ts"
import { outcome, quorumBody, refused, sha256, signBody, signed, submitBody } from "../prepared.ts"
import { startApi } from "../start-api.ts"
import { makeKey, stamp } from "../stamps.ts"
import { activityOf, keys, started, withoutRequestId } from "./quorum-of-two.ts"

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
  t.same(await sql`select status from activities`, [{ status: storedStatus("ACTIVITY_STATUS_COMPLETED") }])
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

t.test("other refusals leave no row", async (t) => {
  const { signer, post, sql, url } = await started(t)
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
        "@type": "type.googleapis.com/google.rpc.Help",
        links: [
          {
            description: "SIGN_WITH_UNKNOWN: meaning and remedy",
            url: `${url}/docs/errors/SIGN_WITH_UNKNOWN`,
          },
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
