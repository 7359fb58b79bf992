import type { ReadSubtree } from "./compact-range.ts"
import { HASH_BYTES, nodeHash, type Subtree, TILE_HEIGHT, TILE_WIDTH } from "./merkle.ts"

// Tiles of a log as static resources (C2SP tlog-tiles).

/** A tile of hashes. Hash `i` is that of the complete subtree at level `8 * level` and index `256 * index + i`. */
export type Tile = { readonly level: number | "entries"; readonly index: number; readonly width: number }

/** Path below the log's prefix: `tile/<level>/<index>`, with `.p/<width>` for a partial tile. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/\d{3}/g) ?? []
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join("/")
  return `tile/${level}/${path}${width === TILE_WIDTH ? "" : `.p/${width}`}`
}

/** The tile of a path in its one spelling; undefined: it is none. */
export function readTilePath(path: string): Tile | undefined {
  const [, level = "", groups = "", width = "256"] = PATH.exec(path) ?? []
  if (level === "") return undefined
  const tile = {
    level: level === "entries" ? level : Number(level),
    index: Number(groups.replaceAll(/[x/]/g, "")),
    width: Number(width),
  } as const
  const isInRange = Number.isSafeInteger(tile.index) && tile.width >= 1 && tile.width <= TILE_WIDTH
  return isInRange && tilePath(tile) === path ? tile : undefined
}

const PATH = /^tile\/(entries|[0-9]|[1-5][0-9]|6[0-3])\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/(\d{1,3}))?$/

/** The tiles of hashes that the tree of `size` leaves has and that of `oldSize` leaves has not, lower levels first. */
export function newTiles(oldSize: number, size: number): Tile[] {
  const tiles: Tile[] = []
  for (let level = 0, old = oldSize, hashes = size; hashes > 0; level++) {
    for (let index = Math.floor(old / TILE_WIDTH); index * TILE_WIDTH < hashes; index++) {
      const width = Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH)
      if (hashes > old) tiles.push({ level, index, width })
    }
    old = Math.floor(old / TILE_WIDTH)
    hashes = Math.floor(hashes / TILE_WIDTH)
  }
  return tiles
}

/** The widest tile with the hash of a subtree, in a tree of `size` leaves. */
export function tileOf({ level, index }: Subtree, size: number): Tile & { readonly level: number } {
  const tileLevel = Math.floor(level / TILE_HEIGHT)
  const at = index * 2 ** (level % TILE_HEIGHT)
  const tileIndex = Math.floor(at / TILE_WIDTH)
  const hashes = Math.floor(size / TILE_WIDTH ** tileLevel)
  return { level: tileLevel, index: tileIndex, width: Math.min(TILE_WIDTH, hashes - tileIndex * TILE_WIDTH) }
}

/** Computes hashes of subtrees of the tree of `size` leaves from its tiles. @throws {RangeError} for a tile that is too short */
export function tileReader(size: number, readTile: (tile: Tile) => Uint8Array): ReadSubtree {
  return (subtree) => {
    const tile = tileOf(subtree, size)
    const count = 2 ** (subtree.level % TILE_HEIGHT)
    const first = subtree.index * count - tile.index * TILE_WIDTH
    const bytes = readTile(tile)
    if (first + count > tile.width || bytes.length < (first + count) * HASH_BYTES)
      throw new RangeError("the tile does not have this subtree")
    return rootOfHashes(bytes.subarray(first * HASH_BYTES, (first + count) * HASH_BYTES))
  }
}

/** Root of 2^n neighbouring hashes. */
function rootOfHashes(bytes: Uint8Array): Uint8Array {
  if (bytes.length === HASH_BYTES) return Uint8Array.from(bytes)
  const middle = bytes.length / 2
  return nodeHash(rootOfHashes(bytes.subarray(0, middle)), rootOfHashes(bytes.subarray(middle)))
}

const MAX_ENTRY_BYTES = 0xffff

/** A bundle of entries: for each `length(2, BE) || entry`. */
export function writeEntries(entries: readonly Uint8Array[]): Uint8Array {
  const parts = entries.map((entry) => {
    if (entry.length > MAX_ENTRY_BYTES) throw new RangeError("an entry is longer than its prefix can say")
    const length = Buffer.alloc(2)
    length.writeUInt16BE(entry.length)
    return Buffer.concat([length, entry])
  })
  return Buffer.concat(parts)
}

/** The entries of a bundle of `width` entries; undefined: it is none. */
export function readEntries(bundle: Uint8Array, width: number): Uint8Array[] | undefined {
  const view = new DataView(bundle.buffer, bundle.byteOffset, bundle.byteLength)
  const entries: Uint8Array[] = []
  let at = 0
  while (entries.length < width && at + 2 <= bundle.length) {
    const end = at + 2 + view.getUint16(at)
    if (end > bundle.length) return undefined
    entries.push(bundle.subarray(at + 2, end))
    at = end
  }
  return entries.length === width && at === bundle.length ? entries : undefined
}
