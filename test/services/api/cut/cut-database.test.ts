// A database that is newer than the ledger: what is cut, what stays, and what an interruption leaves behind.
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { create, toBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  ListOrganizationsResponseSchema,
  ReadArchiveResponseSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordKind, RecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { cutDatabase } from "../../../../services/api/cut/cut-database.ts"
import {
  findNewer,
  readLedgerStates,
  requireGivenUp,
} from "../../../../services/api/cut/newer-organizations.ts"
import { CutReport } from "../../../../services/api/cut/report.ts"
import type { Signer } from "../../../../services/api/signer/signer.ts"
import { statusName } from "../../../../services/api/store/activity-codes.ts"
import { applyChange } from "../../../../services/api/store/changes.ts"
import { olderThanLedger } from "../../../../services/api/store/compare.ts"
import { removeOrganization } from "../../../../services/api/store/newer-state.ts"
import { insertSends } from "../../../../services/api/store/sends.ts"
import { createLogger } from "../../../../services/common/logger.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { notarized, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { hasRowOf, insertRows, tablesOfOrganizations } from "../store/any-row.ts"
import { sampleActivity, sampleVote } from "../store/sample.ts"
import { makeKey } from "../stamps.ts"

const OTHER = ORGANIZATION_ID.replace(/.$/, "2")
const COMPLETED = "ACTIVITY_STATUS_COMPLETED"
const GIVEN_UP = 2n ** 32n
const users = [user("alice", makeKey())]

/** A record as the signer writes it, and as the database stores it. */
function recordOf(version: bigint, deleted = false, id = randomId()) {
  const payload = randomBytes(20)
  const record = create(RecordSchema, {
    organizationId: ORGANIZATION_ID,
    kind: RecordKind.WALLET,
    id,
    version,
    deleted,
    payload,
  })
  return { kind: RecordKind.WALLET, id, version, deleted, bytes: toBinary(RecordSchema, record) }
}

const randomId = () => `01990000-0000-7000-8000-${randomBytes(6).toString("hex")}`

/** A signer whose ledger has one organization at version 1 and sequence 5, and another at sequence 8. */
function olderLedger(records: Uint8Array[], pending: readonly Uint8Array[] = [], givenUpVersion = GIVEN_UP) {
  const organizations = [
    { organizationId: ORGANIZATION_ID, documentVersion: 1n, ledgerSequence: 5n },
    { organizationId: OTHER, documentVersion: 1n, ledgerSequence: 8n },
  ]
  const known = new Set(pending.map((fingerprint) => Buffer.from(fingerprint).toString("hex")))
  const signer: Pick<Signer, "listOrganizations" | "readArchive"> = {
    listOrganizations: async () => create(ListOrganizationsResponseSchema, { organizations, givenUpVersion }),
    readArchive: async (organizationId, _position, fingerprints) =>
      create(ReadArchiveResponseSchema, {
        document: notarized({ organizationId, users }),
        records: organizationId === ORGANIZATION_ID ? records : [],
        ledgerSequence: organizationId === ORGANIZATION_ID ? 5n : 8n,
        activityStatuses: fingerprints.map((one) =>
          known.has(Buffer.from(one).toString("hex"))
            ? ActivityStatus.CONSENSUS_NEEDED
            : ActivityStatus.UNSPECIFIED,
        ),
      }),
  }
  return { signer, organizations }
}

async function start(t: Test) {
  const { sql } = await freshDatabase(t)
  await storeOrganization(sql, { users, version: 3n })
  await storeOrganization(sql, { organizationId: OTHER, users })
  await sql`update organizations set ledger_sequence = 8 where id = ${OTHER}`
  const path = join(t.testdir(), "cut.jsonl")
  const log = createLogger("test", "silent")
  const cut = async (signer: Pick<Signer, "listOrganizations" | "readArchive">) => {
    const ledger = await readLedgerStates(signer)
    const newer = await findNewer(sql, ledger)
    await requireGivenUp(sql, newer, ledger)
    const report = await CutReport.create(path, {})
    try {
      return await cutDatabase(newer, ledger, { sql, signer, log, report, nowMs: Date.now() })
    } finally {
      await report.close()
    }
  }
  /** Stores an activity of a ledger's transaction; 0: it left nothing in the ledger. */
  const store = async (
    type: string,
    ledgerSequence: bigint,
    given: Parameters<typeof sampleActivity>[0] = {},
  ) => {
    const intent = "{}"
    const activity = sampleActivity({
      organizationId: ORGANIZATION_ID,
      type: `ACTIVITY_TYPE_${type}`,
      status: COMPLETED,
      result: "{}",
      intent,
      votes: [sampleVote()],
      ...given,
    })
    await applyChange(sql, { organizationId: ORGANIZATION_ID, records: [], activity, ledgerSequence })
    return activity
  }
  const rest = async () => {
    const rows = await sql<{ id: string; status: string }[]>`select id, status from activities order by id`
    return new Map(rows.map(({ id, status }) => [id, statusName(status)]))
  }
  return { sql, cut, store, rest, path }
}

t.test(
  "C5: activities that the ledger lacks are removed; those that it has, never had, or that were disclosed stay",
  async (t) => {
    const { sql, cut, store, rest, path } = await start(t)
    const kept = {
      "of the ledger": await store("CREATE_USERS_V4", 5n),
      "without a sequence": await store("SIGN_RAW_PAYLOAD_V2", 0n),
      "an export": await store("EXPORT_WALLET", 6n),
      "a send": await store("ETH_SEND_TRANSACTION_V2", 7n),
      "an organization that another one's sequence is beyond": await store("CREATE_SUB_ORGANIZATION_V7", 8n),
    }
    const gone = [
      await store("CREATE_USERS_V4", 6n),
      await store("CREATE_SUB_ORGANIZATION_V7", 9n),
      await store("CREATE_WALLET", 9n, { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", result: null }),
    ]
    const { id: activityId } = kept["a send"]
    await sql.begin((tx) =>
      insertSends(tx, [
        {
          organizationId: ORGANIZATION_ID,
          id: randomId(),
          activityId,
          caip2: "eip155:1",
          chain: "eip155:1",
          account: "0x1",
          nonce: 1n,
          raw: randomBytes(4),
          hash: "0x2",
          lastValidBlockHeight: 0n,
          createdMs: 1,
        },
      ]),
    )
    const votes = [sampleVote({ createdMs: 1 }), sampleVote({ createdMs: 2 })]
    const waiting = await store("CREATE_WALLET", 7n, { votes })
    const { signer } = olderLedger([], [waiting.fingerprint])
    t.match(await cut(signer), {
      organizationsCut: 1,
      organizationsRemoved: 0,
      activitiesRemoved: 3,
      activitiesPendingAgain: 1,
      activitiesKept: 2,
    })
    const left = await rest()
    for (const [name, { id }] of Object.entries(kept)) t.equal(left.get(id), COMPLETED, name)
    for (const { id, type } of gone) t.notOk(left.has(id), type)
    t.equal(left.get(waiting.id), "ACTIVITY_STATUS_CONSENSUS_NEEDED")
    t.equal((await sql`select from sends`).length, 1, "a signed transaction may be on its chain")
    t.match(await sql`select version::int, ledger_sequence::int as sequence from organizations order by id`, [
      { version: 1, sequence: 5 },
      { version: 1, sequence: 8 },
    ])
    const lines = readFileSync(path, "utf8").trim().split("\n")
    const becomes = new Map(
      lines.flatMap((line) => {
        const { activity, becomes } = JSON.parse(line) as { activity?: { id: string }; becomes?: string }
        return activity ? [[activity.id, becomes] as const] : []
      }),
    )
    t.equal(becomes.size, 6)
    for (const { id } of gone) t.equal(becomes.get(id), "removed")
    t.equal(becomes.get(kept["an export"].id), "kept")
    t.equal(becomes.get(waiting.id), "pending again")
  },
)

t.test("records are again as the ledger has them: changed, deleted and new ones", async (t) => {
  const { sql, cut, path } = await start(t)
  const [same, renamed, deleted, child, unknown] = [
    recordOf(1n),
    recordOf(1n),
    recordOf(1n),
    recordOf(1n),
    recordOf(1n),
  ]
  const tombstone = recordOf(2n, true)
  const stored = [
    same,
    recordOf(2n, false, renamed.id),
    recordOf(2n, true, deleted.id),
    { ...child, parentId: deleted.id },
    unknown,
    tombstone,
  ]
  const activity = sampleActivity({ organizationId: ORGANIZATION_ID })
  await applyChange(sql, { organizationId: ORGANIZATION_ID, records: stored, activity, ledgerSequence: 9n })
  t.match(await sql`select deleted from records where id = ${child.id}`, [{ deleted: true }])
  const { signer } = olderLedger([same, renamed, deleted, child].map(({ bytes }) => bytes))
  t.match(await cut(signer), { recordsRemoved: 4 })
  const rows = await sql<
    { id: string; deleted: boolean; bytes: Buffer }[]
  >`select id, deleted, bytes from records`
  const found = new Map(rows.map((row) => [row.id, row]))
  for (const [name, record] of Object.entries({ same, renamed, deleted, child })) {
    const row = found.get(record.id)
    t.notOk(row?.deleted, name)
    t.ok(row && Buffer.compare(row.bytes, record.bytes) === 0, name)
  }
  t.notOk(found.has(unknown.id))
  t.ok(found.get(tombstone.id)?.deleted, "a record that was deleted before stays so")
  const lost = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .flatMap((line) => {
      const { record } = JSON.parse(line) as { record?: { id: string; bytes: string } }
      return record ? [record] : []
    })
  t.match(lost.find(({ id }) => id === unknown.id)?.bytes, Buffer.from(unknown.bytes).toString("base64"))
})

t.test(
  "C5: a cut that was interrupted after a removal is completed by the next comparison with the ledger",
  async (t) => {
    const { sql, cut, store, rest } = await start(t)
    const lost = await store("CREATE_USERS_V4", 6n)
    const { signer, organizations } = olderLedger([])
    let reads = 0
    const failing = {
      ...signer,
      readArchive: (...parameters: Parameters<Signer["readArchive"]>) =>
        ++reads > 2 ? Promise.reject(new Error("the signer ended")) : signer.readArchive(...parameters),
    }
    await t.rejects(cut(failing), /the signer ended/)
    t.notOk((await rest()).has(lost.id))
    t.same(await findNewer(sql, await readLedgerStates(signer)), [])
    t.same(await olderThanLedger(sql, organizations), [ORGANIZATION_ID])
  },
)

t.test("C5: state that the operator has not given up is not cut, of a document or of a record", async (t) => {
  const { sql, cut } = await start(t)
  const refused = { status: 3, message: /newer state than the ledger.*accept-ledger --restored/ }
  await t.rejects(cut(olderLedger([], [], 0n).signer), refused)
  await t.rejects(cut(olderLedger([], [], 2n).signer), refused)
  const activity = sampleActivity({ organizationId: ORGANIZATION_ID })
  const records = [recordOf(GIVEN_UP + 1n)]
  await applyChange(sql, { organizationId: ORGANIZATION_ID, records, activity, ledgerSequence: 9n })
  await t.rejects(cut(olderLedger([]).signer), refused)
  t.match(await sql`select version::int from organizations where id = ${ORGANIZATION_ID}`, [{ version: 3 }])
})

t.test("C5: an organization that the ledger lacks leaves no row but its transactions", async (t) => {
  const { sql } = await freshDatabase(t)
  const kept = new Set([
    "sends",
    "nonce_reservations",
    "erasures",
    "webhook_families",
    "webhook_attempts",
    "organizations",
  ])
  const tables = (await tablesOfOrganizations(sql)).filter((table) => !kept.has(table))
  await insertRows(t, sql, { tables, owners: [ORGANIZATION_ID, OTHER] })
  await sql.begin((tx) => removeOrganization(tx, ORGANIZATION_ID))
  for (const table of tables) {
    t.ok(await hasRowOf(sql, table, OTHER), `${table} of another organization`)
    t.notOk(await hasRowOf(sql, table, ORGANIZATION_ID), table)
  }
})
