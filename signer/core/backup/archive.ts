// An archive: parts and a manifest, one after the other in any order, in one file or in several.
import { createHash, type Hash, type KeyObject } from "node:crypto"
import type { BackupPartHeader, BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import type { Pins } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { BackupFault, edited, torn } from "./fault.ts"
import { MANIFEST_MARK, MAX_MANIFEST_BYTES, type VerifiedManifest, verifyManifest } from "./manifest.ts"
import {
  CHUNK_BYTES,
  chunkCipher,
  MAX_HEADER_BYTES,
  openKey,
  PART_MARK,
  partName,
  readPartHeader,
  TAG_BYTES,
} from "./part.ts"
import { skip } from "./tar.ts"

/** A file of an archive, which is read from its beginning each time. */
export type ArchiveFile = { readonly name: string; readonly read: () => AsyncIterable<Uint8Array> }

/** A part whose bytes are those that the manifest names. */
export type FoundPart = {
  readonly header: BackupPartHeader
  readonly digest: Buffer
  readonly size: number
  readonly file: ArchiveFile
}

/** An archive whose signature, digests and completeness were verified. Nothing was decrypted. */
export type VerifiedArchive = VerifiedManifest & { readonly parts: ReadonlyMap<BackupPartKind, FoundPart> }

/** `trusted`: pins to compare with. `needs`: the one part that must be there; undefined: all that the manifest names. */
export type VerifyOptions = {
  readonly trusted?: Pins | undefined
  readonly needs?: BackupPartKind | undefined
}

/** Reads all bytes of an archive once. @throws {BackupFault} */
export async function verifyArchive(
  files: readonly ArchiveFile[],
  { trusted, needs }: VerifyOptions = {},
): Promise<VerifiedArchive> {
  const manifests: Buffer[] = []
  const found: FoundPart[] = []
  for (const file of files)
    for await (const section of sectionsOf(file)) {
      if (section.is === "manifest") manifests.push(section.bytes)
      else found.push({ header: section.header, file, ...(await section.finish()) })
    }
  const [bytes] = manifests
  if (bytes === undefined)
    throw new BackupFault(
      "BACKUP_INCOMPLETE",
      "there is no manifest. Give the file that countersign-signer backup create wrote, too",
    )
  if (manifests.some((other) => !other.equals(bytes)))
    throw new BackupFault("BACKUP_MIXED", "there are two manifests. Give the files of one backup")
  const verified = verifyManifest(bytes, trusted)
  return { ...verified, parts: matchParts(verified, found, needs) }
}

/** Parts of other hosts, before there is a manifest. Their bytes are digested, and nothing is decrypted. @throws {BackupFault} */
export async function readOtherParts(files: readonly ArchiveFile[]): Promise<FoundPart[]> {
  const found: FoundPart[] = []
  for (const file of files) {
    for await (const section of sectionsOf(file)) {
      if (section.is === "manifest")
        throw new BackupFault("BACKUP_MIXED", `${file.name} is a whole archive. Give files of parts`)
      found.push({ header: section.header, file, ...(await section.finish()) })
    }
  }
  return found
}

function matchParts(
  { manifest }: VerifiedManifest,
  found: readonly FoundPart[],
  needs: BackupPartKind | undefined,
): Map<BackupPartKind, FoundPart> {
  const parts = new Map<BackupPartKind, FoundPart>()
  for (const part of found) {
    const { kind, backupId } = part.header
    const name = `the ${partName(kind)} part in ${part.file.name}`
    if (parts.has(kind)) throw new BackupFault("BACKUP_MIXED", `${name} is there twice. Give each part once`)
    const stated = manifest.parts.find((one) => one.kind === kind)
    if (backupId !== manifest.backupId)
      throw new BackupFault(
        "BACKUP_MIXED",
        `${name} is of backup ${backupId}, and the manifest of ${manifest.backupId}. Give the files of one backup`,
      )
    if (stated === undefined)
      throw new BackupFault("BACKUP_FOREIGN", `${name} is not in the manifest. Leave it out`)
    if (!part.digest.equals(stated.digest)) throw edited(`${name} is not as the manifest names it`)
    parts.set(kind, part)
  }
  const missing = manifest.parts
    .map(({ kind }) => kind)
    .filter((kind) => !parts.has(kind) && (needs === undefined || needs === kind))
  if (needs !== undefined && !manifest.parts.some(({ kind }) => kind === needs)) missing.push(needs)
  if (missing.length > 0)
    throw new BackupFault(
      "BACKUP_INCOMPLETE",
      `missing: ${missing.map((kind) => `the ${partName(kind)} part`).join(", ")}. Give the files that have them, too`,
    )
  return parts
}

/**
 * The content of a part that `verifyArchive` found. The bytes are digested again: at its end they are those of the manifest, or the
 * content must not be used.
 * @throws {BackupFault} BACKUP_KEY_WRONG, BACKUP_EDITED, BACKUP_TORN
 */
export async function* openPart(part: FoundPart, privateKey: KeyObject): AsyncGenerator<Uint8Array> {
  for await (const section of sectionsOf(part.file)) {
    if (section.is === "manifest" || section.header.kind !== part.header.kind) continue
    const key = openKey(section.header, privateKey)
    try {
      const cipher = key.use((bytes) => chunkCipher(Buffer.from(bytes), section.head))
      let number = 0
      for await (const { isLast, sealed } of section.chunks()) {
        const content = cipher.open(number, isLast, sealed)
        if (content === undefined)
          throw edited(`chunk ${number} of the ${partName(part.header.kind)} part is not as it was written`)
        yield content
        number += 1
      }
    } finally {
      key.wipe()
    }
    const { digest } = await section.finish()
    if (!digest.equals(part.digest))
      throw edited(`the ${partName(part.header.kind)} part changed while it was read`)
    return
  }
  throw torn(`${part.file.name} changed while it was read`)
}

type Chunk = { readonly isLast: boolean; readonly sealed: Buffer }
type Section =
  | { readonly is: "manifest"; readonly bytes: Buffer }
  | {
      readonly is: "part"
      readonly header: BackupPartHeader
      readonly head: Buffer
      chunks(): AsyncGenerator<Chunk>
      /** Reads what is left. */
      finish(): Promise<{ digest: Buffer; size: number }>
    }

/** The sections of a file. The next one begins once the one before was finished. */
async function* sectionsOf(file: ArchiveFile): AsyncGenerator<Section> {
  const reader = new Reader(file)
  if (await reader.isAtEnd()) throw torn(`${file.name} is empty`)
  while (!(await reader.isAtEnd())) {
    const line = await reader.line()
    if (MANIFEST_MARK.equals(line)) {
      const bytes = await reader.field(MAX_MANIFEST_BYTES)
      yield { is: "manifest", bytes }
    } else if (PART_MARK.equals(line)) {
      const section = await partAt(reader, line)
      yield section
      await section.finish()
    } else throw unknownMark(line, file.name)
  }
}

async function partAt(reader: Reader, mark: Buffer): Promise<Section & { is: "part" }> {
  const hash = createHash("sha256")
  reader.digest(hash, mark)
  const headerBytes = await reader.field(MAX_HEADER_BYTES)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(headerBytes.length)
  const head = Buffer.concat([mark, length, headerBytes])
  let isFinished = false
  let result: { digest: Buffer; size: number } | undefined
  async function* chunks(): AsyncGenerator<Chunk> {
    while (!isFinished) {
      const [last = 0] = await reader.take(1)
      const size = (await reader.take(4)).readUInt32BE()
      if (last > 1 || size < TAG_BYTES || size > CHUNK_BYTES + TAG_BYTES)
        throw edited(`${reader.name}: a chunk has a length that no release writes`)
      const sealed = await reader.take(size)
      isFinished = last === 1
      if (isFinished) result = reader.endDigest()
      yield { isLast: isFinished, sealed }
    }
  }
  const finish = async () => {
    await skip(chunks())
    return result!
  }
  return { is: "part", header: readPartHeader(headerBytes), head, chunks, finish }
}

function unknownMark(line: Buffer, file: string): BackupFault {
  const text = line.toString("latin1")
  if (/^countersign-backup-[a-z]+\/\d+\n$/.test(text))
    return new BackupFault(
      "BACKUP_FORMAT_UNKNOWN",
      `${file} has a section ${text.trim()}, of a later release. Use that release`,
    )
  return edited(`${file} is no backup, or bytes of it were added or changed`)
}

const MAX_LINE = 64

/** Takes bytes of a file by their number, and digests those of a part. */
class Reader {
  readonly name: string
  readonly #iterator: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)
  #hash: Hash | undefined
  #hashed = 0

  constructor({ name, read }: ArchiveFile) {
    this.name = name
    this.#iterator = read()[Symbol.asyncIterator]()
  }

  digest(hash: Hash, before: Buffer): void {
    this.#hash = hash.update(before)
    this.#hashed = before.length
  }

  endDigest(): { digest: Buffer; size: number } {
    const result = { digest: this.#hash?.digest() ?? Buffer.alloc(0), size: this.#hashed }
    this.#hash = undefined
    return result
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#next())
  }

  async take(length: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for (let left = length; left > 0; ) {
      if (await this.isAtEnd()) throw torn(`${this.name} ends within a section`)
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      pieces.push(piece)
    }
    const bytes = Buffer.concat(pieces, length)
    this.#hash?.update(bytes)
    this.#hashed += length
    return bytes
  }

  /** The bytes up to and with the next line feed; at most 64. */
  async line(): Promise<Buffer> {
    const bytes: number[] = []
    while (bytes.length < MAX_LINE && bytes.at(-1) !== 0x0a) {
      if (await this.isAtEnd()) throw torn(`${this.name} ends within a section`)
      bytes.push(...(await this.take(1)))
    }
    return Buffer.from(bytes)
  }

  /** length(4) || bytes. */
  async field(max: number): Promise<Buffer> {
    const length = (await this.take(4)).readUInt32BE()
    if (length > max) throw edited(`${this.name}: a header has a length that no release writes`)
    return this.take(length)
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
