import {
  closeSync,
  existsSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { crc32 } from "node:zlib"
import { LEAF_BYTES } from "../../core/log/leaf.ts"
import { syncDirectory } from "../ledger/files.ts"

/** A leaf and its CRC-32(4, BE): an incomplete write of a crash is recognised by it. */
export const RECORD_BYTES = LEAF_BYTES + 4

/** Leaves in one file: those of 256 full bundles. */
export const SEGMENT_LEAVES = 65_536

const syncFile = promisify(fsync)

/** The files with the leaves: `leaves-00000000` and so on, 65,536 records each. Only the last one is written. */
export class Segments {
  readonly #directory: string
  readonly #open = new Map<number, number>()
  /** Segments that were written since the last sync. */
  readonly #unsynced = new Set<number>()
  #size: number

  constructor(directory: string) {
    this.#directory = directory
    this.#size = this.#recordsOnDisk()
  }

  /** Leaves in the files. After a crash the last ones may not be whole. */
  get size(): number {
    return this.#size
  }

  /** Appends whole records. After a fault `size` tells how many of them are in the files. */
  append(records: Uint8Array): void {
    let at = 0
    while (at < records.length) {
      const index = this.#size
      const room = (SEGMENT_LEAVES - (index % SEGMENT_LEAVES)) * RECORD_BYTES
      const part = records.subarray(at, at + room)
      const segment = Math.floor(index / SEGMENT_LEAVES)
      this.#write(segment, part, (index % SEGMENT_LEAVES) * RECORD_BYTES)
      this.#size += part.length / RECORD_BYTES
      at += part.length
    }
  }

  #write(segment: number, part: Uint8Array, position: number): void {
    const descriptor = this.#descriptor(segment)
    this.#unsynced.add(segment)
    for (let at = 0; at < part.length; )
      at += writeSync(descriptor, part, at, part.length - at, position + at)
  }

  /** Makes what was appended before durable, without blocking. */
  async sync(): Promise<void> {
    const segments = [...this.#unsynced]
    this.#unsynced.clear()
    for (const segment of segments) await syncFile(this.#descriptor(segment))
    const last = Math.floor(this.#size / SEGMENT_LEAVES)
    for (const [segment, descriptor] of this.#open)
      if (segment < last && !this.#unsynced.has(segment)) this.#close(segment, descriptor)
  }

  syncNow(): void {
    for (const segment of this.#unsynced) fsyncSync(this.#descriptor(segment))
    this.#unsynced.clear()
  }

  /** The leaves `from` to `to - 1`, of which the first ones that are whole. */
  read(from: number, to: number): Buffer[] {
    const leaves: Buffer[] = []
    for (let at = from; at < to; ) {
      const end = Math.min(to, (Math.floor(at / SEGMENT_LEAVES) + 1) * SEGMENT_LEAVES)
      const records = this.#readRecords(at, end - at)
      for (let start = 0; start + RECORD_BYTES <= records.length; start += RECORD_BYTES) {
        const leaf = records.subarray(start, start + LEAF_BYTES)
        if (records.readUInt32BE(start + LEAF_BYTES) !== crc32(leaf)) return leaves
        leaves.push(leaf)
      }
      if (records.length < (end - at) * RECORD_BYTES) return leaves
      at = end
    }
    return leaves
  }

  /** Drops what follows the first `size` leaves, which no checkpoint covers. */
  cut(size: number): void {
    const segment = Math.floor(size / SEGMENT_LEAVES)
    for (let later = segment; existsSync(this.#path(later)); later++) {
      ftruncateSync(this.#descriptor(later), later === segment ? (size % SEGMENT_LEAVES) * RECORD_BYTES : 0)
      this.#unsynced.add(later)
    }
    this.#size = size
  }

  close(): void {
    for (const [segment, descriptor] of this.#open) this.#close(segment, descriptor)
  }

  #readRecords(index: number, count: number): Buffer {
    const descriptor = this.#descriptor(Math.floor(index / SEGMENT_LEAVES))
    const bytes = Buffer.allocUnsafe(count * RECORD_BYTES)
    const position = (index % SEGMENT_LEAVES) * RECORD_BYTES
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, position + length)
    return bytes.subarray(0, length)
  }

  #recordsOnDisk(): number {
    for (let segment = 0; ; segment++) {
      const size = statSync(this.#path(segment), { throwIfNoEntry: false })?.size ?? 0
      const records = Math.floor(size / RECORD_BYTES)
      if (records < SEGMENT_LEAVES) return segment * SEGMENT_LEAVES + records
    }
  }

  #descriptor(segment: number): number {
    const known = this.#open.get(segment)
    if (known !== undefined) return known
    const file = this.#path(segment)
    const isNew = !existsSync(file)
    const descriptor = openSync(file, isNew ? "wx+" : "r+", 0o600)
    if (isNew) syncDirectory(this.#directory)
    this.#open.set(segment, descriptor)
    return descriptor
  }

  #close(segment: number, descriptor: number): void {
    this.#open.delete(segment)
    closeSync(descriptor)
  }

  #path(segment: number): string {
    return segmentFile(this.#directory, segment)
  }
}

/** The file of a segment. */
export function segmentFile(directory: string, segment: number): string {
  return join(directory, `leaves-${String(segment).padStart(8, "0")}`)
}
