/** The members of a record that slices are made by. */
type Keyed = { kind: number; id: string; bytes: Uint8Array }

/** Bytes of records in one statement: a statement has a bound on its time, and a change has up to 8 MiB of records. */
const SLICE_BYTES = 1 << 20

/** Records by kind and id, in slices. Transactions that store common records lock them in the same sequence. */
export function recordSlices<Record extends Keyed>(records: readonly Record[]): Record[][] {
  const slices: Record[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const record of records.toSorted(compareKeys)) {
    if (bytes + record.bytes.length > SLICE_BYTES) {
      slices.push([])
      bytes = 0
    }
    slices.at(-1)?.push(record)
    bytes += record.bytes.length
  }
  return slices
}

function compareKeys(one: Keyed, other: Keyed): number {
  if (one.kind !== other.kind) return one.kind - other.kind
  return one.id < other.id ? -1 : Number(one.id > other.id)
}
