import { readCheckpoint } from "../../../signer/core/log/checkpoint.ts"
import { LEAF_BYTES } from "../../../signer/core/log/leaf.ts"
import { type Subtree, TILE_WIDTH } from "../../../signer/core/log/merkle.ts"
import { readNote } from "../../../signer/core/log/note.ts"
import { consistencyParts, hashesOf, inclusionParts } from "../../../signer/core/log/proofs.ts"
import { readEntries, type Tile, tileOf, tilePath, tileReader } from "../../../signer/core/log/tiles.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import type { ServedHead, ServedLog } from "./served-log.ts"

/** A leaf with its audit path. */
export type LeafProof = { index: number; leaf: Uint8Array; path: Uint8Array[] }

/** Tiles that are read at a time. */
const READ_AT_ONCE = 8

/**
 * Makes proofs of the tiles of the signer's log. Nothing here is trusted: who is shown a proof computes the root of a signed checkpoint
 * from it.
 */
export class LogReader {
  readonly #served: Pick<ServedLog, "head" | "tile">

  constructor(served: Pick<ServedLog, "head" | "tile">) {
    this.#served = served
  }

  /** With the size of the checkpoint that is served: one that witnesses cosigned may be smaller. @throws ApiError 503: there is none yet */
  async head(): Promise<ServedHead> {
    const head = (await this.#served.head()) ?? unavailable("the signer's log has no checkpoint yet")
    const text = readNote(head.checkpoint)?.text ?? ""
    return { ...head, size: readCheckpoint(text)?.size ?? head.size }
  }

  /** Proofs of leaves in the tree of `size` leaves, which the head covers. */
  async proofs(indexes: readonly number[], size: number, { origin }: ServedHead): Promise<LeafProof[]> {
    const parts = indexes.map((index) => inclusionParts(index, size))
    const read = await this.#reader(parts.flat(2), size, origin)
    const bundles = await this.#tiles(
      indexes.map((index) => bundleOf(index, size)),
      origin,
    )
    return indexes.map((index, at) => {
      const bundle = bundleOf(index, size)
      const entries = readEntries(bundles.get(tilePath(bundle)) ?? NOTHING, bundle.width)
      const leaf = entries?.[index % TILE_WIDTH]
      if (leaf?.length !== LEAF_BYTES) throw new Error("a bundle of the log lacks one of its leaves")
      return { index, leaf, path: hashesOf(parts[at] ?? [], read) }
    })
  }

  /** The proof that the first `oldSize` leaves of the tree are the earlier tree. */
  async consistency(oldSize: number, size: number, { origin }: ServedHead): Promise<Uint8Array[]> {
    const parts = consistencyParts(oldSize, size)
    return hashesOf(parts, await this.#reader(parts.flat(), size, origin))
  }

  async #reader(subtrees: readonly Subtree[], size: number, origin: string) {
    const tiles = await this.#tiles(
      subtrees.map((subtree) => tileOf(subtree, size)),
      origin,
    )
    return tileReader(size, (tile) => tiles.get(tilePath(tile)) ?? NOTHING)
  }

  /** Tiles by their paths. @throws ApiError 503: an operator began another log meanwhile */
  async #tiles(tiles: readonly Tile[], origin: string): Promise<Map<string, Uint8Array>> {
    const wanted = [...new Map(tiles.map((tile) => [tilePath(tile), tile]))]
    const found = new Map<string, Uint8Array>()
    for (let at = 0; at < wanted.length; at += READ_AT_ONCE)
      await Promise.all(
        wanted.slice(at, at + READ_AT_ONCE).map(async ([path, tile]) => {
          const bytes = await this.#served.tile(origin, tile)
          found.set(path, bytes ?? unavailable("the signer's log has another head than a moment ago"))
        }),
      )
    return found
  }
}

const NOTHING = new Uint8Array(0)

function bundleOf(index: number, size: number): Tile {
  const tile = Math.floor(index / TILE_WIDTH)
  return { level: "entries", index: tile, width: Math.min(TILE_WIDTH, size - tile * TILE_WIDTH) }
}

function unavailable(why: string): never {
  throw new ApiError(GrpcCode.unavailable, `${why}; try again in a second`)
}
