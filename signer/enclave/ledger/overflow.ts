import type { GroupedKind, RowKind, RowName } from "./ledger.ts"
import type { LedgerMac } from "./mac.ts"

// All rows of a shard are verified when the shard is first read, and an organization may have any number of accounts,
// keys and requests. Once its own shard is full, rows of these kinds go to overflow shards, each verified by itself.

/** Parts of overflow shards' names after the organization's id. Reading holdings does not verify fingerprints. */
const HOLDINGS = "#rows-"
const EXECUTED = "#ran-"

const PREFIXES: Partial<Record<RowKind, string>> = {
  address: HOLDINGS,
  "archive-record": HOLDINGS,
  name: HOLDINGS,
  record: HOLDINGS,
  "wallet-account": HOLDINGS,
  velocity: HOLDINGS,
  fingerprint: EXECUTED,
}

/** Hexadecimal digits: 4,096 shards, so an organization of a million accounts has some 500 rows in each. */
const SHARD_DIGITS = 3

/** `<organization>#rows-` or `<organization>#ran-`; undefined for kinds that do not overflow. */
export function overflowPrefix(organizationId: string, kind: RowKind): string | undefined {
  const mark = PREFIXES[kind]
  return mark && `${organizationId}${mark}`
}

/** Prefix of the overflow shards of all kinds but fingerprints. */
export function holdingsPrefix(organizationId: string): string {
  return `${organizationId}${HOLDINGS}`
}

/** The organization whose holdings lie under the prefix; undefined for prefixes of fingerprints. */
export function organizationOf(prefix: string): string | undefined {
  return prefix.endsWith(HOLDINGS) ? prefix.slice(0, -HOLDINGS.length) : undefined
}

/**
 * Name of a row's overflow shard: the prefix and the first digits of a MAC of kind and key; undefined where the kind
 * does not overflow. The MAC is keyed because callers choose keys, such as fingerprints, and must not fill one shard.
 * For a grouped kind all digits but the last come from the group, so a group has at most 16 overflow shards.
 */
export function overflowShard(authenticator: LedgerMac, organizationId: string, { kind, key }: RowName) {
  const prefix = overflowPrefix(organizationId, kind)
  if (prefix === undefined) return undefined
  const digits = authenticator.shard(kind, key, SHARD_DIGITS)
  if (!isGrouped(kind)) return `${prefix}${digits}`
  const [group = ""] = key.split(SEPARATOR)
  return `${groupPrefix(authenticator, organizationId, kind, group)}${digits[0]}`
}

/** Names of all overflow shards that may contain rows of the group. */
export function groupOverflowShards(
  authenticator: LedgerMac,
  organizationId: string,
  kind: GroupedKind,
  group: string,
): string[] {
  const prefix = groupPrefix(authenticator, organizationId, kind, group)
  return "0123456789abcdef".split("").map((digit) => `${prefix}${digit}`)
}

/** The keys of a group's rows, and no others: from `from`, before `to`. */
export function groupRange(group: string): { from: string; to: string } {
  return { from: `${group}${SEPARATOR}`, to: `${group}${AFTER_SEPARATOR}` }
}

/** The prefix of an overflow shard's name; undefined for all other shards. */
export function prefixOfShard(shard: string): string | undefined {
  const prefix = shard.slice(0, -SHARD_DIGITS)
  return prefix.endsWith(HOLDINGS) || prefix.endsWith(EXECUTED) ? prefix : undefined
}

/** The organization whose rows an overflow shard has; any other shard is its own. */
export function ownerOf(shard: string): string {
  const prefix = prefixOfShard(shard)
  return prefix === undefined ? shard : prefix.slice(0, prefix.lastIndexOf("#"))
}

/** True for shards of rows that are found by a digest: those that are neither an organization's own nor its overflow. */
export function isIndexShard(shard: string): boolean {
  return shard.includes("#") && prefixOfShard(shard) === undefined
}

/** The names of all shards with the prefix, and no others: from `from`, before `to`. */
export function prefixRange(prefix: string): { from: string; to: string } {
  return { from: prefix, to: `${prefix}g` }
}

/** Position behind a row of an organization: what the shard's name has after the organization's id, and the row's key. */
export function writeCursor(suffix: string, key: string): string {
  return `${suffix}${SEPARATOR}${key}`
}

/** `key` undefined: before the first row, whose key may be empty. No suffix contains the separator. */
export function readCursor(text: string): { shard: string; key: string | undefined } {
  const end = text.indexOf(SEPARATOR)
  return end === -1 ? { shard: "", key: undefined } : { shard: text.slice(0, end), key: text.slice(end + 1) }
}

function isGrouped(kind: RowKind): kind is GroupedKind {
  return kind === "wallet-account" || kind === "velocity"
}

function groupPrefix(authenticator: LedgerMac, organizationId: string, kind: GroupedKind, group: string) {
  return `${overflowPrefix(organizationId, kind)}${authenticator.shard(kind, group, SHARD_DIGITS - 1)}`
}

/** Between group and member in a key and between shard and key in a cursor, and the next character after it in UTF-8. */
const SEPARATOR = "/"
const AFTER_SEPARATOR = "0"
