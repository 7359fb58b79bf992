import { randomBytes } from "node:crypto"
import { sealEnvelope } from "../../signer/core/crypto/envelope.ts"
import { readPublicKeySet } from "../../signer/core/crypto/keyset.ts"
import { p256PublicKey, uncompressP256 } from "../../signer/core/crypto/p256.ts"
import { Secret, wipe } from "../../signer/core/crypto/secret.ts"
import { bindSecret, type SecretPurpose } from "../../signer/core/fetch-orders/bound-secret.ts"
import { sealKey } from "../../signer/core/fetch-orders/sealed-key-text.ts"
import { readUuid } from "../../signer/core/uuid.ts"
import type { Pins } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { type CliError, usage } from "./exit.ts"
import { POINT_DIGITS, readTrustedPins } from "./pins.ts"
import { readSecretBytes } from "./secret-input.ts"

/** Organization and deployment that a secret is sealed for. */
type SealTarget = {
  organizationId: string
  /** File of the deployment's pins, which name the fetcher's keys. */
  pinsFile: string
}

/** `file`: file of the secret, `-` for standard input. The end of its last line does not count. */
export type SecretToSeal = SealTarget & { file: string }

/**
 * Seals a client secret for one organization to the fetcher of the pinned deployment. Returns hexadecimal digits.
 *
 * @throws {CliError} usage
 */
export async function sealClientSecret({ file, ...target }: SecretToSeal): Promise<string> {
  const seal = await clientSecretSealer(target)
  return seal(await readSecretBytes(file, "client secret"))
}

/**
 * Seals a key of an on-ramp provider for one organization to the fetcher of the pinned deployment. Returns Base58Check.
 *
 * @throws {CliError} usage
 */
export async function sealOnRampKey({ file, ...target }: SecretToSeal): Promise<string> {
  const seal = await onRampKeySealer(target)
  return seal(await readSecretBytes(file, "key"))
}

/** Seals a secret, and wipes it. */
type Sealer = (secret: Buffer) => string

/** Seals client secrets for one organization. @throws {CliError} usage: no pins, or pins without a fetcher */
export async function clientSecretSealer(target: SealTarget): Promise<Sealer> {
  const { fetcherPublicKey } = await readPins(target)
  if (readPublicKeySet(fetcherPublicKey) === undefined) throw notPaired(target, "names no fetcher")
  const point = Buffer.from(fetcherPublicKey.slice(0, POINT_DIGITS), "hex")
  const seal = (text: Secret) => Buffer.from(sealEnvelope(point, text, randomBytes)).toString("hex")
  return (secret) => sealBound(secret, target, "client-secret", seal)
}

/** Seals keys of on-ramp providers for one organization. @throws {CliError} usage: no pins, or pins without the key */
export async function onRampKeySealer(target: SealTarget): Promise<Sealer> {
  const { onRampPublicKey } = await readPins(target)
  const point = uncompressP256(Buffer.from(onRampPublicKey, "hex"))
  const recipient = point && p256PublicKey(point)
  if (recipient === undefined) throw notPaired(target, "names no on-ramp key")
  return (secret) => sealBound(secret, target, "on-ramp-key", (text) => sealKey(recipient, text))
}

function sealBound(
  secret: Buffer,
  { organizationId }: SealTarget,
  purpose: SecretPurpose,
  seal: (text: Secret) => string,
): string {
  const bound = Secret.moveFrom(bindSecret(purpose, organizationId, secret))
  wipe(secret)
  try {
    return seal(bound)
  } finally {
    bound.wipe()
  }
}

async function readPins({ organizationId, pinsFile }: SealTarget): Promise<Pins> {
  if (readUuid(organizationId) === undefined) {
    throw usage(`--organization ${organizationId}: not an organization's id; give its UUID`)
  }
  return readTrustedPins(pinsFile)
}

function notPaired({ pinsFile }: SealTarget, lack: string): CliError {
  return usage(`${pinsFile} ${lack}: its signer is paired with none. Name other pins with --pins FILE`)
}
