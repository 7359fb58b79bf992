import { Refusal } from "../../core/refusal.ts"
import type { CommittedShards } from "./shards.ts"
import { isSecondaryShard } from "./read-change.ts"
import { guardRead } from "./fault.ts"
import type { GroupCommit } from "./group-commit.ts"
import type { RowName } from "./ledger.ts"
import { type ExpiredRow, readKind } from "./statements.ts"

/**
 * Removes expired rows page by page and of few books at once, so that other requests find their turn between: each book
 * may have to be checked first. One that fails its check keeps its rows and stops nobody else's.
 */
export async function purgeExpired(
  books: CommittedShards,
  group: GroupCommit,
  nowMs: number,
): Promise<number> {
  let after = { expiresMs: -1, number: 0 }
  let removed = 0
  for (;;) {
    const page = guardRead(() => books.statements.expired(after, nowMs, PAGE_ROWS))
    const last = page.at(-1)
    if (last === undefined) return removed
    after = last
    group.advanceTime(nowMs)
    for (const turn of batchesOf([...byShard(page)])) {
      const counts = turn.map(([book, rows]) => removeFrom({ books, group }, book, rows, nowMs))
      for (const count of await Promise.all(counts)) removed += count
    }
  }
}

const PAGE_ROWS = 500

/** Books in one transaction: of each some hundred rows may have to be checked and removed. */
const SHARDS_PER_TRANSACTION = 5

type Parts = { books: CommittedShards; group: GroupCommit }

async function removeFrom({ books, group }: Parts, book: string, rows: ExpiredRow[], nowMs: number) {
  let removed = 0
  try {
    const names = isSecondaryShard(book) ? allExpired(books, book, nowMs) : rows.map(nameOf)
    await group.submit((posting) => {
      removed = posting.removeExpired(book, names, nowMs)
    })
    return removed
  } catch (error) {
    if (error instanceof Refusal && error.code === "LEDGER_DAMAGED") return 0
    throw error
  }
}

/** A side book has few rows: with the first of them go all that are due, so that it is written once. */
function allExpired({ statements }: CommittedShards, book: string, nowMs: number): RowName[] {
  return guardRead(() => statements.expiredIn(book, nowMs, PAGE_ROWS))
}

const nameOf = ({ kind, key }: ExpiredRow): RowName => ({ kind: readKind(kind), key })

function batchesOf<One>(all: One[]): One[][] {
  const turns: One[][] = []
  for (let from = 0; from < all.length; from += SHARDS_PER_TRANSACTION)
    turns.push(all.slice(from, from + SHARDS_PER_TRANSACTION))
  return turns
}

/** By organization or side book. */
function byShard(page: ExpiredRow[]): Map<string, ExpiredRow[]> {
  const groups = new Map<string, ExpiredRow[]>()
  for (const row of page) {
    const rows = groups.get(row.organizationId) ?? []
    rows.push(row)
    groups.set(row.organizationId, rows)
  }
  return groups
}
