// Bytes that an activity leaves in the database, with its indexes.
import { create, toBinary } from "@bufbuild/protobuf"
import { randomBytes } from "node:crypto"
import t from "tap"
import {
  Outcome as PolicyResult,
  OutcomeSchema as PolicyResultSchema,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { packOutcomes, policyListDigest } from "../../../../signer/core/policy/outcome-list.ts"
import { getPolicyEvaluations } from "../../../../services/api/queries/get-policy-evaluations.ts"
import { activityTypes } from "../../../../proto/catalog.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  type Decision,
  DecisionSchema,
  type Outcome,
  OutcomeSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { readStamp, stampParts } from "../../../../signer/core/stamp/read-stamp.ts"
import { refusedError } from "../../../../services/api/errors.ts"
import { OrganizationCache } from "../../../../services/api/authentication/organization-cache.ts"
import { ActivityBatcher, getActivity } from "../../../../services/api/store/activities.ts"
import { WorkSignals } from "../../../../services/database/work-signals.ts"
import type { Database } from "../../../../services/database/database.ts"
import type { VoteEvidence } from "../../../../services/api/submit/activity-rows.ts"
import { readSubmission } from "../../../../services/api/submit/envelope.ts"
import {
  PolicyLists,
  removeUnusedPolicyLists,
  withPolicyIds,
} from "../../../../services/api/store/policy-lists.ts"
import type { StoredVote } from "../../../../services/api/store/stored-vote.ts"
import { OutcomeStore } from "../../../../services/api/submit/outcome-store.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { nextId } from "../documents.ts"
import { denied, signed, submitBody } from "../prepared.ts"
import { makeKey, stamp } from "../stamps.ts"

const key = makeKey()
const USER = nextId()
const ORGANIZATIONS = Array.from({ length: 40 }, nextId)

function storeOf(sql: Database, policyLists = new PolicyLists(sql)): OutcomeStore {
  return new OutcomeStore({
    sql,
    batcher: new ActivityBatcher(sql),
    cache: new OrganizationCache(),
    denials: { admits: async () => true },
    receipts: { keep: async () => undefined },
    policyLists,
    bootProofs: { keep: async () => undefined },
    signals: new WorkSignals(),
    jobs: { prepare: async () => undefined, enqueue: async () => undefined },
  })
}

function evidenceOf(body: string): VoteEvidence {
  const submission = readSubmission(Buffer.from(body), [...activityTypes.values()])
  return { ...submission, stamp: stampParts(readStamp(stamp(key, body))) }
}

function signatureBody(organizationId: string): string {
  const parameters = {
    signWith: `0x${randomBytes(20).toString("hex")}`,
    payload: randomBytes(32).toString("hex"),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  }
  return submitBody("SIGN_RAW_PAYLOAD_V2", parameters, organizationId)
}

/** A signature as published clients ask for it, with digits that no other one has. */
async function storeSignature(store: OutcomeStore, organizationId: string) {
  const body = signatureBody(organizationId)
  const { value } = signed(USER, randomBytes(32).toString("hex"))({ body: Buffer.from(body) } as never)
  return store.store(create(OutcomeSchema, { ...(value as Outcome), organizationId }), evidenceOf(body))
}

async function sizeOf(sql: Database): Promise<number> {
  const [row] = await sql<{ bytes: bigint }[]>`select pg_total_relation_size('activities') as bytes`
  return Number(row?.bytes)
}

/** Bytes that each of `count` more signatures takes. */
async function growth(sql: Database, count: number, organizations: readonly string[]): Promise<number> {
  const store = storeOf(sql)
  const before = await sizeOf(sql)
  for (let done = 0; done < count; done += 200)
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        storeSignature(store, organizations[(done + index) % organizations.length] ?? ""),
      ),
    )
  return ((await sizeOf(sql)) - before) / count
}

t.test("a signature takes at most 1,000 bytes, its indexes included", async (t) => {
  for (const organizations of [ORGANIZATIONS.slice(0, 1), ORGANIZATIONS]) {
    const { sql } = await freshDatabase(t)
    // Fixed parts first: the tables of free space and of overlong values.
    await growth(sql, 1_000, organizations)
    const bytes = await growth(sql, 2_000, organizations)
    t.comment(`${organizations.length} organizations: ${bytes} bytes`)
    t.ok(bytes > 300 && bytes <= 1_000, `${bytes} bytes`)
  }
})

