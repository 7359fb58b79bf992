import { hash } from "node:crypto"
import type { RowKind, RowName } from "./ledger.ts"

// First touch of an organization reads its whole book, and of accounts and keys it may have any number. Rows of these
// kinds that find the book full stand in overflow books beside it, each checked when it is touched itself.

/** Kinds of which an organization may have any number. Their keys are ASCII. */
const KINDS: ReadonlySet<RowKind> = new Set(["address", "archive-record", "name", "record"])

const MARK = "#rows-"

/** Digits of a shard: 4,096 books, so that an organization of a million accounts has some 500 rows in each. */
const SHARD_DIGITS = 3

export function mayOverflow(kind: RowKind): boolean {
  return KINDS.has(kind)
}

/** `<organization>#rows-<shard>`, the shard being the first digits of SHA-256 of kind, NUL and key. */
export function overflowBook(organizationId: string, { kind, key }: RowName): string {
  return `${organizationId}${MARK}${hash("sha256", `${kind}\0${key}`).slice(0, SHARD_DIGITS)}`
}

/** Whose overflow book this is; undefined for every other book. */
export function overflowOwner(book: string): string | undefined {
  const at = book.lastIndexOf(MARK)
  return at === -1 ? undefined : book.slice(0, at)
}

/** Between the first two lie the names of all overflow books of an organization, and no others. */
export function overflowRange(organizationId: string): { from: string; to: string } {
  return { from: `${organizationId}${MARK}`, to: `${organizationId}${MARK}g` }
}
