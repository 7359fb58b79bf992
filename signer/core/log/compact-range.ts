import { nodeHash, rootOf, type Subtree, subtreesOf } from "./merkle.ts"

/** Reads the hash of a complete subtree. */
export type ReadSubtree = (subtree: Subtree) => Uint8Array

/** Called with each complete subtree as it arises, lower levels first. */
export type OnSubtree = (level: number, index: number, hash: Uint8Array) => void

/** A growing tree of which only the hashes of its complete subtrees are kept: one for each bit of its size. */
export class CompactRange {
  /** Largest subtree first. */
  readonly #hashes: Uint8Array[]
  #size: number

  constructor(size = 0, hashes: readonly Uint8Array[] = []) {
    this.#size = size
    this.#hashes = [...hashes]
  }

  /** The tree of the first `size` leaves. */
  static at(size: number, read: ReadSubtree): CompactRange {
    return new CompactRange(size, subtreesOf(0, size).map(read))
  }

  get size(): number {
    return this.#size
  }

  append(leaf: Uint8Array, onSubtree: OnSubtree = () => {}): void {
    let hash = leaf
    let index = this.#size
    onSubtree(0, index, hash)
    for (let level = 1; index % 2 === 1; level++) {
      const left = this.#hashes.pop()
      if (left === undefined) throw new Error("a tree keeps one hash for each bit of its size")
      hash = nodeHash(left, hash)
      index = (index - 1) / 2
      onSubtree(level, index, hash)
    }
    this.#hashes.push(hash)
    this.#size += 1
  }

  root(): Uint8Array {
    return rootOf(this.#hashes)
  }
}
