import { fromBinary, toBinary } from "@bufbuild/protobuf"
import {
  type SealedSeedHeader,
  SealedSeedHeaderSchema,
  SealedSeedSchema,
  type SeedSlot,
} from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { type AesGcmParameters, openAesGcm, sealAesGcm } from "../crypto/aes-gcm.ts"
import { lengthPrefixed } from "../crypto/length-prefixed.ts"
import type { Secret } from "../crypto/secret.ts"
import { Refusal, refuse } from "../refusal.ts"
import { isUuid } from "../uuid.ts"
import { areHolderKeys } from "./holders.ts"
import { isSealed, SEALED_MARK } from "./mark.ts"
import { isPossible, MAX_GENERATION, ownerName, SET_ID_LENGTH, type SetTerms, termsBytes } from "./terms.ts"
import { WITNESSES_DIGEST_LENGTH } from "./witnesses.ts"

const SEED_DOMAIN = Buffer.from("countersign/v1/sealed-seed")
const SLOT_DOMAIN = Buffer.from("countersign/v1/seed-slot")
const NONCE_LENGTH = 12
/** A file has some hundred bytes; with a blob of a command a few thousand. */
const MAX_FILE_LENGTH = 64 * 1024
/** Costs of scrypt: 2^18 takes 256 MiB, beyond which an altered file could exhaust memory. */
export const COST_LOG2 = { min: 15, usual: 17, max: 18 } as const
export const SALT_LENGTH = 16
const MAX_BLOB_LENGTH = 4096

export type SlotKind = Exclude<SeedSlot["kind"]["case"], undefined>