t.test("a body is kept once, whatever becomes of it", async (t) => {
  const { sql } = await freshDatabase(t)
  const store = storeOf(sql)
  // Digits without any order: nothing but the digits themselves can be kept in fewer bytes.
  const payload = randomBytes(20_000).toString("base64")
  const parameters = {
    signWith: "0xab",
    payload,
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_SHA256",
  }
  const [organizationId = ""] = ORGANIZATIONS
  const body = submitBody("SIGN_RAW_PAYLOAD_V2", parameters, organizationId)
  const evidence = evidenceOf(body)
  const refusal = denied(USER, organizationId)
  if (refusal.case !== "refused") throw new Error("no refusal")
  const error = refusedError({ code: RefusalCode.PERMISSION_DENIED, sentence: "no", field: "" })
  const denial = await store.storeDenial(
    { appProofs: [] },
    create(DecisionSchema, refusal.value.denial as Decision),
    evidence,
    error.body(),
  )
  const [{ bytes } = { bytes: 0 }] = await sql<{ bytes: number }[]>`
    select pg_column_size(activities.*) as bytes from activities where id = ${denial?.id ?? null}`
  t.ok(bytes < body.length + 1_000, `${bytes} of a body of ${body.length}`)
  const read = await getActivity(sql, organizationId, denial?.id ?? "")
  t.match(read, { votes: [{ message: body }], intent: evidence.intent })
})

const POLICY_IDS = Array.from({ length: 1000 }, nextId)

/** A decision with the outcome of each policy, of which most do not apply. */
function decisionOf(policyIds: readonly string[]): Decision {
  const policyOutcomes = policyIds.map((policyId, index) => {
    const outcome = index % 7 === 0 ? PolicyResult.ERROR : PolicyResult.DENY_IMPLICIT
    return { policyId, outcome: index === 5 ? PolicyResult.ALLOW : outcome }
  })
  return create(DecisionSchema, { activityId: nextId(), voteId: nextId(), userId: USER, policyOutcomes })
}

t.test(
  "a thousand policies add at most 600 bytes to a stored vote, and all outcomes are shown",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const [organizationId = ""] = ORGANIZATIONS
    const bytesOf = async (policyIds: readonly string[]) => {
      const lists = new PolicyLists(sql)
      const store = storeOf(sql, lists)
      const body = signatureBody(organizationId)
      const { value } = signed(USER, randomBytes(32).toString("hex"))({ body: Buffer.from(body) } as never)
      const decision = decisionOf(policyIds)
      const outcome = create(OutcomeSchema, { ...(value as Outcome), organizationId, decision })
      const { id } = await store.store(outcome, evidenceOf(body))
      const [{ bytes } = { bytes: 0 }] = await sql<{ bytes: number }[]>`
      select pg_column_size(contents) as bytes from activities where id = ${id}`
      return { bytes, id, held: lists.held(organizationId), decision }
    }
    const none = await bytesOf([])
    const few = await bytesOf(POLICY_IDS.slice(0, 3))
    t.equal(few.held.length, 0, "few ids are kept with the vote")
    const many = await bytesOf(POLICY_IDS)
    t.ok(many.bytes - none.bytes <= 600, `${many.bytes} bytes, and ${none.bytes} without policies`)
    t.same(many.held, policyListDigest(POLICY_IDS))
    for (const { id, decision } of [none, few, many]) {
      const context = { sql, organization: { id: organizationId } } as never
      const shown = JSON.parse(await getPolicyEvaluations({ activityId: id } as never, context)) as {
        policyEvaluations: { policyEvaluations: { policyId: string; outcome: string }[] }[]
      }
      t.same(
        shown.policyEvaluations[0]?.policyEvaluations,
        decision.policyOutcomes.map(({ policyId, outcome }) => ({
          policyId,
          outcome: PolicyResultSchema.value[outcome]?.name,
        })),
      )
    }
  },
)

