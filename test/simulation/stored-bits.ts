import type { MemoryStorage } from "../signer/enclave/ledger/memory-store.ts"

/** A part of the stored ledger: a row of a shard, the shard's own row, or the row of a lane. */
export type StoredPart = { of: "row" | "shard"; shard: string } | { of: "lane" }

type Pick = (below: number) => number
type Members = Record<string, unknown>
type MemberRef = { holder: Members; name: string }

/** Alters one bit of the part, and returns how to undo it; undefined: the part is not stored. */
export function alterStoredBit(
  storage: MemoryStorage,
  part: StoredPart,
  pick: Pick,
): (() => void) | undefined {
  const stored = storedOf(storage, part, pick)
  const members = stored === undefined ? [] : membersOf(stored as Members)
  const member = members[pick(members.length)]
  if (member === undefined) return undefined
  const { holder, name } = member
  const value = holder[name]
  holder[name] = altered(name, value, pick)
  return () => {
    holder[name] = value
  }
}

function storedOf({ state }: MemoryStorage, part: StoredPart, pick: Pick): object | undefined {
  switch (part.of) {
    case "lane":
      return state.lanes[pick(state.lanes.length)]
    case "shard":
      return state.shards.get(part.shard)
    case "row": {
      const rows = [...(state.rows.get(part.shard)?.values() ?? [])]
      return rows[pick(rows.length)]
    }
    default:
      return part satisfies never
  }
}

/** Every text, number and value of bytes, except the number by which the store orders rows. */
function membersOf(holder: Members): MemberRef[] {
  return Object.entries(holder).flatMap(([name, value]): MemberRef[] => {
    if (name === "number" || value === undefined || value === "") return []
    if (value instanceof Uint8Array) return value.length > 0 ? [{ holder, name }] : []
    return typeof value === "object" ? membersOf(value as Members) : [{ holder, name }]
  })
}

/** Bits of a time in milliseconds. */
const NUMBER_BITS = 40

function altered(name: string, value: unknown, pick: Pick): unknown {
  if (value instanceof Uint8Array) return withFlippedBit(value, pick)
  if (typeof value === "string") return Buffer.from(withFlippedBit(Buffer.from(value), pick)).toString()
  if (typeof value === "bigint") return value ^ (1n << BigInt(pick(NUMBER_BITS)))
  // A store has few lanes, in a list by their number.
  const bit = name === "lane" ? pick(2) : pick(NUMBER_BITS)
  return Number(BigInt(value as number) ^ (1n << BigInt(bit)))
}

/** The bytes with one bit altered. */
export function withFlippedBit(bytes: Uint8Array, pick: Pick): Uint8Array {
  const altered = Uint8Array.from(bytes)
  if (altered.length > 0) altered[pick(altered.length)]! ^= 1 << pick(8)
  return altered
}
