// The encryption of a part: a key of its own, sealed to each holder, and chunks under it.
import { createCipheriv, createDecipheriv, createHash, type KeyObject } from "node:crypto"
import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import {
  type BackupPartHeader,
  BackupPartHeaderSchema,
  BackupPartKind,
  type BackupRecipient,
} from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { openHpke, sealHpke } from "../crypto/hpke.ts"
import { lengthPrefixed } from "../crypto/length-prefixed.ts"
import { compressP256, p256Point } from "../crypto/p256.ts"
import { type RandomBytes, Secret, wipe } from "../crypto/secret.ts"
import { BackupFault, edited } from "./fault.ts"
import type { HolderKey } from "./keys.ts"

export const PART_MARK = Buffer.from("countersign-backup-part/1\n")
export const MAX_HEADER_BYTES = 64 * 1024
/** Bytes of content in each chunk but the last. */
export const CHUNK_BYTES = 256 * 1024
export const TAG_BYTES = 16

const KEY_INFO = Buffer.from("countersign/v1/backup-key")
const CHUNK_DOMAIN = Buffer.from("countersign/v1/backup-chunk")
const KEY_BYTES = 32
const CIPHER = "aes-256-gcm"

/** A part before it is encrypted. */
export type PartTerms = Pick<BackupPartHeader, "backupId" | "kind" | "madeAtMs" | "release">

/** Chance, which the edge of the process hands in. */
export type PartChance = { readonly random: RandomBytes; readonly ephemeral: () => KeyObject }

/** True for an id of a backup. */
export function isBackupId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}

/**
 * The bytes of a part: mark, header, then chunks that hold the content in pieces of equal size. The key is wiped at the end.
 * @param holders those who can open it
 */
export async function* sealPart(
  terms: PartTerms,
  holders: readonly HolderKey[],
  content: AsyncIterable<Uint8Array>,
  { random, ephemeral }: PartChance,
): AsyncGenerator<Uint8Array> {
  const key = random(KEY_BYTES)
  try {
    const recipients = holders.map((holder) => sealKey(key, holder, terms, ephemeral()))
    const header = toBinary(BackupPartHeaderSchema, create(BackupPartHeaderSchema, { ...terms, recipients }))
    const head = Buffer.concat([PART_MARK, lengthPrefixed(header)])
    yield head
    const sealer = chunkCipher(key, head)
    let number = 0
    for await (const { bytes, isLast } of inChunks(content)) {
      yield frame(sealer.seal(number, isLast, bytes), isLast)
      number += 1
    }
  } finally {
    wipe(key)
  }
}

/** The content in pieces of CHUNK_BYTES. A piece is given once more is known to follow, so that the last one is marked. */
async function* inChunks(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ bytes: Buffer; isLast: boolean }> {
  let pieces: Buffer[] = []
  let length = 0
  for await (const bytes of content) {
    for (let at = 0; at < bytes.length; ) {
      if (length === CHUNK_BYTES) {
        yield { bytes: Buffer.concat(pieces), isLast: false }
        pieces = []
        length = 0
      }
      const piece = Buffer.from(bytes.subarray(at, at + CHUNK_BYTES - length))
      pieces.push(piece)
      length += piece.length
      at += piece.length
    }
  }
  yield { bytes: Buffer.concat(pieces), isLast: true }
}

/** last(1) || length(4, BE) || ciphertext || tag(16). */
function frame(sealed: Buffer, isLast: boolean): Buffer {
  const before = Buffer.from([isLast ? 1 : 0, 0, 0, 0, 0])
  before.writeUInt32BE(sealed.length, 1)
  return Buffer.concat([before, sealed])
}

/** Seals and opens chunks by their numbers. The nonce is the number: the key is that of one part. */
export function chunkCipher(key: Uint8Array, head: Uint8Array) {
  const headDigest = createHash("sha256").update(head).digest()
  const termsOf = (number: number, isLast: boolean) => {
    const nonce = Buffer.alloc(12)
    nonce.writeBigUInt64BE(BigInt(number), 4)
    const place = Buffer.concat([nonce.subarray(4), Buffer.from([isLast ? 1 : 0])])
    return { nonce, aad: lengthPrefixed(CHUNK_DOMAIN, headDigest, place) }
  }
  const authTagLength = TAG_BYTES
  return {
    seal(number: number, isLast: boolean, content: Uint8Array): Buffer {
      const { nonce, aad } = termsOf(number, isLast)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength }).setAAD(aad)
      return Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()])
    },
    /** Undefined: this is not the chunk of this number. */
    open(number: number, isLast: boolean, sealed: Uint8Array): Buffer | undefined {
      const { nonce, aad } = termsOf(number, isLast)
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength })
        .setAAD(aad)
        .setAuthTag(sealed.subarray(-TAG_BYTES))
      const content = decipher.update(sealed.subarray(0, -TAG_BYTES))
      try {
        decipher.final()
        return content
      } catch {
        wipe(content)
        return undefined
      }
    },
  }
}

function sealKey(key: Uint8Array, holder: HolderKey, terms: KeyTerms, ephemeral: KeyObject): BackupRecipient {
  const plaintext = Secret.copyOf(key)
  try {
    const wrappedKey = sealHpke({ ephemeral, recipient: holder.key }, keyContext(terms), plaintext)
    const enc = p256Point(ephemeral)
    return {
      $typeName: "countersign.state.v1.BackupRecipient",
      publicKey: holder.compressed,
      enc,
      wrappedKey,
    }
  } finally {
    plaintext.wipe()
  }
}

type KeyTerms = Pick<PartTerms, "backupId" | "kind">

const keyContext = ({ backupId, kind }: KeyTerms) => ({
  info: KEY_INFO,
  aad: lengthPrefixed(Buffer.from(backupId), Buffer.from([kind])),
})

/** The part's key for this holder, which the caller wipes. @throws {BackupFault} BACKUP_KEY_WRONG */
export function openKey(header: BackupPartHeader, privateKey: KeyObject): Secret {
  const own = Buffer.from(compressP256(p256Point(privateKey)))
  const recipient = header.recipients.find(({ publicKey }) => own.equals(publicKey))
  if (recipient === undefined) {
    const known = header.recipients.map(({ publicKey }) => Buffer.from(publicKey).toString("hex"))
    const sentence = `this key, ${own.toString("hex")}, is of no holder of the part. Use the private key of one of ${known.join(", ")}`
    throw new BackupFault("BACKUP_KEY_WRONG", sentence)
  }
  const { enc, wrappedKey } = recipient
  const key = openHpke({ recipient: privateKey, enc }, keyContext(header), wrappedKey)
  if (key?.length !== KEY_BYTES) throw edited("the key of a part does not open")
  return key
}

/** @throws {BackupFault} BACKUP_EDITED */
export function readPartHeader(bytes: Uint8Array): BackupPartHeader {
  try {
    const header = fromBinary(BackupPartHeaderSchema, bytes)
    if (NAMES.has(header.kind) && isBackupId(header.backupId) && header.recipients.length > 0) return header
  } catch {
    // as any other fault
  }
  throw edited("the header of a part is none that this release reads")
}

const NAMES: ReadonlyMap<BackupPartKind, string> = new Map([
  [BackupPartKind.SIGNER, "signer"],
  [BackupPartKind.DATABASE, "database"],
  [BackupPartKind.FETCHER, "fetcher"],
  [BackupPartKind.AUTH_PROXY, "auth proxy"],
])

/** The part's name in sentences. */
export function partName(kind: BackupPartKind): string {
  return NAMES.get(kind) ?? "unknown"
}
