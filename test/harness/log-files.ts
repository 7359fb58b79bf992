import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { ReadSubtree } from "../../signer/core/log/compact-range.ts"
import { TILE_WIDTH } from "../../signer/core/log/merkle.ts"
import { newTiles, tilePath, writeEntries } from "../../signer/core/log/tiles.ts"

/** Writes a log as static files (C2SP tlog-tiles): its entries and tiles, and files of other names. */
export function writeLogFiles(
  directory: string,
  leaves: readonly Uint8Array[],
  read: ReadSubtree,
  files: Readonly<Record<string, string>>,
): void {
  const write = (name: string, content: Uint8Array | string) => {
    const file = join(directory, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  for (const tile of newTiles(0, leaves.length)) {
    const { level, index, width } = tile
    const at = (i: number) => read({ level: 8 * Number(level), index: index * TILE_WIDTH + i })
    write(tilePath(tile), Buffer.concat(Array.from({ length: width }, (_, i) => at(i))))
    if (level !== 0) continue
    const entries = leaves.slice(index * TILE_WIDTH, index * TILE_WIDTH + width)
    write(tilePath({ level: "entries", index, width }), writeEntries(entries))
  }
  for (const [name, content] of Object.entries(files)) write(name, content)
}
