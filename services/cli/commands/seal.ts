import { randomBytes } from "node:crypto"
import { sealEnvelope } from "../../../signer/core/crypto/envelope.ts"
import { readPublicKeySet } from "../../../signer/core/crypto/keyset.ts"
import { p256PublicKey, uncompressP256 } from "../../../signer/core/crypto/p256.ts"
import { Secret, wipe } from "../../../signer/core/crypto/secret.ts"
import { bindSecret, type SecretPurpose } from "../../../signer/core/fetch-orders/bound-secret.ts"
import { sealKey } from "../../../signer/core/fetch-orders/sealed-key-text.ts"
import { readUuid } from "../../../signer/core/uuid.ts"
import type { Pins } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { CliError, ExitCode } from "../exit.ts"
import { POINT_DIGITS, readTrustedPins } from "../pins.ts"
import { readSecret } from "../secret-input.ts"

export type SecretToSeal = {
  /** File of the secret, `-` for standard input. The end of its last line does not count. */
  file: string
  organizationId: string
  /** File of the deployment's pins, which name the fetcher's keys. */
  pinsFile: string
}

/**
 * Seals a client secret for one organization to the fetcher of the pinned deployment. Returns hexadecimal digits.
 *
 * @throws {CliError} usage
 */
export async function sealClientSecret(secret: SecretToSeal): Promise<string> {
  const { fetcherPublicKey } = await readPins(secret)
  if (readPublicKeySet(fetcherPublicKey) === undefined) throw notPaired(secret, "names no fetcher")
  const point = Buffer.from(fetcherPublicKey.slice(0, POINT_DIGITS), "hex")
  const seal = (text: Secret) => Buffer.from(sealEnvelope(point, text, randomBytes)).toString("hex")
  return sealBound(secret, "client-secret", "client secret", seal)
}

/**
 * Seals a key of an on-ramp provider for one organization to the fetcher of the pinned deployment. Returns Base58Check.
 *
 * @throws {CliError} usage
 */
export async function sealOnRampKey(secret: SecretToSeal): Promise<string> {
  const { onRampPublicKey } = await readPins(secret)
  const point = uncompressP256(Buffer.from(onRampPublicKey, "hex"))
  const recipient = point && p256PublicKey(point)
  if (recipient === undefined) throw notPaired(secret, "names no on-ramp key")
  return sealBound(secret, "on-ramp-key", "key", (text) => sealKey(recipient, text))
}

async function sealBound(
  { file, organizationId }: SecretToSeal,
  purpose: SecretPurpose,
  name: string,
  seal: (text: Secret) => string,
): Promise<string> {
  const bytes = Buffer.from((await readSecret(file, name)).replace(/\r?\n$/, ""))
  if (bytes.length === 0) throw new CliError(ExitCode.usage, `${file}: the ${name} is empty`)
  const bound = Secret.moveFrom(bindSecret(purpose, organizationId, bytes))
  wipe(bytes)
  try {
    return seal(bound)
  } finally {
    bound.wipe()
  }
}

async function readPins({ organizationId, pinsFile }: SecretToSeal): Promise<Pins> {
  if (readUuid(organizationId) === undefined) {
    throw new CliError(
      ExitCode.usage,
      `--organization ${organizationId}: not an organization's id; give its UUID`,
    )
  }
  return readTrustedPins(pinsFile)
}

function notPaired({ pinsFile }: SecretToSeal, lack: string): CliError {
  return new CliError(
    ExitCode.usage,
    `${pinsFile} ${lack}: its signer is paired with none. Name other pins with --pins FILE`,
  )
}
