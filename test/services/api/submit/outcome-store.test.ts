import { create } from "@bufbuild/protobuf"
import t from "tap"
import { activityTypes } from "../../../../proto/catalog.ts"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type Decision,
  DecisionSchema,
  type Outcome,
  OutcomeSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { refusedError } from "../../../../services/api/errors.ts"
import { OrganizationCache } from "../../../../services/api/authentication/organization-cache.ts"
import { ActivityBatcher, type ActivityRow, getActivity } from "../../../../services/api/store/activities.ts"
import { closeDatabase, connectDatabase } from "../../../../services/database/database.ts"
import { readSubmission } from "../../../../services/api/submit/envelope.ts"
import { PolicyLists } from "../../../../services/api/store/policy-lists.ts"
import { WorkSignals } from "../../../../services/database/work-signals.ts"
import { OutcomeStore } from "../../../../services/api/submit/outcome-store.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { nextId, ORGANIZATION_ID } from "../documents.ts"
import { outcome, quorumBody, sha256, signBody, signed, submitBody } from "../prepared.ts"

const VOTERS = 20
const NOW_MS = 1_760_000_000_000

/** Two processes of the API on one database. */
async function twoStores(test: Parameters<typeof freshDatabase>[0]) {
  const { sql, url } = await freshDatabase(test)
  const other = connectDatabase({ url })
  test.teardown(() => closeDatabase(other))
  const stores = [sql, other].map(
    (pool) =>
      new OutcomeStore({
        sql: pool,
        batcher: new ActivityBatcher(pool),
        cache: new OrganizationCache(),
        denials: { admits: async () => true },
        receipts: { keep: async () => undefined },
        policyLists: new PolicyLists(sql),
        bootProofs: { keep: async () => undefined },
        signals: new WorkSignals(),
        jobs: { prepare: async () => undefined, enqueue: async () => undefined },
      }),
  ) as [OutcomeStore, OutcomeStore]
  return { sql, stores }
}

const stamp = { scheme: "SIGNATURE_SCHEME_TK_API_P256", publicKey: "02", signature: "30", credential: "02" }

/** An activity that its last voter completes: the outcomes of its opening and of its votes. */
function election() {
  const opener = nextId()
  const body = quorumBody([opener])
  const activityId = nextId()
  const bodies = [
    body,
    ...Array.from({ length: VOTERS }, (_, voter) =>
      submitBody("APPROVE_ACTIVITY", { fingerprint: `sha256:${sha256(body).toString("hex")}`, voter }),
    ),
  ]
  const steps = bodies.map((text, index) => {
    const userId = index === 0 ? opener : nextId()
    const isLast = index === VOTERS
    const prepared = outcome(userId, {
      decision: { activityId, voteId: nextId(), userId, decidedAtMs: BigInt(NOW_MS + index) },
      activityFingerprint: sha256(body),
      status: isLast ? ActivityStatus.COMPLETED : ActivityStatus.CONSENSUS_NEEDED,
      opened: index === 0,
      ...(isLast ? { result: { result: { case: "updateRootQuorumResult", value: {} } } } : {}),
    })({ body: Buffer.from(text) } as never)
    const submission = readSubmission(Buffer.from(text), [...activityTypes.values()])
    return {
      voteId: (prepared.value as Outcome).decision?.voteId,
      store: (into: OutcomeStore): Promise<ActivityRow> =>
        into.store(create(OutcomeSchema, prepared.value as Outcome), { ...submission, stamp }),
    }
  })
  return { activityId, opener, steps }
}

const voteIds = (row: ActivityRow | undefined) => row?.votes.map(({ id }) => id)