t.test("a list of policies is stored once, and an answer without ids refers to it", async (t) => {
  const { sql } = await freshDatabase(t)
  const lists = new PolicyLists(sql)
  const [organizationId = "", other = ""] = ORGANIZATIONS
  t.equal(lists.held(organizationId).length, 0)
  const [one, again] = await Promise.all([
    lists.keep(organizationId, POLICY_IDS),
    lists.keep(organizationId, POLICY_IDS),
  ])
  t.same(one, again)
  t.same(await new PolicyLists(sql).keep(organizationId, POLICY_IDS), one, "by another process")
  t.equal(lists.held(other).length, 0, "of this organization alone")
  const shorter = POLICY_IDS.slice(1)
  await lists.keep(organizationId, shorter)
  t.same(lists.held(organizationId), policyListDigest(shorter), "the newest")
  const [{ rows, bytes } = { rows: 0, bytes: 0 }] = await sql<{ rows: number; bytes: number }[]>`
    select count(*)::int as rows, sum(length(policy_ids))::int as bytes from policy_lists`
  t.same([rows, bytes], [2, 16 * 1999])
  const packed = packOutcomes(decisionOf(POLICY_IDS).policyOutcomes.map(({ outcome }) => outcome))
  const decision = create(DecisionSchema, { ...decisionOf([]), policyList: one, packedOutcomes: packed })
  const body = signatureBody(organizationId)
  const { value } = signed(USER, "11".repeat(32))({ body: Buffer.from(body) } as never)
  const outcome = create(OutcomeSchema, { ...(value as Outcome), organizationId, decision })
  const { votes } = await storeOf(sql, lists).store(outcome, evidenceOf(body))
  t.same(votes[0]?.listedOutcomes, [one.toString("hex"), packed.toString("hex")])
})

t.test(
  "a denial with a thousand policies is stored in few bytes, and answered with all outcomes",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const lists = new PolicyLists(sql)
    const store = storeOf(sql, lists)
    const [organizationId = ""] = ORGANIZATIONS
    const bytesOf = async (decision: Decision) => {
      const policyOutcomes = [...(await lists.outcomesOf(organizationId, decision))]
      const { PERMISSION_DENIED: code } = RefusalCode
      const error = refusedError({ code, sentence: "no", field: "", denial: { ...decision, policyOutcomes } })
      const answered = JSON.stringify(error.body()).match(/policyId/g)?.length ?? 0
      const row = await store.storeDenial(
        { appProofs: [] },
        decision,
        evidenceOf(signatureBody(organizationId)),
        error.body(),
      )
      const [{ bytes } = { bytes: 0 }] = await sql<{ bytes: number }[]>`
      select pg_column_size(activities.*) + octet_length(failure) as bytes from activities where id = ${row?.id ?? null}`
      return { bytes, answered, row }
    }
    const none = await bytesOf(decisionOf([]))
    const few = decisionOf(POLICY_IDS.slice(0, 15))
    t.equal(
      (JSON.parse((await bytesOf(few)).row?.failure ?? "") as Failure).details[0]?.policyEvaluations.length,
      15,
    )
    const full = decisionOf(POLICY_IDS)
    const packed = {
      ...decisionOf([]),
      policyList: await lists.keep(organizationId, POLICY_IDS),
      packedOutcomes: packOutcomes(full.policyOutcomes.map(({ outcome }) => outcome)),
    }
    for (const decision of [full, packed]) {
      const { bytes, answered, row } = await bytesOf(decision)
      t.equal(answered, 1000)
      t.ok(bytes - none.bytes <= 3500, `${bytes} bytes, and ${none.bytes} without policies`)
      const { details } = JSON.parse(row?.failure ?? "") as Failure
      t.equal(details[0]?.policyEvaluations.length, 20)
      t.notOk(details[0]?.policyEvaluations.some(({ outcome }) => outcome === "OUTCOME_DENY_IMPLICIT"))
    }
  },
)

type Failure = { details: { policyEvaluations: { outcome: string }[] }[] }

t.test("a list that does not match its digest counts as lost, and nothing else fails", async (t) => {
  const { sql } = await freshDatabase(t)
  const [organizationId = "", other = ""] = ORGANIZATIONS
  const lists = new PolicyLists(sql)
  const digest = await lists.keep(organizationId, POLICY_IDS)
  const packed = packOutcomes(decisionOf(POLICY_IDS).policyOutcomes.map(({ outcome }) => outcome))
  const votes = [
    { listedOutcomes: [digest.toString("hex"), packed.toString("hex")] },
  ] as unknown as StoredVote[]
  const decision = { ...decisionOf([]), policyList: digest, packedOutcomes: packed }
  t.equal((await withPolicyIds(sql, { organizationId, votes }))[0]?.policyOutcomes?.length, 1000)
  t.equal((await new PolicyLists(sql).outcomesOf(organizationId, decision)).length, 1000)
  t.same(await withPolicyIds(sql, { organizationId: other, votes }), votes, "of another organization")
  const mixed = Buffer.concat([Buffer.alloc(16, 1), Buffer.alloc(16 * 999, 2)])
  for (const policyIds of [mixed, Buffer.alloc(0), Buffer.alloc(5)]) {
    await sql`update policy_lists set policy_ids = ${policyIds}`
    t.same(await withPolicyIds(sql, { organizationId, votes }), votes)
    t.same(await new PolicyLists(sql).outcomesOf(organizationId, decision), [])
  }
})

