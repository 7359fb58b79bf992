// Erasure of a deleted organization: nothing of it stays, everything of others does, and it is refused before its time.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { create, toBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { type EraseDeps, eraseOrganization } from "../../../../services/api/exports/erase-organization.ts"
import { ExportFolder } from "../../../../services/api/exports/export-files.ts"
import { mentionsOf } from "../../../../services/api/exports/mentions.ts"
import { prune } from "../../../../services/api/exports/prune.ts"
import { ActivityBatcher, type ActivityRow } from "../../../../services/api/store/activities.ts"
import { recordDeployment } from "../../../../services/api/store/deployment.ts"
import { ExportDigest } from "../../../../services/common/activity-export.ts"
import type { Database } from "../../../../services/database/database.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { hasRowOf, insertRows, tablesOfOrganizations } from "../store/any-row.ts"
import { nextId, sampleActivity, sampleVote } from "../store/sample.ts"

const NOW_MS = 1_790_000_000_000
const HOUR_MS = 3_600_000
const CONTACT = "Jane.Doe@customers.example"
const STATUS = "ACTIVITY_STATUS_COMPLETED"

const [parentId, organizationId, sibling] = [nextId(), nextId(), nextId()]

function documentOf(document: { name: string; deletedAtMs: bigint }): Buffer {
  const bytes = toBinary(
    OrganizationDocumentSchema,
    create(OrganizationDocumentSchema, { organizationId, parentId, ...document }),
  )
  return Buffer.from(toBinary(NotarizedDocumentSchema, create(NotarizedDocumentSchema, { document: bytes })))
}

const ERASED = documentOf({ name: "", deletedAtMs: 1n })

/** An activity whose body has this text. */
function activityOf(owner: string, text: string, given: Partial<ActivityRow> = {}): ActivityRow {
  const updatedMs = NOW_MS - 2 * HOUR_MS
  const message = JSON.stringify({ type: "ACTIVITY_TYPE_CREATE_WALLET", parameters: { walletName: text } })
  const intent = JSON.stringify({ createWalletIntent: { walletName: text } })
  const row = { organizationId: owner, status: STATUS, createdMs: updatedMs, updatedMs, intent }
  return sampleActivity({ ...row, votes: [sampleVote({ message })], ...given })
}

async function setup(t: Test, rows: readonly ActivityRow[] = [], document = ERASED) {
  const { sql } = await freshDatabase(t)
  await recordDeployment(sql, { id: nextId(), signerPublicKey: "00", notarizerPublicKey: "00" })
  await sql`
    insert into organizations (id, parent_id, name, version, deleted, document, created_ms)
    values (${organizationId}, ${parentId}, '', 3, true, ${document}, 1)`
  const batcher = new ActivityBatcher(sql)
  for (const row of rows) await batcher.insert(row)
  const directory = t.testdir()
  const folder = new ExportFolder(directory)
  const deps: EraseDeps = { sql, folder, organizationId, words: [], isDry: false, nowMs: NOW_MS }
  return { sql, directory, folder, deps }
}

const storedIn = async (sql: Database) =>
  (await sql<{ id: string }[]>`select id from activities order by id`).map(({ id }) => id)

t.test("rows of every table are erased, and rows of others stay", async (t) => {
  const { sql, deps } = await setup(t)
  const tables = (await tablesOfOrganizations(sql)).filter((table) => !KEEPING.has(table))
  await insertRows(t, sql, { tables, owners: [organizationId, sibling] })
  await eraseOrganization(deps)
  for (const table of tables) {
    t.ok(await hasRowOf(sql, table, sibling), `${table} of another organization`)
    t.notOk(await hasRowOf(sql, table, organizationId), table)
  }
  t.match(await sql`select parent_id, own_activities from erasures`, [
    { parent_id: parentId, own_activities: 1n },
  ])
})

/**
 * `organizations`: the id stays used. `erasures`: the trace. `webhook_families`: top-level organizations only.
 * `webhook_attempts`: a foreign key removes them with their deliveries.
 */
const KEEPING: ReadonlySet<string> = new Set([
  "organizations",
  "erasures",
  "webhook_families",
  "webhook_attempts",
])

t.test(
  "activities of the parent that name it, or a text, are erased with their webhook deliveries",
  async (t) => {
    const named = [
      activityOf(parentId, `organization ${organizationId.toUpperCase()}`),
      activityOf(parentId, "x", {
        result: `{"createSubOrganizationResult":{"subOrganizationId":"${organizationId}"}}`,
      }),
      activityOf(parentId, `to ${CONTACT.toLowerCase()}`),
      activityOf(parentId, "x", { intent: '{"a":{"email":"jane.doe\\u0040customers.example"}}' }),
      activityOf(parentId, "x", {
        appProofs: JSON.stringify([{ proofPayload: JSON.stringify({ of: CONTACT }) }]),
      }),
    ]
    const kept = [
      activityOf(parentId, "jane"),
      activityOf(sibling, CONTACT),
      activityOf(sibling, organizationId),
    ]
    const own = [activityOf(organizationId, "anything"), activityOf(organizationId, CONTACT)]
    const { sql, deps } = await setup(t, [...named, ...kept, ...own])
    // Some are of activities that were removed before.
    for (const text of [`of ${CONTACT}`, organizationId, "kept"])
      await sql`
      insert into webhook_deliveries
        (organization_id, endpoint_id, source_id, event_type, subject_id, body, created_ms, updated_ms)
      values (${parentId}, ${nextId()}, ${parentId}, 'ACTIVITY_UPDATES', ${nextId()}, ${JSON.stringify({ text })}, 1, 1)`
    t.match(await eraseOrganization({ ...deps, words: [CONTACT], isDry: true }), {
      ownActivities: 2,
      parentActivities: named.length,
    })
    t.equal(
      (await storedIn(sql)).length,
      named.length + kept.length + own.length,
      "a dry run changes nothing",
    )
    t.same(await sql`select from erasures`, [])
    const erased = await eraseOrganization({ ...deps, words: [CONTACT] })
    t.match(erased, { ownActivities: 2, parentActivities: named.length, exportedLines: 0 })
    t.same(await storedIn(sql), kept.map(({ id }) => id).toSorted())
    t.same(await sql`select body from webhook_deliveries`, [{ body: '{"text":"kept"}' }])
    t.match(
      await eraseOrganization({ ...deps, words: [CONTACT] }),
      { ownActivities: 0, parentActivities: 0 },
      "again",
    )
    t.match(await sql`select own_activities, parent_activities from erasures`, [
      { own_activities: 2n, parent_activities: BigInt(named.length) },
    ])
  },
)

