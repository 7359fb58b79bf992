// Denials, as they are answered and stored.
import t from "tap"
import { Outcome } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { storedStatus } from "../../../../services/api/store/activity-codes.ts"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { MAX_STORED_DENIALS } from "../../../../services/api/store/denial-quota.ts"
import { nextId, ORGANIZATION_ID } from "../documents.ts"
import { denied, outcome, quorumBody, refused, sha256, signBody, signed } from "../prepared.ts"
import { type Json } from "../start-api.ts"
import { activityOf, keys, started, withoutRequestId } from "./quorum-of-two.ts"

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
      { id: alicesId, userId: alice.userId, status: storedStatus("ACTIVITY_STATUS_FAILED") },
      { id: idOf(second.json), userId: bob.userId, status: storedStatus("ACTIVITY_STATUS_FAILED") },
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
    const completed = {
      id: activity["id"],
      userId: bob.userId,
      status: storedStatus("ACTIVITY_STATUS_COMPLETED"),
    }
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

t.test("beyond the day's bound a denial is answered and counted, and names no activity", async (t) => {
  const { signer, post, sql, alice } = await started(t)
  await sql`
    insert into denial_counts (organization_id, user_id, day, denials, characters)
    values (${ORGANIZATION_ID}, ${alice.userId}, ${Math.floor(Date.now() / 86_400_000)}, ${MAX_STORED_DENIALS - 1}, 0)`
  const deny = async () => {
    const body = signBody(nextId())
    signer.answers.push(denied(alice.userId))
    const { status, json } = await post("submit/sign_raw_payload", body, keys.alice)
    const metadata = (json["details"] as Json[]).at(-1)?.["metadata"] as { activityId?: string }
    return { status, message: json["message"], activityId: metadata.activityId }
  }
  const last = await deny()
  t.match(last, { status: 403, activityId: String })
  const { activityId, ...rest } = last
  t.strictSame(await deny(), { ...rest, activityId: undefined })
  t.same(await sql`select id from activities`, [{ id: activityId }])
  t.same(await sql`select denials from denial_counts`, [{ denials: BigInt(MAX_STORED_DENIALS + 1) }])
})
