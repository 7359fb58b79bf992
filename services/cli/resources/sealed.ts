import { readSealed, type SealerName } from "../../terminal-client/sealed.ts"
import type { FieldOption } from "./resource.ts"

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