t.test(
  "lists that no stored vote refers to are removed, and a list in use is recorded each hour",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const [organizationId = "", other = ""] = ORGANIZATIONS
    const dayMs = 24 * 3600 * 1000
    const startMs = 1_700_000_000_000
    let nowMs = startMs
    const lists = new PolicyLists(sql, () => nowMs)
    const stored = async () => (await sql`select from policy_lists`).length
    await lists.keep(organizationId, POLICY_IDS)
    await lists.keep(other, POLICY_IDS)
    const idAt = (ms: number) =>
      `${ms
        .toString(16)
        .padStart(12, "0")
        .replace(/^(.{8})/, "$1-")}-7000-8000-000000000001`
    const activityAt = (ms: number) => sql`
    insert into activities (organization_id, id, fingerprint, type, status, user_id, contents, created_ms, updated_ms)
    values (${organizationId}, ${idAt(ms)}, sha256(${idAt(ms)}::text::bytea), 'A', 'COMPLETED', ${USER}, '', ${ms}, ${ms})`
    await activityAt(startMs)
    await activityAt(startMs + 3 * dayMs)
    t.equal(await removeUnusedPolicyLists(sql, startMs + dayMs), 0)
    t.equal(
      await removeUnusedPolicyLists(sql, startMs + 2 * dayMs),
      1,
      "of the organization without activities",
    )
    await sql`delete from activities where id = ${idAt(startMs)}`
    nowMs += 3_599_999
    t.equal(lists.held(organizationId).length, 16)
    nowMs += 1
    t.equal(lists.held(organizationId).length, 0, "the ids come once more, and the use is recorded")
    nowMs = startMs + 2.5 * dayMs
    await lists.keep(organizationId, POLICY_IDS)
    t.equal(lists.held(organizationId).length, 16)
    t.equal(await removeUnusedPolicyLists(sql, startMs + 9 * dayMs), 0, "used by what is stored")
    nowMs = startMs + 2.6 * dayMs
    await sql`delete from activities`
    await activityAt(startMs + 4 * dayMs)
    t.equal(await removeUnusedPolicyLists(sql, startMs + 9 * dayMs), 1)
    t.equal(await stored(), 0)
  },
)

t.test("an outcome of the ledger has its list again after an older database was restored", async (t) => {
  const { sql } = await freshDatabase(t)
  const policyIds = POLICY_IDS.slice(0, 20)
  const { id, row } = organizationWith(policyIds)
  const decision = { ...decisionOf([]), policyList: policyListDigest(policyIds) }
  await new PolicyLists(sql).restore(id, decision)
  t.equal((await sql`select from policy_lists`).length, 0, "an organization that is not there either")
  await sql`insert into organizations ${sql(row)}`
  for (let time = 0; time < 2; time++) await new PolicyLists(sql).restore(id, decision)
  t.match(await sql`select digest from policy_lists`, [{ digest: policyListDigest(policyIds) }])
  await new PolicyLists(sql).restore(id, decisionOf([]))
  t.equal((await sql`select from policy_lists`).length, 1, "an outcome with its ids needs none")
})

function organizationWith(policyIds: readonly string[]) {
  const id = nextId()
  const document = toBinary(
    OrganizationDocumentSchema,
    create(OrganizationDocumentSchema, {
      organizationId: id,
      policies: policyIds.map((policyId) => ({ policyId })),
    }),
  )
  const notarized = Buffer.from(
    toBinary(NotarizedDocumentSchema, create(NotarizedDocumentSchema, { document })),
  )
  const row = {
    id,
    parent_id: null,
    name: "o",
    version: 1,
    deleted: false,
    document: notarized,
    created_ms: 1,
  }
  return { id, row }
}
