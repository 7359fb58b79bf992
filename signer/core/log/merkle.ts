import { hash } from "node:crypto"

/** Length of a hash, bytes. */
export const HASH_BYTES = 32

/** Hashes in a full tile, and entries in a full bundle. */
export const TILE_WIDTH = 256

/** Levels of the tree in one tile: 256 = 2^8. */
export const TILE_HEIGHT = 8

/** The complete subtree over the leaves `index * 2^level` to `(index + 1) * 2^level - 1`. */
export type Subtree = { readonly level: number; readonly index: number }

/** Root of the tree without leaves (RFC 6962 section 2.1): the hash of no bytes. */
export const EMPTY_ROOT: Uint8Array = sha256(new Uint8Array(0))

/** SHA-256(0x00 || leaf). */
export function leafHash(leaf: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(1 + leaf.length)
  bytes[0] = 0
  bytes.set(leaf, 1)
  return sha256(bytes)
}

/** SHA-256(0x01 || left || right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(1 + 2 * HASH_BYTES)
  bytes[0] = 1
  bytes.set(left, 1)
  bytes.set(right, 1 + HASH_BYTES)
  return sha256(bytes)
}

/**
 * The complete subtrees that together have the leaves `from` to `to - 1`, largest first. In a tree, `from` is a multiple of the
 * largest one's size.
 */
export function subtreesOf(from: number, to: number): Subtree[] {
  const subtrees: Subtree[] = []
  for (let at = from; at < to; ) {
    const level = levelOf(to - at)
    subtrees.push({ level, index: at / 2 ** level })
    at += 2 ** level
  }
  return subtrees
}

/** Root of neighbouring complete subtrees, largest first. */
export function rootOf(hashes: readonly Uint8Array[]): Uint8Array {
  return hashes.length === 0 ? EMPTY_ROOT : hashes.reduceRight((right, left) => nodeHash(left, right))
}

/** Level of the largest complete subtree that fits into `count` leaves. */
export function levelOf(count: number): number {
  let level = 0
  while (2 ** (level + 1) <= count) level += 1
  return level
}

/** Leaves of the left side of a tree with two leaves or more: the largest power of two below `size`. */
export function leftSize(size: number): number {
  const level = levelOf(size)
  return 2 ** level === size ? size / 2 : 2 ** level
}

/** The digest as text of one character a byte costs a third of the same digest as a buffer of its own. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return Buffer.from(hash("sha256", bytes, "binary"), "latin1")
}
