import { createHmac } from "node:crypto"
import { dangerouslyRevealPrivateKey } from "../api-key.ts"
import { readSecretBytes } from "../secret-input.ts"
import type { FieldOption, ReadContext } from "./resource.ts"

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

type Context = Pick<ReadContext, "organizationId" | "pinsFile" | "key">
export type SealerName = "clientSecretSealer" | "onRampKeySealer"

/** Reads a secret from a file, or standard input for `-`, and seals it to the pinned fetcher. @throws {CliError} usage */
export async function readSealed(
  file: string,
  noun: string,
  sealer: SealerName,
  { organizationId, pinsFile, key }: Context,
): Promise<SealedMember> {
  const sealers = await import("../commands/seal.ts")
  const seal = await sealers[sealer]({ organizationId, pinsFile })
  const secret = await readSecretBytes(file, noun)
  const digest = digestOf(secret, key)
  return new SealedMember(seal(secret), digest)
}

/** Option of an OAuth 2.0 client secret. */
export function clientSecretOption(flag: string): FieldOption {
  const about =
    "file of the client secret, sealed here to the pinned fetcher; by default standard input or a prompt"
  return { ...secretOption(flag, about, "client secret", "clientSecretSealer"), fallback: "-" }
}

/** Option of a key that an on-ramp provider issued. */
export function onRampKeyOption(flag: string, noun: string): FieldOption {
  return secretOption(
    flag,
    `file of the ${noun}, sealed here to the pinned fetcher; - for standard input or a prompt`,
    noun,
    "onRampKeySealer",
  )
}

function secretOption(flag: string, about: string, noun: string, sealer: SealerName): FieldOption {
  return {
    flag,
    about,
    single: true,
    isSecret: true,
    read: ([file = "-"], context) => readSealed(file, noun, sealer, context),
  }
}

function digestOf(secret: Uint8Array, key: ReadContext["key"]): string {
  return createHmac("sha256", dangerouslyRevealPrivateKey(key)).update(secret).digest("hex")
}
