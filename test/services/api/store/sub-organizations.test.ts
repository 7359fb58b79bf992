import t from "tap"
import { type StoredIdentity, identityKey } from "../../../../services/api/store/identity-keys.ts"
import { applyChange, restoreState } from "../../../../services/api/store/changes.ts"
import type { Database } from "../../../../services/database/database.ts"
import {
  findByIdentity,
  listSubOrganizations,
  type SubOrganizationFilter,
} from "../../../../services/api/store/sub-organizations.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { nextId, sampleChange, sampleKey, sampleOrganization, sampleRecord } from "./sample.ts"

const WALLET_ACCOUNT = 2
const parentId = nextId()
const ids = Array.from({ length: 6 }, nextId) as [string, string, string, string, string, string]
const all: SubOrganizationFilter = { by: "nothing" }

t.test("sub-organizations of one parent", async (t) => {
  const { sql } = await freshDatabase(t)
  for (const id of ids) await store(sql, id, [], { deleted: id === ids[2] })
  await applyChange(sql, sampleChange(parentId, 1n))

  t.test("oldest first, without deleted ones", async (t) => {
    const left = ids.filter((id) => id !== ids[2])
    t.same(await listSubOrganizations(sql, parentId, all, { limit: 100 }), { rows: left })
    t.same(await listSubOrganizations(sql, ids[0], all, { limit: 100 }), { rows: [] })
    t.same(await listSubOrganizations(sql, "?", all, { limit: 2 }), { rows: [] })
  })

  t.test("around cursors, a deleted one too", async (t) => {
    t.same(await listSubOrganizations(sql, parentId, all, { limit: 2, after: ids[2] }), {
      rows: [ids[3], ids[4]],
    })
    t.same(await listSubOrganizations(sql, parentId, all, { limit: 2, before: ids[4] }), {
      rows: [ids[1], ids[3]],
    })
  })

  t.test("naming an unknown cursor: the parent, or one of another family", async (t) => {
    const other = nextId()
    await store(sql, other, [], { parentId: nextId() })
    for (const after of [parentId, other, nextId(), "?"])
      t.same(await listSubOrganizations(sql, parentId, all, { limit: 2, after }), { unknownCursor: "after" })
    t.same(await listSubOrganizations(sql, "?", all, { limit: 2, before: ids[0] }), {
      unknownCursor: "before",
    })
  })
})

t.test("finds all sub-organizations with an identity, of one parent only", async (t) => {
  const { sql } = await freshDatabase(t)
  const shared = sampleKey("shared")
  for (const id of ids) await store(sql, id, [shared, sampleKey(id)])
  await store(sql, nextId(), [shared], { parentId: nextId() })
  const find = (identity: StoredIdentity, limit: number) => findByIdentity(sql, parentId, identity, limit)
  t.same(await find(shared, 10), ids)
  t.same(await find(shared, 2), ids.slice(0, 2))
  t.same(await find(sampleKey(ids[3]), 2), [ids[3]])
  t.same(
    await find({ ...identityKey.userName("shared"), verified: false, onlyLoginMethod: false }, 2),
    [],
    "another kind",
  )
  const page = { limit: 2, after: ids[1] }
  t.same(await listSubOrganizations(sql, parentId, { by: "identity", identity: shared }, page), {
    rows: [ids[2], ids[3]],
  })
})

t.test("finds verified contacts only", async (t) => {
  const { sql } = await freshDatabase(t)
  const [email, phone] = [identityKey.email("a@example.com"), identityKey.phoneNumber("+15555550100")]
  await store(sql, ids[0], [{ ...email, verified: false, onlyLoginMethod: false }])
  await store(sql, ids[1], [
    { ...email, verified: true, onlyLoginMethod: false },
    { ...phone, verified: true, onlyLoginMethod: false },
  ])
  await store(sql, ids[2], [
    { ...email, verified: false, onlyLoginMethod: false },
    { ...phone, verified: true, onlyLoginMethod: false },
  ])
  const find = async (filter: SubOrganizationFilter) =>
    listSubOrganizations(sql, parentId, filter, { limit: 10 })
  t.same(await find({ by: "identity", identity: email }), { rows: ids.slice(0, 3) })
  t.same(await find({ by: "verified identity", identity: email }), { rows: [ids[1]] })
  t.same(await find({ by: "verified identity", identity: phone }), { rows: [ids[1], ids[2]] })
  t.same(await find({ by: "any verified identity" }), { rows: [ids[1], ids[2]] }, "each once")
})

t.test("finds wallet accounts by their address until they are deleted", async (t) => {
  const { sql } = await freshDatabase(t)
  const wallet = sampleRecord()
  const account = sampleRecord({ kind: WALLET_ACCOUNT, parentId: wallet.id, address: "0xabc" })
  const key = sampleRecord({ kind: 3, address: "0xdef" })
  await store(sql, ids[0], [])
  await applyChange(sql, { ...sampleChange(ids[0], 2n), records: [wallet, account, key] })
  const find = (address: string, parent = parentId) =>
    listSubOrganizations(sql, parent, { by: "address", address }, { limit: 10 })
  t.same(await find("0xabc"), { rows: [ids[0]] })
  t.same(await find("0xabc", nextId()), { rows: [] }, "not below another parent")
  t.same(await find("0xdef"), { rows: [] }, "the address of a private key is none of an account")
  const deleted = { ...wallet, version: 2n, deleted: true, bytes: Buffer.from("gone") }
  await applyChange(sql, { ...sampleChange(ids[0], 3n), records: [deleted] })
  t.same(await find("0xabc"), { rows: [] })
})

t.test("records stored before their organization are found once it is stored", async (t) => {
  const { sql } = await freshDatabase(t)
  const account = sampleRecord({ kind: WALLET_ACCOUNT, parentId: nextId(), address: "0xabc" })
  await restoreState(sql, {
    organizationId: ids[0],
    organization: undefined,
    records: [account],
    createdMs: 1,
  })
  await store(sql, ids[0], [])
  t.same(await listSubOrganizations(sql, parentId, { by: "address", address: "0xabc" }, { limit: 1 }), {
    rows: [ids[0]],
  })
})

async function store(
  sql: Database,
  id: string,
  identities: StoredIdentity[],
  given: { deleted?: boolean; parentId?: string } = {},
): Promise<void> {
  const organization = sampleOrganization(1n, { parentId, identities, ...given })
  await applyChange(sql, sampleChange(id, 1n, { organization }))
}