/** A sealed seed that was read: its header, whose bytes open with the seed, and the ciphertext. */
export type SealedFile = {
  readonly header: SealedSeedHeader
  readonly headerBytes: Uint8Array
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

/** `countersign-sealed-seed/1\n || SealedSeed`. */
export function writeSealedSeed({ headerBytes: header, nonce, ciphertext }: SealedFile): Uint8Array {
  const message = { $typeName: SealedSeedSchema.typeName, header, nonce, ciphertext }
  return Buffer.concat([SEALED_MARK, toBinary(SealedSeedSchema, message)])
}

/** Reads a file's bytes. Nothing of it is authenticated before it opens. @throws SEALED_SEED_DAMAGED */
export function readSealedSeed(file: Uint8Array): SealedFile {
  if (!isSealed(file) || file.length > MAX_FILE_LENGTH) throw damaged("it is none, or of a later release")
  try {
    const {
      header: headerBytes,
      nonce,
      ciphertext,
    } = fromBinary(SealedSeedSchema, file.subarray(SEALED_MARK.length))
    const header = fromBinary(SealedSeedHeaderSchema, headerBytes)
    requireHeader(header)
    if (nonce.length !== NONCE_LENGTH) throw damaged("its nonce has another length")
    const sealed = { header, headerBytes, nonce, ciphertext }
    // One spelling of a file: what no key authenticates is compared as it is written.
    if (!Buffer.from(file).equals(writeSealedSeed(sealed))) throw damaged("it is not as it was written")
    return sealed
  } catch (cause) {
    throw cause instanceof Refusal ? cause : damaged("a part cannot be read", cause)
  }
}

function requireHeader(header: SealedSeedHeader): void {
  const { owner, deploymentId, generation, setId, slots } = header
  if (!isPossible(header))
    throw damaged("its number of shares or its threshold is none that a release writes")
  if (ownerName(owner) === undefined || !isUuid(deploymentId))
    throw damaged("it names no process or no deployment")
  if (generation < 1 || generation > MAX_GENERATION || setId.length !== SET_ID_LENGTH)
    throw damaged("its generation or the id of its set is none")
  const kinds = slots.map(({ kind }) => kind.case)
  if (!kinds.includes("shares")) throw damaged("it has no slot of shares")
  if (kinds.includes(undefined)) throw damaged("it has a slot of a later release")
  if (new Set(kinds).size !== kinds.length) throw damaged("it has two slots of one kind")
  if (!areHolderKeys(header.holderPublicKeys, header.shares))
    throw damaged("its holders' keys are not one of P-256 for each share")
  if (![0, WITNESSES_DIGEST_LENGTH].includes(header.witnessesDigest.length))
    throw damaged("its digest of witnesses has another length")
  for (const slot of slots) requireSlot(slot)
}

function requireSlot({ kind, nonce }: SeedSlot): void {
  if (nonce.length !== NONCE_LENGTH) throw damaged("a slot's nonce has another length")
  if (kind.case === "passphrase") {
    const { salt, costLog2 } = kind.value
    if (salt.length !== SALT_LENGTH || costLog2 < COST_LOG2.min || costLog2 > COST_LOG2.max)
      throw damaged("its slot of a passphrase has parameters that no release writes")
  }
  if (kind.case === "command" && kind.value.blob.length > MAX_BLOB_LENGTH)
    throw damaged("its slot of a command is too long")
}

/** The slot of a kind; undefined: the seed has none. */
export function slotOf<K extends SlotKind>({ header }: SealedFile, kind: K) {
  const slot = header.slots.find((one) => one.kind.case === kind)
  return slot as (SeedSlot & { kind: Extract<SeedSlot["kind"], { case: K }> }) | undefined
}

/** Kinds of the ways beside the shares. */
export function dailySlotsOf({ header }: SealedFile): SlotKind[] {
  return header.slots.flatMap(({ kind }) =>
    kind.case === undefined || kind.case === "shares" ? [] : [kind.case],
  )
}

/** Encrypts the seed under the random key. */
export function encryptSeed(
  seed: Secret,
  key: Secret,
  header: SealedSeedHeader,
  nonce: Uint8Array,
): SealedFile {
  const headerBytes = toBinary(SealedSeedHeaderSchema, header)
  const ciphertext = key.use((bytes) => sealAesGcm(seedParameters(bytes, headerBytes, nonce), seed))
  return { header, headerBytes, nonce, ciphertext }
}

/** The seed, which the caller wipes. @throws SEALED_SEED_DAMAGED: the key is right, so the file is not as it was written */
export function decryptSeed({ headerBytes, nonce, ciphertext }: SealedFile, key: Secret): Secret {
  const seed = key.use((bytes) => openAesGcm(seedParameters(bytes, headerBytes, nonce), ciphertext))
  if (seed === undefined) throw damaged("header or seed were altered after they were written")
  return seed
}

function seedParameters(key: Uint8Array, header: Uint8Array, nonce: Uint8Array): AesGcmParameters {
  return { key, nonce, aad: lengthPrefixed(SEED_DOMAIN, header) }
}

/** The random key under a slot's key. */
export function wrapKey(key: Secret, slotKey: Secret, slot: SlotPlace): Uint8Array {
  return slotKey.use((bytes) => sealAesGcm(slotParameters(bytes, slot), key))
}

/** The random key; undefined: the slot's key is wrong, or the slot was altered. */
export function unwrapKey(wrapped: Uint8Array, slotKey: Secret, slot: SlotPlace): Secret | undefined {
  return slotKey.use((bytes) => openAesGcm(slotParameters(bytes, slot), wrapped))
}

/** A slot's kind within its set, and its nonce. */
export type SlotPlace = { kind: SlotKind; terms: SetTerms; nonce: Uint8Array }

function slotParameters(key: Uint8Array, { kind, terms, nonce }: SlotPlace): AesGcmParameters {
  return { key, nonce, aad: lengthPrefixed(SLOT_DOMAIN, Buffer.from(kind), termsBytes(terms)) }
}

function damaged(why: string, cause?: unknown): Refusal {
  const sentence = `the sealed seed cannot be used: ${why}. Restore its file from a copy of the same generation; the same shares open it`
  return refuse("SEALED_SEED_DAMAGED", sentence, { cause })
}
