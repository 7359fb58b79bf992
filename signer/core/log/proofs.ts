import type { ReadSubtree } from "./compact-range.ts"
import { leftSize, rootOf, type Subtree, subtreesOf } from "./merkle.ts"

/** One hash of a proof, as the complete subtrees that it is computed from. */
type ProofPart = readonly Subtree[]

/** The audit path of leaf `index` in the tree of `size` leaves (RFC 6962 section 2.1.1), lowest part first. */
export function inclusionParts(index: number, size: number): ProofPart[] {
  if (!(index >= 0 && index < size)) throw new RangeError("the leaf is not in the tree")
  const parts: ProofPart[] = []
  for (let from = 0, to = size; to - from > 1; ) {
    const middle = from + leftSize(to - from)
    const isLeft = index < middle
    parts.push(isLeft ? subtreesOf(middle, to) : subtreesOf(from, middle))
    if (isLeft) to = middle
    else from = middle
  }
  return parts.toReversed()
}

/** The consistency proof from `oldSize` to `size` leaves (RFC 6962 section 2.1.2). Empty for an old size of 0 and for equal sizes. */
export function consistencyParts(oldSize: number, size: number): ProofPart[] {
  if (!(oldSize >= 0 && oldSize <= size)) throw new RangeError("a tree is consistent with smaller ones only")
  if (oldSize === 0 || oldSize === size) return []
  const parts: ProofPart[] = []
  let from = 0
  let to = size
  while (to !== oldSize) {
    const middle = from + leftSize(to - from)
    const isLeft = oldSize <= middle
    parts.push(isLeft ? subtreesOf(middle, to) : subtreesOf(from, middle))
    if (isLeft) to = middle
    else from = middle
  }
  // The verifier knows the old root. It needs the last part only where that is not a subtree of its own.
  if (from > 0) parts.push(subtreesOf(from, to))
  return parts.toReversed()
}

/** The hashes of a proof. */
export function hashesOf(parts: readonly ProofPart[], read: ReadSubtree): Uint8Array[] {
  return parts.map((part) => rootOf(part.map(read)))
}

/** Hashes of a log are public: the comparison may take a time that depends on them. */
export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