t.test("votes that two processes store at once are all kept, in their order", async (t) => {
  const { sql, stores } = await twoStores(t)
  const { activityId, opener, steps } = election()
  await steps[0]?.store(stores[0])
  // The last vote is stored first: earlier votes are then added to a completed activity.
  const others = steps.slice(1).toReversed()
  await Promise.all(others.map((step, index) => step.store(stores[index % 2 === 0 ? 0 : 1])))
  const row = await getActivity(sql, ORGANIZATION_ID, activityId)
  t.same(
    voteIds(row),
    steps.map(({ voteId }) => voteId),
  )
  t.match(row, {
    userId: opener,
    type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
    status: "ACTIVITY_STATUS_COMPLETED",
    result: '{"updateRootQuorumResult":{}}',
    createdMs: NOW_MS,
    updatedMs: NOW_MS + VOTERS,
  })
})

t.test("an opening and its votes may be stored in any order, and again", async (t) => {
  const { sql, stores } = await twoStores(t)
  const { activityId, opener, steps } = election()
  const shuffled = steps.toReversed().concat(steps)
  await Promise.all(shuffled.map((step, index) => step.store(stores[index % 3 === 0 ? 0 : 1])))
  const row = await getActivity(sql, ORGANIZATION_ID, activityId)
  t.same(
    voteIds(row),
    steps.map(({ voteId }) => voteId),
  )
  t.match(row, {
    userId: opener,
    type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
    intent: /^\{"updateRootQuorumIntent":/,
    status: "ACTIVITY_STATUS_COMPLETED",
    createdMs: NOW_MS,
  })
})

const KINDS = [
  { what: "a signature", body: signBody(), run: signed },
  { what: "a change", body: quorumBody([nextId()]), run: (userId: string) => outcome(userId) },
]

for (const { what, body, run } of KINDS) {
  t.test(
    `${what} is stored once beside the denials of its body, whichever processes store it and them`,
    async (t) => {
      const { sql, stores } = await twoStores(t)
      const evidence = { ...readSubmission(Buffer.from(body), [...activityTypes.values()]), stamp }
      const denials = [nextId(), nextId()].map((userId) =>
        create(DecisionSchema, {
          activityId: nextId(),
          voteId: nextId(),
          userId,
          decidedAtMs: BigInt(NOW_MS),
        }),
      )
      const failure = refusedError({ code: RefusalCode.PERMISSION_DENIED, sentence: "no", field: "" }).body()
      const deny = (into: OutcomeStore, denial: Decision) =>
        into.storeDenial({ appProofs: [] }, denial, evidence, failure)
      const users = Array.from({ length: 10 }, () => nextId())
      await deny(stores[0], denials[0] as Decision)
      const [late, ...ran] = await Promise.all([
        deny(stores[1], denials[1] as Decision),
        ...users.map((userId, index) => {
          const prepared = run(userId)({ body: Buffer.from(body) } as never)
          return stores[index % 2 === 0 ? 0 : 1].store(
            create(OutcomeSchema, prepared.value as Outcome),
            evidence,
          )
        }),
      ])
      const rows = await sql<{ id: string; userId: string; deniedUserId: string | null }[]>`
        select id, user_id as "userId", denied_user_id as "deniedUserId" from activities order by denied_user_id nulls first`
      const [one, ...denied] = rows
      t.ok(users.includes(one?.userId ?? ""), "one activity ran")
      t.same(new Set(ran.map(({ id }) => id)), new Set([one?.id]), "and is returned to all callers")
      t.same(
        denied.map(({ id, userId, deniedUserId }) => ({ id, userId, deniedUserId })),
        denials.map(({ activityId: id, userId }) => ({ id, userId, deniedUserId: userId })),
        "each user's denial has its own id",
      )
      t.equal(late?.id, denials[1]?.activityId)
      const again = { ...(denials[0] as Decision), activityId: nextId() }
      t.match(await deny(stores[0], again), { id: denials[0]?.activityId }, "a user's first denial is kept")
      t.match(await getActivity(sql, ORGANIZATION_ID, one?.id ?? ""), { failure: null, createdMs: Number })
    },
  )
}
