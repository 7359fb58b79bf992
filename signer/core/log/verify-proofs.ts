// Verification of proofs, for readers of a log. The signer's process makes proofs and does not load this file.
import { EMPTY_ROOT, HASH_BYTES, levelOf, nodeHash } from "./merkle.ts"
import { isEqual } from "./proofs.ts"

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
