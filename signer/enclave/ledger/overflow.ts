import type { GroupedKind, RowKind, RowName } from "./ledger.ts"
import type { Authenticator } from "./mac.ts"

// First touch of an organization reads its whole book, and of accounts, keys and requests it may have any number. Rows
// of these kinds that find the book full stand in overflow books beside it, each checked when it is touched itself.

/**
 * What the names of the overflow books of a kind begin with, after that of their organization. What ran stands apart
 * from what is held, so that reading all that an organization holds checks nothing of the other.
 */
const HOLDINGS = "#rows-"
const EXECUTED = "#ran-"

const PREFIXES: Partial<Record<RowKind, string>> = {
  address: HOLDINGS,
  "archive-record": HOLDINGS,
  name: HOLDINGS,
  record: HOLDINGS,
  "wallet-account": HOLDINGS,
  fingerprint: EXECUTED,
}

/** Digits of a shard: 4,096 books, so that an organization of a million accounts has some 500 rows in each. */
const SHARD_DIGITS = 3

/** `<organization>#rows-` or `<organization>#ran-`; undefined: rows of the kind all stand in the own book. */
export function overflowPrefix(organizationId: string, kind: RowKind): string | undefined {
  const mark = PREFIXES[kind]
  return mark && `${organizationId}${mark}`
}

/** The shelf of all kinds that are something an organization has. */
export function holdingsPrefix(organizationId: string): string {
  return `${organizationId}${HOLDINGS}`
}

/**
 * `<shelf><shard>`, the shard being the first digits of a MAC of kind and key: whoever chooses keys, as the stamper of a
 * body does its fingerprint, must not fill one book with them. Of a grouped kind all but the last digit are those of kind
 * and group, so that few books have to be looked into for a group. Undefined where the kind does not overflow.
 */
export function overflowShard(
  authenticator: Authenticator,
  organizationId: string,
  { kind, key }: RowName,
): string | undefined {
  const shelf = overflowPrefix(organizationId, kind)
  if (shelf === undefined) return undefined
  const digits = authenticator.shard(kind, key, SHARD_DIGITS)
  if (!isGrouped(kind)) return `${shelf}${digits}`
  const [group = ""] = key.split(SEPARATOR)
  return `${groupPrefix(authenticator, organizationId, kind, group)}${digits[0]}`
}

/** The books that rows of one group may overflow to. */
export function groupOverflowShards(
  authenticator: Authenticator,
  organizationId: string,
  kind: GroupedKind,
  group: string,
): string[] {
  const beginning = groupPrefix(authenticator, organizationId, kind, group)
  return HEX_DIGITS.map((digit) => `${beginning}${digit}`)
}

/** Between the first two lie the keys of all rows of a group, and no others. */
export function groupRange(group: string): { from: string; to: string } {
  return { from: `${group}${SEPARATOR}`, to: `${group}${AFTER_SEPARATOR}` }
}

/** The shelf that a book stands on; undefined for every book that is no overflow book. */
export function prefixOfShard(book: string): string | undefined {
  const shelf = book.slice(0, -SHARD_DIGITS)
  return shelf.endsWith(HOLDINGS) || shelf.endsWith(EXECUTED) ? shelf : undefined
}

/** Between the first two lie the names of all books of a shelf, and no others. */
export function prefixRange(shelf: string): { from: string; to: string } {
  return { from: shelf, to: `${shelf}g` }
}

function isGrouped(kind: RowKind): kind is GroupedKind {
  return kind === "wallet-account"
}

/** What the names of a group's overflow books begin with: all but their last digit. */
function groupPrefix(
  authenticator: Authenticator,
  organizationId: string,
  kind: GroupedKind,
  group: string,
): string {
  return `${overflowPrefix(organizationId, kind)}${authenticator.shard(kind, group, SHARD_DIGITS - 1)}`
}

const HEX_DIGITS = "0123456789abcdef".split("")

/** Between group and member in a key, and the character that comes next. */
const SEPARATOR = "/"
const AFTER_SEPARATOR = "0"