t.test("lines of exported files are erased, and the files keep their digests", async (t) => {
  const rows = [
    activityOf(organizationId, "own"),
    activityOf(parentId, CONTACT),
    activityOf(parentId, "kept"),
    activityOf(sibling, CONTACT),
  ]
  const { sql, directory, folder, deps } = await setup(t, rows)
  await prune({ sql, folder, beforeMs: NOW_MS, pause: async () => undefined })
  const path = join(directory, "activities-000001.jsonl")
  const lines = () => readFileSync(path, "utf8").trimEnd().split("\n")
  const digestOf = (all: readonly string[]) => {
    const digest = new ExportDigest()
    for (const line of all) digest.add(line)
    return digest.digest().toString("hex")
  }
  const before = lines()
  t.match(await eraseOrganization({ ...deps, words: [CONTACT] }), { exportedLines: 2 })
  const after = lines()
  t.equal(digestOf(after), digestOf(before))
  t.equal(after.filter((line, index) => line === before[index]).length, before.length - 2)
  t.notOk(after.some((line) => line.includes(organizationId)))
  t.equal(after.filter((line) => line.includes(CONTACT)).length, 1, "of another sub-organization")
  t.match(await eraseOrganization({ ...deps, words: [CONTACT] }), { exportedLines: 0 }, "again")
  t.match(await eraseOrganization({ ...deps, folder: new ExportFolder(join(directory, "none")) }), {
    exportedLines: 0,
  })
})

t.test(
  "W37: an organization that its users have not deleted, or whose ledger has its name, is not erased",
  async (t) => {
    const cases: [string, Buffer, RegExp][] = [
      ["living", documentOf({ name: "Jane", deletedAtMs: 0n }), /is not deleted/],
      ["living without a name", documentOf({ name: "", deletedAtMs: 0n }), /is not deleted/],
      ["deleted", documentOf({ name: "Jane", deletedAtMs: 1n }), /countersign-signer erase/],
    ]
    for (const [name, document, sentence] of cases) {
      const { sql, deps } = await setup(t, [activityOf(organizationId, "x")], document)
      await t.rejects(eraseOrganization(deps), { message: sentence }, name)
      t.equal((await storedIn(sql)).length, 1)
    }
    const { deps } = await setup(t)
    await t.rejects(eraseOrganization({ ...deps, organizationId: sibling }), {
      message: /has no organization/,
    })
  },
)

t.test(
  "W37: an activity whose body could be repeated, that waits for votes, or whose transaction is under way is not erased",
  async (t) => {
    const young = activityOf(parentId, organizationId, { updatedMs: NOW_MS - 65 * 60_000 + 1 })
    const pending = activityOf(parentId, organizationId, { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" })
    for (const [row, sentence] of [
      [young, /younger than 65 minutes/],
      [pending, /waits for votes/],
    ] as const) {
      const { sql, deps } = await setup(t, [row, activityOf(organizationId, "x")])
      await t.rejects(eraseOrganization(deps), { message: sentence })
      t.equal((await storedIn(sql)).length, 2)
      t.match(
        await eraseOrganization({ ...deps, nowMs: NOW_MS + 60_000 }).catch(() => "refused"),
        row === young ? {} : "refused",
      )
    }
    const { sql, deps } = await setup(t)
    await sql`
    insert into sends (organization_id, id, activity_id, caip2, chain, account, nonce, raw, hash, last_valid_block_height,
      status, created_ms, updated_ms)
    values (${organizationId}, ${nextId()}, ${nextId()}, 'eip155:1', 'eip155:1', '0x', 0, '', '0x', 0, 'BROADCASTING', 1, 1)`
    await t.rejects(eraseOrganization(deps), { message: /is under way/ })
    await sql`update sends set status = 'FAILED'`
    t.match(await eraseOrganization(deps), { ownActivities: 0 })
  },
)

t.test("a text is found however its JSON is escaped, and no other text is", async (t) => {
  const isMentioned = mentionsOf(["Zoë Müller"])
  const inner = JSON.stringify({ name: "ZOË MÜLLER" }).replaceAll("Ë", "\\u00cb")
  for (const value of [
    "zoë müller",
    "Zoe\u0308 Mu\u0308ller",
    { a: [{ b: "to Zoë Müller, Esq." }] },
    { "Zoë Müller": 1 },
    inner,
    JSON.stringify({ message: inner }),
    JSON.stringify([JSON.stringify([inner])]),
  ])
    t.ok(isMentioned(value), JSON.stringify(value))
  for (const value of ["zoe muller", "", "{", "[zoë", 7, null, undefined, { a: true }])
    t.notOk(isMentioned(value))
})
