import { fromBinary } from "@bufbuild/protobuf"
import { LogKeyStatementSchema } from "../../../proto/gen/countersign/state/v1/log_pb.ts"
import { readCheckpoint } from "../../../signer/core/log/checkpoint.ts"
import { LEAF_BYTES } from "../../../signer/core/log/leaf.ts"
import { leafHash, TILE_WIDTH } from "../../../signer/core/log/merkle.ts"
import { readNote } from "../../../signer/core/log/note.ts"
import { ED25519, noteKey, writeNoteKey } from "../../../signer/core/log/note-key.ts"
import { type Tile, tilePath, writeEntries } from "../../../signer/core/log/tiles.ts"
import { RecentlyUsed } from "../../../signer/core/recently-used.ts"
import type { Signer } from "./signer.ts"

/** A checkpoint is read again after this time: the signer signs one each second. */
const CHECKPOINT_MS = 1_000

/** Memory of full tiles and bundles, bytes: they never change, and readers of a whole log come in crowds. */
const CACHE_BYTES = 16 * 1024 * 1024

/** The log as its readers get it: its checkpoint is not verified here, and need not be. */
export type ServedHead = {
  readonly origin: string
  readonly size: number
  /** The latest checkpoint that enough witnesses cosigned; where none is asked, the latest one. */
  readonly checkpoint: Uint8Array
  /** The log's key as verifiers of notes read it. */
  readonly key: string
  /** Serialized LogKeyStatement, and the notarizer's signature of it. */
  readonly keyStatement: Uint8Array
  readonly keySignature: Uint8Array
}

/** The log behind the signer's calls: its head, read at most once a second, and its tiles, of which full ones are kept. */
export class ServedLog {
  readonly #signer: Pick<Signer, "readLog" | "readLogTile">
  readonly #nowMs: () => number
  #tiles = new RecentlyUsed<string, Uint8Array>(CACHE_BYTES)
  #largest = 0
  #head: { read: Promise<ServedHead | undefined>; atMs: number } | undefined

  /** @param nowMs monotonic */
  constructor(signer: Pick<Signer, "readLog" | "readLogTile">, nowMs = () => performance.now()) {
    this.#signer = signer
    this.#nowMs = nowMs
  }

  /** The latest head; undefined: the signer signed none yet. @throws ApiError 503, and refusals of the signer */
  head(): Promise<ServedHead | undefined> {
    const isRecent = this.#head !== undefined && this.#nowMs() - this.#head.atMs < CHECKPOINT_MS
    return isRecent ? this.#head!.read : this.#readHead()
  }

  /** Callers at one time share one call. A failed one is not kept. */
  #readHead(): Promise<ServedHead | undefined> {
    const read = this.#signer.readLog(0, 0).then((reply) => this.#note(headOf(reply)))
    const entry = { read, atMs: this.#nowMs() }
    this.#head = entry
    read.catch(() => {
      if (this.#head === entry) this.#head = undefined
    })
    return read
  }

  /** A log that is shorter than before is an older copy, or another one: its tiles may differ from those that are kept. */
  #note(head: ServedHead | undefined): ServedHead | undefined {
    if (head !== undefined && head.size < this.#largest) this.#tiles = new RecentlyUsed(CACHE_BYTES)
    this.#largest = head?.size ?? 0
    return head
  }

  /**
   * The bytes of a tile or a bundle of the log with this origin; undefined: no checkpoint covers it. A reader's checkpoint may be newer
   * than the head known here: another process answered it.
   */
  async tile(origin: string, tile: Tile): Promise<Uint8Array | undefined> {
    const name = `${origin} ${tilePath(tile)}`
    const known = this.#tiles.get(name)
    if (known !== undefined) return known
    const covers = (head: ServedHead | undefined) => head?.origin === origin && isCovered(tile, head.size)
    if (!covers(await this.head()) && !covers(await this.#readHead())) return undefined
    const bytes = await this.#read(tile)
    // An operator may have begun another log meanwhile.
    if (!covers(await this.#readHead())) return undefined
    if (tile.width === TILE_WIDTH) this.#tiles.set(name, bytes, bytes.length)
    return bytes
  }

  /** Hashes of leaves are computed here: the signer reads the leaves once for both. */
  async #read({ level, index, width }: Tile): Promise<Uint8Array> {
    if (level !== "entries" && level > 0) return (await this.#signer.readLogTile(level, index, width)).hashes
    const { leaves } = await this.#signer.readLog(index * TILE_WIDTH, width)
    if (leaves.length !== width * LEAF_BYTES) throw new Error("the signer's log does not have these leaves")
    const each = Array.from({ length: width }, (_, at) =>
      leaves.subarray(at * LEAF_BYTES, (at + 1) * LEAF_BYTES),
    )
    return level === "entries" ? writeEntries(each) : Buffer.concat(each.map(leafHash))
  }
}

/** True if the tree of `size` leaves has all hashes of the tile. */
function isCovered({ level, index, width }: Tile, size: number): boolean {
  const hashes = level === "entries" ? size : Math.floor(size / TILE_WIDTH ** level)
  return index * TILE_WIDTH + width <= hashes
}

function headOf({
  checkpoint,
  cosigned,
  keyStatement,
  keySignature,
}: Awaited<ReturnType<Signer["readLog"]>>): ServedHead | undefined {
  const text = readNote(checkpoint)?.text
  const read = text === undefined ? undefined : readCheckpoint(text)
  if (read === undefined) return undefined
  const { publicKey } = fromBinary(LogKeyStatementSchema, keyStatement)
  const key = writeNoteKey(noteKey(read.origin, ED25519, publicKey))
  const served = cosigned.length > 0 ? cosigned : checkpoint
  return { origin: read.origin, size: read.size, checkpoint: served, key, keyStatement, keySignature }
}
