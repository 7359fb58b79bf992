import { CompactRange, type ReadSubtree } from "../../core/log/compact-range.ts"
import { leafHash, nodeHash, rootOf, subtreesOf, TILE_HEIGHT, TILE_WIDTH } from "../../core/log/merkle.ts"

type ReadLeaves = (from: number, to: number) => readonly Uint8Array[]

/** The log's Merkle tree. Hashes of full tiles are in memory, an eighth of a byte for each leaf; those below are computed from leaves. */
export class LogTree {
  readonly #readLeaves: ReadLeaves
  /** By level of tiles, from 1: the hashes of full tiles of the level below. */
  readonly #tiles: Uint8Array[][] = []
  #range = new CompactRange()

  /** @param chunks hashes of the log's first full tiles of leaves */
  constructor(readLeaves: ReadLeaves, chunks: readonly Uint8Array[] = []) {
    this.#readLeaves = readLeaves
    const range = new CompactRange()
    for (const chunk of chunks)
      range.append(chunk, (level, index, hash) => this.#keep(level + TILE_HEIGHT, index, hash))
    this.#range = CompactRange.at(chunks.length * TILE_WIDTH, this.read)
  }

  get size(): number {
    return this.#range.size
  }

  /** Hashes of full tiles of leaves. */
  get chunks(): readonly Uint8Array[] {
    return this.#tiles[0] ?? []
  }

  append(leaf: Uint8Array): void {
    this.#range.append(leafHash(leaf), this.#keep)
  }

  root(): Uint8Array {
    return this.#range.root()
  }

  /** Root of the first `size` leaves. */
  rootAt(size: number): Uint8Array {
    return rootOf(subtreesOf(0, size).map(this.read))
  }

  readonly read: ReadSubtree = ({ level, index }) => {
    const count = 2 ** (level % TILE_HEIGHT)
    const hashes =
      level < TILE_HEIGHT
        ? this.#readLeaves(index * count, (index + 1) * count).map(leafHash)
        : this.#tiles[Math.floor(level / TILE_HEIGHT) - 1]?.slice(index * count, (index + 1) * count)
    if (hashes?.length !== count) throw new RangeError("the log does not have this subtree")
    return rootOfComplete(hashes)
  }

  readonly #keep = (level: number, _index: number, hash: Uint8Array): void => {
    if (level === 0 || level % TILE_HEIGHT !== 0) return
    const tiles = (this.#tiles[level / TILE_HEIGHT - 1] ??= [])
    // A copy: the hash may be a view of a larger buffer.
    tiles.push(Uint8Array.from(hash))
  }
}

/** Root of 2^n neighbouring hashes. */
export function rootOfComplete(hashes: readonly Uint8Array[]): Uint8Array {
  let row = hashes
  while (row.length > 1)
    row = Array.from({ length: row.length / 2 }, (_, at) => nodeHash(row[2 * at]!, row[2 * at + 1]!))
  const [root] = row
  if (root === undefined) throw new RangeError("a subtree has leaves")
  return root
}
