import { randomBytes } from "node:crypto"
import { sealEnvelope } from "../../../signer/core/crypto/envelope.ts"
import { readPublicKeySet } from "../../../signer/core/crypto/keyset.ts"
import { Secret, wipe } from "../../../signer/core/crypto/secret.ts"
import { bindClientSecret } from "../../../signer/core/fetch-orders/client-secret.ts"
import { readUuid } from "../../../signer/core/uuid.ts"
import { CliError, ExitCode } from "../exit.ts"
import { readPinsFile } from "../pins.ts"
import { readSecret } from "../secret-input.ts"

/** Hexadecimal digits of a point: the first half of a key set. */
const POINT_DIGITS = 130

export type SecretToSeal = {
  /** File of the OAuth 2.0 client secret, `-` for standard input. The end of its last line does not count. */
  file: string
  organizationId: string
  /** File of the deployment's pins, which name the fetcher's key. */
  pinsFile: string
}

/**
 * Seals a client secret for one organization to the fetcher of the pinned deployment. Returns hexadecimal digits.
 *
 * @throws {CliError} usage
 */
export async function sealClientSecret({ file, organizationId, pinsFile }: SecretToSeal): Promise<string> {
  if (readUuid(organizationId) === undefined) {
    throw new CliError(
      ExitCode.usage,
      `--organization ${organizationId}: not an organization's id; give its UUID`,
    )
  }
  const fetcherPoint = await readFetcherPoint(pinsFile)
  const bytes = Buffer.from((await readSecret(file, "client secret")).replace(/\r?\n$/, ""))
  if (bytes.length === 0) throw new CliError(ExitCode.usage, `${file}: the client secret is empty`)
  const bound = Secret.moveFrom(bindClientSecret(organizationId, bytes))
  wipe(bytes)
  try {
    return Buffer.from(sealEnvelope(fetcherPoint, bound, randomBytes)).toString("hex")
  } finally {
    bound.wipe()
  }
}

async function readFetcherPoint(pinsFile: string): Promise<Uint8Array> {
  const [trusted] = await readPinsFile(pinsFile).catch((cause: unknown) => {
    if (cause instanceof CliError) throw cause
    throw new CliError(ExitCode.usage, `${pinsFile} cannot be read. Name another with --pins FILE`, { cause })
  })
  const fetcherPublicKey = trusted?.pins.fetcherPublicKey ?? ""
  if (readPublicKeySet(fetcherPublicKey) !== undefined) {
    return Buffer.from(fetcherPublicKey.slice(0, POINT_DIGITS), "hex")
  }
  throw new CliError(
    ExitCode.usage,
    `${pinsFile} names no fetcher: its signer is paired with none. Name other pins with --pins FILE`,
  )
}
