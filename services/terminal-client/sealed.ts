import { createHmac } from "node:crypto"
import { dangerouslyRevealPrivateKey } from "./api-key.ts"
import type { NamedKey } from "./key-folder.ts"
import { readSecretBytes } from "./secret-input.ts"

/**
 * A sealed secret as a member of a request. Each sealing differs, so a repeated command is recognized by a digest of the
 * secret. It is keyed with the stamping key, so that it reveals nothing to others.
 */
export class SealedMember {
  readonly text: string
  readonly digest: string

  constructor(text: string, digest: string) {
    this.text = text
    this.digest = digest
  }
}

/** Organization and deployment that a secret is sealed for, and the key that stamps. */
type Context = { organizationId: string; pinsFile: string; key: NamedKey }
export type SealerName = "clientSecretSealer" | "onRampKeySealer"

/** Reads a secret from a file, or standard input for `-`, and seals it to the pinned fetcher. @throws {CliError} usage */
export async function readSealed(
  file: string,
  noun: string,
  sealer: SealerName,
  { organizationId, pinsFile, key }: Context,
): Promise<SealedMember> {
  const sealers = await import("./seal.ts")
  const seal = await sealers[sealer]({ organizationId, pinsFile })
  const secret = await readSecretBytes(file, noun)
  const digest = digestOf(secret, key)
  return new SealedMember(seal(secret), digest)
}

function digestOf(secret: Uint8Array, key: NamedKey): string {
  return createHmac("sha256", dangerouslyRevealPrivateKey(key)).update(secret).digest("hex")
}
