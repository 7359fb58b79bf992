// Bytes that an activity leaves in the database, with its indexes.
import { create } from "@bufbuild/protobuf"
import { randomBytes } from "node:crypto"
import t from "tap"
import { activityTypes } from "../../../../proto/catalog.ts"
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
import type { Database } from "../../../../services/database/database.ts"
import type { Evidence } from "../../../../services/api/submit/activity-rows.ts"
import { readSubmission } from "../../../../services/api/submit/envelope.ts"
import { OutcomeStore } from "../../../../services/api/submit/outcome-store.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { nextId } from "../documents.ts"
import { denied, signed, submitBody } from "../prepared.ts"
import { makeKey, stamp } from "../stamps.ts"

const key = makeKey()
const USER = nextId()
const ORGANIZATIONS = Array.from({ length: 40 }, nextId)

function storeOf(sql: Database): OutcomeStore {
  return new OutcomeStore({
    sql,
    batcher: new ActivityBatcher(sql),
    cache: new OrganizationCache(),
    denials: { admits: async () => true },
    bootProofs: { keep: async () => undefined },
    jobs: { prepare: async () => undefined, enqueue: async () => undefined },
  })
}

function evidenceOf(body: string): Evidence {
  const submission = readSubmission(Buffer.from(body), [...activityTypes.values()])
  return { ...submission, stamp: stampParts(readStamp(stamp(key, body))) }
}

/** A signature as published clients ask for it, with digits that no other one has. */
async function storeSignature(store: OutcomeStore, organizationId: string) {
  const parameters = {
    signWith: `0x${randomBytes(20).toString("hex")}`,
    payload: randomBytes(32).toString("hex"),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  }
  const body = submitBody("SIGN_RAW_PAYLOAD_V2", parameters, organizationId)
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
