import { Refusal } from "../refusal.ts"
import type { Books } from "./books.ts"
import { reading } from "./fault.ts"
import type { GroupCommit } from "./group-commit.ts"
import type { RowName } from "./ledger.ts"
import type { ExpiredRow } from "./statements.ts"

/**
 * Removes expired rows page by page, so that other requests find their turn between. An organization that fails
 * its check keeps its rows and stops nobody else's.
 */
export async function purgeExpired(books: Books, group: GroupCommit, nowMs: number): Promise<number> {
  let after = { expiresMs: -1, number: 0 }
  let removed = 0
  for (;;) {
    const page = reading(() => books.statements.expired(after, nowMs, PAGE_ROWS))
    const last = page.at(-1)
    if (last === undefined) return removed
    after = last
    group.advanceTime(nowMs)
    const counts = [...byOrganization(page)].map(([id, names]) => removeFrom(group, id, names, nowMs))
    for (const count of await Promise.all(counts)) removed += count
  }
}

const PAGE_ROWS = 500

async function removeFrom(group: GroupCommit, organizationId: string, names: RowName[], nowMs: number) {
  let removed = 0
  try {
    await group.submit((posting) => {
      removed = posting.removeExpired(organizationId, names, nowMs)
    })
    return removed
  } catch (error) {
    if (error instanceof Refusal && error.code === "LEDGER_DAMAGED") return 0
    throw error
  }
}

function byOrganization(page: ExpiredRow[]): Map<string, RowName[]> {
  const groups = new Map<string, RowName[]>()
  for (const { organizationId, kind, key } of page) {
    const names = groups.get(organizationId) ?? []
    names.push({ kind, key })
    groups.set(organizationId, names)
  }
  return groups
}
