// The content of a part: files in a POSIX ustar archive (IEEE Std 1003.1-2024, pax), which every tar reads. Names are short and plain.
import { edited } from "./fault.ts"

/** A file of a part. Its content has exactly `size` bytes. */
export type PartFile = {
  readonly name: string
  readonly size: number
  readonly content: AsyncIterable<Uint8Array>
}

const BLOCK = 512
/** Number of bytes that eleven octal digits write. */
const OCTAL_MAX = 8 ** 11 - 1
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/
const MAX_NAME = 100
/** Sixteen zero bytes of a block's last field and more: two blocks of zeros end the archive. */
const END = Buffer.alloc(2 * BLOCK)

/** True for names that a part may have: relative, without `..`, at most 100 bytes. */
export function isPartName(name: string): boolean {
  return name.length <= MAX_NAME && NAME.test(name)
}

/** The archive's bytes. @throws {Error} for a name that no part may have, and for content of another size */
export async function* writeTar(files: AsyncIterable<PartFile>): AsyncGenerator<Uint8Array> {
  for await (const { name, size, content } of files) {
    if (!isPartName(name)) throw new Error(`${name} is no name of a file of a backup`)
    yield headerOf(name, size)
    let written = 0
    for await (const bytes of content) {
      written += bytes.length
      if (written > size) break
      yield bytes
    }
    if (written !== size) throw new Error(`${name} changed while it was copied`)
    yield Buffer.alloc(paddingOf(size))
  }
  yield END
}

const paddingOf = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0, MAX_NAME, "latin1")
  header.write("0000600\0", 100)
  header.write("0000000\0", 108)
  header.write("0000000\0", 116)
  header.set(sizeField(size), 124)
  header.write("00000000000\0", 136)
  header.write("        ", 148) // the checksum is of spaces in its own place
  header.write("0", 156)
  header.write("ustar\u000000", 257, "latin1")
  header.write(`${checksumOf(header).toString(8).padStart(6, "0")}\0 `, 148)
  return header
}

/** Eleven octal digits; of larger files the number in base 256, as GNU and BSD write and read it. */
function sizeField(size: number): Buffer {
  if (size <= OCTAL_MAX) return Buffer.from(`${size.toString(8).padStart(11, "0")}\0`)
  const field = Buffer.alloc(12)
  field[0] = 0x80
  field.writeBigUInt64BE(BigInt(size), 4)
  return field
}

function checksumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0)
}

/**
 * The files of an archive in this writer's form, one after the other: the content of one is read before the next is asked for.
 * @throws {BackupFault} BACKUP_EDITED for any other bytes
 */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<PartFile> {
  const source = new Source(bytes)
  const seen = new Set<string>()
  for (;;) {
    const header = await source.take(BLOCK)
    if (header.every((byte) => byte === 0)) {
      const rest = await source.take(BLOCK)
      if (!rest.every((byte) => byte === 0) || !(await source.isAtEnd())) throw notOurs()
      return
    }
    const { name, size } = readHeader(header)
    if (seen.has(name)) throw notOurs()
    seen.add(name)
    const content = source.stream(size)
    yield { name, size, content }
    await skip(content) // what the caller left
    const padding = await source.take(paddingOf(size))
    if (!padding.every((byte) => byte === 0)) throw notOurs()
  }
}

/** Reads a stream to its end. */
export async function skip(stream: AsyncIterable<unknown>): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]()
  while ((await iterator.next()).done !== true);
}

function readHeader(header: Buffer): { name: string; size: number } {
  const end = header.indexOf(0)
  const name = header.toString("latin1", 0, Math.min(end, MAX_NAME))
  const size =
    header[124] === 0x80
      ? Number(header.readBigUInt64BE(128))
      : Number.parseInt(header.toString("latin1", 124, 135), 8)
  // One spelling: the header that this writer makes of name and size.
  if (!isPartName(name) || !Number.isSafeInteger(size) || size < 0 || !headerOf(name, size).equals(header))
    throw notOurs()
  return { name, size }
}

const notOurs = () => edited("the content of a part is no archive that a release writes")

/** Bytes of a stream, taken by their number. */
class Source {
  readonly #iterator: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#iterator = bytes[Symbol.asyncIterator]()
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.stream(length)) parts.push(Buffer.from(part))
    return Buffer.concat(parts, length)
  }

  async *stream(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#next())) throw notOurs()
      const part = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#next())
  }

  async #next(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#iterator.next()
      if (done === true) return false
      if (value.length === 0) continue
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      return true
    }
  }
}
