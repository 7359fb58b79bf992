import t from "tap"
import { OrganizationCache } from "../../../../services/api/authentication/organization-cache.ts"
import { OrganizationStore } from "../../../../services/api/authentication/organization-store.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { ORGANIZATION_ID, storeOrganization } from "../documents.ts"

const ledgerSync = { restoreUnknown: async () => false, restoreNewer: async () => false }

t.test("a rule is enforced by a version of another process within two seconds", async (t) => {
  const { sql } = await freshDatabase(t)
  let nowMs = 0
  const organizations = new OrganizationStore({
    sql,
    cache: new OrganizationCache(),
    ledgerSync,
    elapsedMs: () => nowMs,
  })
  await storeOrganization(sql, { version: 1n })
  const versionSeen = async () => (await organizations.recent(ORGANIZATION_ID))?.version
  t.equal(await versionSeen(), 1n)
  await storeOrganization(sql, { version: 2n })
  nowMs = 1999
  t.equal(await versionSeen(), 1n)
  nowMs = 2000
  t.equal(await versionSeen(), 2n)
  nowMs = 4000
  const [one, other] = [organizations.recent(ORGANIZATION_ID), organizations.recent(ORGANIZATION_ID)]
  t.equal(await one, await other, "one look-up for all who ask meanwhile")
  await storeOrganization(sql, { version: 3n })
  t.equal((await organizations.get(ORGANIZATION_ID))?.version, 2n)
  t.equal((await organizations.refresh(ORGANIZATION_ID))?.version, 3n)
})

t.test("a document that is in memory is not read from the database again", async (t) => {
  const { sql } = await freshDatabase(t)
  const rows: number[] = []
  const watched = new Proxy(sql, {
    apply(target, self, parts: [TemplateStringsArray]) {
      const query = Reflect.apply(target, self, parts)
      if (!parts[0][0]?.trim().startsWith("select")) return query
      return query.then((found: unknown[]) => {
        rows.push(found.length)
        return found
      })
    },
  })
  const organizations = new OrganizationStore({ sql: watched, cache: new OrganizationCache(), ledgerSync })
  await storeOrganization(sql, { version: 1n })
  const refreshed = async () => (await organizations.refresh(ORGANIZATION_ID))?.version
  t.same([await refreshed(), await refreshed(), rows], [1n, 1n, [1, 0]])
  await storeOrganization(sql, { version: 2n })
  t.same([await refreshed(), await refreshed(), rows], [2n, 2n, [1, 0, 1, 0]])
})
