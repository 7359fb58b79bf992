import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import {
  OutcomeSchema,
  ReadArchiveResponseSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordKind, RecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { nextId, notarized, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { outcome, quorumBody, refused, sha256, signBody, signed } from "../prepared.ts"
import { startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const key = makeKey()
const alice = user("alice", key)
const rootQuorum = { threshold: 1, userIds: [alice.userId] }

async function started(test: Parameters<typeof startApi>[0]) {
  const api = await startApi(test)
  await storeOrganization(api.sql, { users: [alice], rootQuorum })
  return api
}

const walletId = nextId()
const walletBytes = toBinary(
  RecordSchema,
  create(RecordSchema, {
    kind: RecordKind.WALLET,
    id: walletId,
    organizationId: ORGANIZATION_ID,
    version: 1n,
  }),
)
const rolledBack = refused(RefusalCode.DOCUMENT_ROLLED_BACK, "the document is older than the ledger's")
const documentAt = (version: bigint) => notarized({ version, users: [alice], rootQuorum })
const archive = (version: bigint) =>
  create(ReadArchiveResponseSchema, { document: documentAt(version), records: [walletBytes] })

/** Limit on sending one order, the first time included. */
const ROUNDS = 1 + 5
/** Attempts: one, and one after each of three ways to catch up. */
const ATTEMPTS = 1 + 3

t.test("sends the context that the signer lacks, in at most five rounds", async (t) => {
  const { signer, post } = await started(t)
  const documents = [{ organizationId: ORGANIZATION_ID, version: 1n }]
  const needed = { case: "needed", value: { documents } } as const
  signer.answers.push(needed, signed(alice.userId))
  t.equal((await post("submit/sign_raw_payload", signBody(), key)).status, 200)
  t.same(
    signer.orders.map(({ documents }) => documents.length > 0),
    [false, true],
  )

  signer.archives.push(archive(2n))
  signer.answers.push(...Array.from({ length: ROUNDS * ATTEMPTS }, () => needed))
  const reply = await post("submit/sign_raw_payload", signBody("x"), key)
  t.match(reply, { status: 503, json: { code: 14 } })
  t.equal(signer.answers.length, 0, "exactly this many rounds")
})

t.test("shows the signer the document of an organization that only the database knows", async (t) => {
  const { signer, post } = await started(t)
  const unknown = refused(RefusalCode.ORGANIZATION_UNKNOWN, "no organization found")
  signer.answers.push(unknown, refused(RefusalCode.LEDGER_OLDER, "the ledger is older"))
  const reply = await post("submit/sign_raw_payload", signBody(), key)
  t.match(reply, { status: 503, json: { message: "the ledger is older" } })
  t.same(
    signer.orders.map(({ documents }) => documents.length),
    [0, 1],
  )
})

t.test("stores unacknowledged outcomes when the database is behind, then continues", async (t) => {
  const { signer, post, sql } = await started(t)
  const body = quorumBody([alice.userId])
  const lost = outcome(alice.userId, { document: documentAt(2n) })({ body: Buffer.from(body) } as never)
  const stamp = { scheme: "SIGNATURE_SCHEME_TK_API_P256", publicKey: key.publicKey, signature: "30" }
  signer.recoveries.push({
    outcomes: [{ outcome: create(OutcomeSchema, lost.value as never), body: Buffer.from(body), stamp }],
  })
  signer.answers.push(rolledBack, rolledBack, signed(alice.userId))
  t.equal((await post("submit/sign_raw_payload", signBody(), key)).status, 200)
  t.same(await sql`select version from organizations`, [{ version: 2n }])
  t.same(signer.acknowledged, [sha256(body).toString("hex")])
  t.match(await post("query/list_activities", { organizationId: ORGANIZATION_ID }, key), {
    json: {
      activities: [
        {},
        { type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", votes: [{ message: body, signature: "30" }] },
      ],
    },
  })
})

t.test("restores the signer's archive when nothing else helps", async (t) => {
  const { signer, post, sql } = await started(t)
  signer.archives.push(archive(7n))
  signer.answers.push(rolledBack, rolledBack, rolledBack, signed(alice.userId))
  t.equal((await post("submit/sign_raw_payload", signBody(), key)).status, 200)
  t.same(await sql`select version from organizations`, [{ version: 7n }])
  t.same(await sql`select id from records`, [{ id: walletId }])
})

t.test("gives up when even the archive does not help", async (t) => {
  const { signer, post } = await started(t)
  signer.archives.push(archive(7n))
  signer.answers.push(rolledBack, rolledBack, rolledBack, rolledBack)
  t.match(await post("submit/sign_raw_payload", signBody(), key), { status: 503, json: { code: 14 } })
})
