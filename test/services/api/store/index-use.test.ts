// Each look-up of sub-organizations reads one range of an index, even among a million equal rows.
import t from "tap"
import { identityKey } from "../../../../services/api/store/identity-keys.ts"
import { applyChange } from "../../../../services/api/store/changes.ts"
import type { Database } from "../../../../services/database/database.ts"
import { getAccountByPath, getRecordByAddress } from "../../../../services/api/store/records.ts"
import {
  findByLoginContact,
  listSubOrganizations,
  type SubOrganizationFilter,
} from "../../../../services/api/store/sub-organizations.ts"
import { dueWatches, leaseWatches } from "../../../../services/worker/store/balance-watches.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { watchPlans } from "./plans.ts"
import { nextId, sampleChange, sampleOrganization, sampleRecord } from "./sample.ts"

const FAMILIES = 3
const CHILDREN = 8_000
/** Limit on the blocks of one page: its rows, its cursor and the upper levels of an index. */
const MAX_BUFFERS = 40

const { url, sql } = await freshDatabase(t)
await fill(sql)
const { watched, requireRanges, faultsOf } = watchPlans(t, url)

const parentId = idOf(1, 0)
const [late, middle] = [idOf(1, CHILDREN), idOf(1, CHILDREN / 2)]
const [alike, rare] = [identityKey.publicKey("00"), identityKey.email(`${middle}@example.com`)]
const filters: [string, SubOrganizationFilter][] = [
  ["all", { by: "nothing" }],
  ["an identity that all share", { by: "identity", identity: alike }],
  ["an identity that one has", { by: "identity", identity: rare }],
  ["an identity that nobody has", { by: "identity", identity: identityKey.email("nobody@example.com") }],
  ["a verified contact", { by: "verified identity", identity: rare }],
  ["a contact that all share and few have proven", { by: "verified identity", identity: alike }],
  ["any verified contact", { by: "any verified identity" }],
  ["an address that all share", { by: "address", address: "0x00" }],
  ["an address that one has", { by: "address", address: middle }],
]

for (const [name, filter] of filters) {
  for (const page of [{ limit: 10 }, { limit: 100, after: middle }, { limit: 100, before: late }]) {
    t.test(`${name}, ${Object.keys(page).join(" and ")}`, async (t) => {
      await listSubOrganizations(watched, parentId, filter, page)
      await requireRanges(t, { own: MAX_BUFFERS })
    })
  }
}

t.test("a record by its address", async (t) => {
  await getRecordByAddress(watched, late, "0x00")
  await requireRanges(t, { own: MAX_BUFFERS })
})

t.test("an account by its path", async (t) => {
  const account = await getAccountByPath(watched, late, middle, "m/44'/60'/0'/0/77")
  t.equal(account?.parentId, middle)
  await requireRanges(t, { own: MAX_BUFFERS })
})

t.test("the statements of a change use indexes", async (t) => {
  const records = [sampleRecord({ kind: 2, parentId: nextId(), address: "0x01" })]
  const organization = sampleOrganization(2n, { parentId })
  await applyChange(watched, sampleChange(late, 2n, { organization, records }))
  await requireRanges(t)
})

t.test("the addresses whose balances are read next", async (t) => {
  const turn = { caip2: "eip155:1", nowMs: 1, addresses: 5, after: parentId }
  const { visited, isRound } = await dueWatches(watched, turn)
  t.match([visited.length, visited[0]?.watches.length, isRound], [200, 1, false])
  await requireRanges(t, { own: 2_000 })
  await leaseWatches(watched, visited[0]!.watches, 2)
  await requireRanges(t, { own: MAX_BUFFERS })
})

t.test("the organization where a contact logs in", async (t) => {
  for (const identity of [
    identityKey.email("shared@example.com"),
    rare,
    identityKey.email("nobody@example.com"),
  ]) {
    await findByLoginContact(watched, parentId, identity, 2)
    await requireRanges(t, { own: MAX_BUFFERS })
  }
})

t.test("notices a scan", async (t) => {
  const statement = { text: "select 1 from organizations where name = $1", parameters: ["x"] }
  t.match(await faultsOf(statement, MAX_BUFFERS), [/a scan of organizations/, /buffers/])
})

/** Parents whose sub-organizations share a public key, a rarely verified contact, and the address of an account. */
async function fill(sql: Database): Promise<void> {
  const id = (family: string, child: string) =>
    sql.unsafe(
      `('01900000-' || lpad(to_hex(${family}), 4, '0') || '-7000-8000-' || lpad(to_hex(${child}), 12, '0'))::uuid`,
    )
  await sql`
    insert into organizations (id, parent_id, name, version, deleted, document, created_ms)
    select ${id("f", "c")}, case when c > 0 then ${id("f", "0")} end, 'same', 1, false, '\\x00', 1
    from generate_series(1, ${FAMILIES}) f, generate_series(0, ${CHILDREN}) c`
  await sql`
    insert into identities (organization_id, kind, digest, parent_id, verified)
    select id, ${alikeKind()}, ${digestOf("00")}, parent_id, hashtext(id::text) % 1000 = 0
    from organizations where parent_id is not null`
  await sql`
    insert into identities (organization_id, kind, digest, parent_id, verified)
    select id, ${identityKey.email("").kind}, sha256((id || '@example.com')::bytea), parent_id, true
    from organizations where parent_id is not null`
  // A contact that all share: one in fifty as its only login method, and none proven.
  await sql`
    insert into identities (organization_id, kind, digest, parent_id, verified, only_login_method)
    select id, ${identityKey.email("").kind}, ${identityKey.email("shared@example.com").digest}, parent_id, false,
      hashtext(id::text) % 50 = 0
    from organizations where parent_id is not null`
  await sql`
    insert into records (organization_id, kind, id, parent_id, address, family_id, version, deleted, bytes)
    select id, 2, gen_random_uuid(), null, address, parent_id, 1, false, '\\x00'
    from organizations, lateral (values ('0x00'), (id::text)) as list (address) where parent_id is not null`
  await sql`
    insert into records (organization_id, kind, id, parent_id, path_digest, version, deleted, bytes)
    select ${idOf(1, CHILDREN)}, 2, gen_random_uuid(), ${idOf(1, CHILDREN / 2)}, sha256(('m/44''/60''/0''/0/' || n)::bytea), 1, false, '\\x00'
    from generate_series(1, ${CHILDREN}) n`
  await sql`
    insert into webhook_targets (organization_id, endpoint_id, url, events)
    select id, gen_random_uuid(), 'https://hooks.example.com', 1 from organizations`
  await sql`
    insert into webhook_deliveries (organization_id, endpoint_id, source_id, event_type, subject_id, created_ms, updated_ms)
    select organization_id, endpoint_id, organization_id, 'ACTIVITY_UPDATES', gen_random_uuid(), 1, 1 from webhook_targets`
  await sql`
    insert into balance_watches (organization_id, endpoint_id, event_type, caip2, address, tokens, due_ms)
    select organization_id, endpoint_id, 'BALANCE_CONFIRMED_UPDATES', 'eip155:' || n, '0x' || n, '[]', n
    from webhook_targets, generate_series(1, 2) n`
  await sql`vacuum analyze`
}

function alikeKind(): number {
  return identityKey.publicKey("").kind
}

function digestOf(publicKey: string): Uint8Array {
  return identityKey.publicKey(publicKey).digest
}

function idOf(family: number, child: number): string {
  return `01900000-${hex(family, 4)}-7000-8000-${hex(child, 12)}`
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0")
}
