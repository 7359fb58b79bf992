import { hash } from "node:crypto"
import type { GroupedKind, RowKind, RowName } from "./ledger.ts"

// First touch of an organization reads its whole book, and of accounts and keys it may have any number. Rows of these
// kinds that find the book full stand in overflow books beside it, each checked when it is touched itself.

/** Kinds of which an organization may have any number. Their keys are ASCII. */
const KINDS: ReadonlySet<RowKind> = new Set(["address", "archive-record", "name", "record", "wallet-account"])

const MARK = "#rows-"

/** Digits of a shard: 4,096 books, so that an organization of a million accounts has some 500 rows in each. */
const SHARD_DIGITS = 3

export function mayOverflow(kind: RowKind): boolean {
  return KINDS.has(kind)
}

/**
 * `<organization>#rows-<shard>`, the shard being the first digits of SHA-256 of kind, NUL and key. Of a grouped kind all
 * but the last are those of kind, NUL and group, so that few books have to be looked into for a group.
 */
export function overflowBook(organizationId: string, { kind, key }: RowName): string {
  const name = hash("sha256", `${kind}\0${key}`)
  if (!isGrouped(kind)) return `${organizationId}${MARK}${name.slice(0, SHARD_DIGITS)}`
  const [group = ""] = key.split(SEPARATOR)
  return `${groupBooks(organizationId, kind, group)}${name[0]}`
}

/** The books that rows of one group may overflow to. */
export function overflowBooks(organizationId: string, kind: GroupedKind, group: string): string[] {
  return HEX_DIGITS.map((digit) => `${groupBooks(organizationId, kind, group)}${digit}`)
}

/** Between the first two lie the keys of all rows of a group, and no others. */
export function groupRange(group: string): { from: string; to: string } {
  return { from: `${group}${SEPARATOR}`, to: `${group}${AFTER_SEPARATOR}` }
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

function isGrouped(kind: RowKind): kind is GroupedKind {
  return kind === "wallet-account"
}

/** What the names of a group's overflow books begin with: all but their last digit. */
function groupBooks(organizationId: string, kind: GroupedKind, group: string): string {
  return `${organizationId}${MARK}${hash("sha256", `${kind}\0${group}`).slice(0, SHARD_DIGITS - 1)}`
}

const HEX_DIGITS = "0123456789abcdef".split("")

/** Between group and member in a key, and the character that comes next. */
const SEPARATOR = "/"
const AFTER_SEPARATOR = "0"
