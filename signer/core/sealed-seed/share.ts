import { createHash } from "node:crypto"
import type { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { ownBytes, Secret } from "../crypto/secret.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { MAX_SHARES, MIN_THRESHOLD, ownerName, deploymentPrefix, type SetTerms } from "./terms.ts"

const FORMAT = 1
/** Shared secret(32) || check value(8) || coordinate(1). */
const POINT_LENGTH = 41
const BODY_LENGTH = 9 + POINT_LENGTH
const CHECKSUM_LENGTH = 5
/** 440 bits: forty words of eleven. */
export const SHARE_LENGTH = BODY_LENGTH + CHECKSUM_LENGTH
const CHECKSUM_DOMAIN = "countersign/v1/share"

/** What a share says about itself. It is no secret, and printed beside the words. */
export type ShareLabel = {
  owner: SeedOwner
  /** First 4 bytes of the deployment's id, as hexadecimal digits. */
  deployment: string
  generation: number
  setId: Uint8Array
  /** 1 to 15. */
  number: number
  threshold: number
}

/** A share: its label and one point of the shared secret. The caller wipes the point. */
export type Share = { label: ShareLabel; point: Secret }

/**
 * `format and owner(1) || deployment(4) || generation(1) || set(2) || number and threshold(1) || point(41) || checksum(5)`.
 * Two numbers in one byte have four bits each.
 */
export function writeShare(terms: SetTerms, number: number, point: Secret): Secret {
  const bytes = ownBytes(SHARE_LENGTH)
  bytes[0] = (FORMAT << 4) | terms.owner
  bytes.set(deploymentPrefix(terms.deploymentId), 1)
  bytes[5] = terms.generation
  bytes.set(terms.setId, 6)
  bytes[8] = (number << 4) | terms.threshold
  point.use((own) => bytes.set(own, 9))
  bytes.set(checksumOf(bytes), BODY_LENGTH)
  return Secret.moveFrom(bytes)
}

/** @throws SHARE_MISTYPED */
export function readShare(bytes: Uint8Array): Share {
  if (!hasShareForm(bytes))
    throw mistyped("a share has 40 words, and its checksum fits; this one is altered or incomplete")
  const [first = 0, last = 0] = [bytes[0], bytes[8]]
  const owner = (first & 15) as SeedOwner
  const [number, threshold] = [last >> 4, last & 15]
  if (first >> 4 !== FORMAT || ownerName(owner) === undefined)
    throw mistyped("this share is of a later release: use the program of the release that made it")
  if (number < 1 || number > MAX_SHARES || threshold < MIN_THRESHOLD)
    throw mistyped("this share has an impossible number or threshold: no ceremony makes such a one")
  const label = {
    owner,
    deployment: Buffer.from(bytes.subarray(1, 5)).toString("hex"),
    generation: bytes[5] ?? 0,
    setId: Uint8Array.from(bytes.subarray(6, 8)),
    number,
    threshold,
  }
  return { label, point: Secret.copyOf(bytes.subarray(9, BODY_LENGTH)) }
}

/** True for a share's length and checksum. */
export function hasShareForm(bytes: Uint8Array): boolean {
  return bytes.length === SHARE_LENGTH && checksumOf(bytes).equals(bytes.subarray(BODY_LENGTH))
}

/** The first 40 bits of SHA-256(domain || 0x00 || body). They find typing errors; no secret depends on them. */
function checksumOf(bytes: Uint8Array): Buffer {
  const hash = createHash("sha256").update(CHECKSUM_DOMAIN).update(Uint8Array.of(0))
  return hash.update(bytes.subarray(0, BODY_LENGTH)).digest().subarray(0, CHECKSUM_LENGTH)
}

export function mistyped(sentence: string): Refusal {
  return refuse("SHARE_MISTYPED", sentence)
}

/** `share 2 of the signer, deployment 0199b2c4, generation 1` */
export function describeShare({ owner, deployment, generation, number }: ShareLabel): string {
  return `share ${number} of the ${ownerName(owner)}, deployment ${deployment}, generation ${generation}`
}
