import fc from "fast-check"
import t from "tap"
import { HASH_BYTES, leafHash, type Subtree } from "../../../../signer/core/log/merkle.ts"
import {
  newTiles,
  readEntries,
  readTilePath,
  type Tile,
  tileOf,
  tilePath,
  tileReader,
  writeEntries,
} from "../../../../signer/core/log/tiles.ts"
import { leavesOf, treeOf } from "./tree.ts"

t.test("paths are those of C2SP tlog-tiles", async (t) => {
  const paths: [Tile, string][] = [
    [{ level: 0, index: 1234067, width: 256 }, "tile/0/x001/x234/067"],
    [{ level: 63, index: 0, width: 1 }, "tile/63/000.p/1"],
    [{ level: "entries", index: 999, width: 255 }, "tile/entries/999.p/255"],
    [{ level: 1, index: 1000, width: 256 }, "tile/1/x001/000"],
  ]
  for (const [tile, path] of paths) {
    t.equal(tilePath(tile), path)
    t.strictSame(readTilePath(path), tile)
  }
  const refused = [
    "64/000",
    "00/000",
    "0/0",
    "0/x000/001",
    "0/000.p/0",
    "0/000.p/256",
    "0/000.p/01",
    "0/x001",
  ]
  const others = ["tile/0/000/", "/tile/0/000", "tile/data/000", "tile/0/x009/x007/x199/x254/x740/992"]
  for (const path of [...refused.map((rest) => `tile/${rest}`), ...others])
    t.equal(readTilePath(path), undefined, path)
})

t.test("a tree of 70,000 leaves has the tiles that C2SP tlog-tiles counts", async (t) => {
  const tiles = newTiles(0, 70_000)
  const count = (level: number, isFull: boolean) =>
    tiles.filter((tile) => tile.level === level && (tile.width === 256) === isFull).map(({ width }) => width)
  t.equal(count(0, true).length, 273)
  t.strictSame(count(0, false), [112])
  t.equal(count(1, true).length, 1)
  t.strictSame(count(1, false), [17])
  t.strictSame(count(2, false), [1])
  t.equal(tiles.length, 277)
})

t.test("the new tiles of a growing tree are those that changed", async (t) => {
  const sizes = fc.tuple(fc.nat(70_000), fc.nat(2000))
  fc.assert(
    fc.property(sizes, ([old, more]) => {
      const known = new Set(newTiles(0, old).map(tilePath))
      const wanted = newTiles(0, old + more).map(tilePath)
      const found = newTiles(old, old + more).map(tilePath)
      return wanted.filter((path) => !known.has(path)).join() === found.join()
    }),
    { numRuns: 200 },
  )
  t.strictSame(newTiles(0, 0), [])
})

t.test("hashes of subtrees come from tiles alone", async (t) => {
  const size = 66_000
  const tree = treeOf(leavesOf(size))
  const tiles = new Map(newTiles(0, size).map((tile) => [tilePath(tile), bytesOf(tile, tree.read)]))
  const read = tileReader(size, (tile) => tiles.get(tilePath(tile))!)
  for (let level = 0; 2 ** level <= size; level++)
    for (const index of [0, 1, 5, Math.floor(size / 2 ** level) - 1])
      if ((index + 1) * 2 ** level <= size)
        t.strictSame(Buffer.from(read({ level, index })), tree.read({ level, index }), `${level}/${index}`)
  const last = tileOf({ level: 0, index: size - 1 }, size)
  t.strictSame(last, { level: 0, index: 257, width: size % 256 })
  t.throws(() => read({ level: 0, index: size }), RangeError, "a subtree beyond the tree")
  const short = tileReader(size, () => new Uint8Array(HASH_BYTES))
  t.throws(() => short({ level: 0, index: 1 }), RangeError, "a tile that was cut")
})

t.test("entries are read as they were written, and a bundle that was cut or continued is none", async (t) => {
  const entries = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 })
  fc.assert(
    fc.property(entries, (list) => {
      const bundle = writeEntries(list)
      const read = readEntries(bundle, list.length)
      if (read?.length !== list.length) return false
      if (!read.every((entry, at) => Buffer.compare(entry, list[at]!) === 0)) return false
      const longer = Buffer.concat([bundle, Buffer.from([0])])
      const shorter = bundle.subarray(0, -1)
      return (
        readEntries(longer, list.length) === undefined &&
        (list.length === 0 || readEntries(shorter, list.length) === undefined)
      )
    }),
  )
  t.throws(() => writeEntries([new Uint8Array(65_536)]), RangeError)
  t.equal(readEntries(writeEntries([leafHash(Buffer.from("a"))]), 2), undefined)
})

function bytesOf({ level, index, width }: Tile, read: (subtree: Subtree) => Uint8Array): Buffer {
  const at = (i: number) => read({ level: 8 * Number(level), index: index * 256 + i })
  return Buffer.concat(Array.from({ length: width }, (_, i) => at(i)))
}
