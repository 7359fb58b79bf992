import { createHash } from "node:crypto"
import type { Pins } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { POINT_DIGITS } from "../../terminal-client/pins.ts"

/** Constants in `@turnkey/crypto` that pin a deployment, with their published values. */
export const PUBLISHED = {
  PRODUCTION_SIGNER_SIGN_PUBLIC_KEY:
    "04cf288fe433cc4e1aa0ce1632feac4ea26bf2f5a09dcfe5a42c398e06898710330f0572882f4dbdf0f5304b8fc8703acd69adca9a4bbf7f5d00d20a5e364b2569",
  PRODUCTION_NOTARIZER_SIGN_PUBLIC_KEY:
    "04d498aa87ac3bf982ac2b5dd9604d0074905cfbda5d62727c5a237b895e6749205e9f7cd566909c4387f6ca25c308445c60884b788560b785f4a96ac33702a469",
  PRODUCTION_TLS_FETCHER_ENCRYPT_PUBLIC_KEY:
    "045e899f1fcf7d12b3c8fd997a7a43bb853dd4e8d63419a8f867c70aacc1c4cf9d04848baca41f0c85ffbbd23cbf78967501cd8eca9e4a6369370a9a38f70d13c0",
  PRODUCTION_TLS_FETCHER_SIGN_PUBLIC_KEY:
    "046b4f88421f76b6ba418afc2ea1d8ced671337d7db6b80478a60d8531bf8f17fa9a512f0fef96fc0c9b4cd9dff70b34992e520ce04c79d931f6ff6296b547d201",
  PRODUCTION_ON_RAMP_CREDENTIALS_ENCRYPTION_PUBLIC_KEY:
    "02336ebd7e929ef64b87c776b72540255b4c7b41579a24b1e68fb060daa873f9f6",
} as const

type Constant = keyof typeof PUBLISHED
type Keys = Readonly<Record<Constant, string>>

/**
 * SHA-256 of the published files. They are the same in all versions from 2.9.0 to 2.13.2 that were looked at; the first of
 * each is of those. 2.8.14 has no key of encrypted codes.
 */
const FILES: Readonly<Record<string, readonly string[]>> = {
  "constants.js": [
    "ae017f9dedcaf77c8d04e293778c5a54a4c61ecc29155d13cf39fe915b50d30c",
    "8319e05ae00043ed8b0ded02f0747a4a25ae359e950f69247a803d991132bb59",
  ],
  "constants.mjs": [
    "2ec4f7098dbf55de0c70715500ea2e5b25e445552b5e2174d6f167e3316a751c",
    "b343e240fd67e28b5cb0805a9973aaec5d78331c6c3813e459799e353c76ddd0",
  ],
  "constants.d.ts": [
    "ff01fdd9d49a2b9dc7f9be0344f2bd65c063e0bdee4f8c03d479e318149c09a2",
    "7cf8a38771d1f868c8fed69dd53ccf12b36f6126ff941c5ba92aad97ecabcfb6",
  ],
}

/** Files of the package that have the constants. */
export const FILE_NAMES: readonly string[] = Object.keys(FILES)

/** The keys of a deployment. Where it has no key, because no fetcher is paired, the published value stays. */
export function keysOf({
  signerPublicKey,
  notarizerPublicKey,
  fetcherPublicKey,
  onRampPublicKey,
}: Pins): Keys {
  const own = {
    PRODUCTION_SIGNER_SIGN_PUBLIC_KEY: signerPublicKey.slice(POINT_DIGITS),
    PRODUCTION_NOTARIZER_SIGN_PUBLIC_KEY: notarizerPublicKey.slice(POINT_DIGITS),
    PRODUCTION_TLS_FETCHER_ENCRYPT_PUBLIC_KEY: fetcherPublicKey.slice(0, POINT_DIGITS),
    PRODUCTION_TLS_FETCHER_SIGN_PUBLIC_KEY: fetcherPublicKey.slice(POINT_DIGITS),
    PRODUCTION_ON_RAMP_CREDENTIALS_ENCRYPTION_PUBLIC_KEY: onRampPublicKey,
  }
  return withValues((name) => own[name] || PUBLISHED[name])
}

function withValues(valueOf: (name: Constant) => string): Keys {
  const names = Object.keys(PUBLISHED) as Constant[]
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Keys
}

/**
 * The published text of a file of this name, whatever keys were put into it. Undefined: with the published keys it is no
 * file that was published.
 */
export function publishedText(name: string, text: string): string | undefined {
  const published = withKeys(text, PUBLISHED)
  const digest = createHash("sha256").update(published).digest("hex")
  return FILES[name]?.includes(digest) ? published : undefined
}

/** A file with these keys. Each constant is defined once, as a text of hexadecimal digits. */
export function withKeys(text: string, keys: Keys): string {
  return Object.entries(keys).reduce(
    (changed, [name, value]) =>
      changed.replace(new RegExp(`(\\bconst ${name} = ")[0-9a-f]+(")`), `$1${value}$2`),
    text,
  )
}
