import type { ReadSubtree } from "./compact-range.ts"
import {
  EMPTY_ROOT,
  HASH_BYTES,
  leftSize,
  levelOf,
  nodeHash,
  rootOf,
  type Subtree,
  subtreesOf,
} from "./merkle.ts"

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

/** True if a leaf with this hash is leaf `index` of the tree (RFC 9162 section 2.1.3.2). */
export function isIncluded(
  leaf: { readonly index: number; readonly hash: Uint8Array },
  tree: { readonly size: number; readonly root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean {
  if (!isCount(leaf.index) || !isCount(tree.size) || leaf.index >= tree.size) return false
  let position = leaf.index
  let last = tree.size - 1
  let root = leaf.hash
  for (const hash of proof) {
    if (last === 0 || hash.length !== HASH_BYTES) return false
    if (position % 2 === 1 || position === last) {
      root = nodeHash(hash, root)
      while (position % 2 === 0 && position !== 0) {
        position /= 2
        last = Math.floor(last / 2)
      }
    } else root = nodeHash(root, hash)
    position = Math.floor(position / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && isEqual(root, tree.root)
}

/** True if the proof shows that the first `old.size` leaves of the tree are the old tree (RFC 9162 section 2.1.4.2). */
export function isConsistent(
  old: { readonly size: number; readonly root: Uint8Array },
  tree: { readonly size: number; readonly root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean {
  if (!isCount(old.size) || !isCount(tree.size) || old.size > tree.size) return false
  if (old.size === 0) return proof.length === 0 && isEqual(old.root, EMPTY_ROOT)
  if (old.size === tree.size) return proof.length === 0 && isEqual(old.root, tree.root)
  if (proof.some(({ length }) => length !== HASH_BYTES)) return false
  const [first, ...rest] = 2 ** levelOf(old.size) === old.size ? [old.root, ...proof] : proof
  if (first === undefined) return false
  return isPath(first, rest, old, tree)
}

/** The second half of the algorithm: both roots are computed from the same hashes. */
function isPath(
  first: Uint8Array,
  rest: readonly Uint8Array[],
  old: { readonly size: number; readonly root: Uint8Array },
  tree: { readonly size: number; readonly root: Uint8Array },
): boolean {
  let position = old.size - 1
  let last = tree.size - 1
  while (position % 2 === 1) {
    position = (position - 1) / 2
    last = Math.floor(last / 2)
  }
  let oldRoot = first
  let root = first
  for (const hash of rest) {
    if (last === 0) return false
    if (position % 2 === 1 || position === last) {
      oldRoot = nodeHash(hash, oldRoot)
      root = nodeHash(hash, root)
      while (position % 2 === 0 && position !== 0) {
        position /= 2
        last = Math.floor(last / 2)
      }
    } else root = nodeHash(root, hash)
    position = Math.floor(position / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && isEqual(oldRoot, old.root) && isEqual(root, tree.root)
}

/** Sizes and indexes beyond 2^53 - 1 are not counted exactly, and are refused. */
function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

/** Hashes of a log are public: the comparison may take a time that depends on them. */
export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
