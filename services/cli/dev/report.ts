import { sameData, show } from "../here.ts"
import type { Settings } from "../settings.ts"
import type { Seeded } from "./seed-files.ts"

export const WARNING = "DEVELOPMENT  seed in a file, plain HTTP, loopback. Not for real funds."

/** How to make an organization by hand. */
const FIRST_STEPS = [
  "npx countersign key generate root",
  "npx countersign-signer setup-code --for PUBLIC_KEY",
  "npx countersign org create NAME --setup-code CODE --user-name root --api-public-key PUBLIC_KEY",
]

export type Started = {
  url: string
  authProxyUrl: string
  database: string
  signerPublicKey: string
  fetcherPublicKey: string
  seeded: Seeded | undefined
  /** Files and folders that this start made or changed. */
  written: readonly string[]
  settings: Settings
  seconds: number
}

/** What runs where, one line each, and what to do next. */
export function report(started: Started): string[] {
  const {
    url,
    authProxyUrl,
    database,
    signerPublicKey,
    fetcherPublicKey,
    seeded,
    written,
    settings,
    seconds,
  } = started
  const { dataDirectory, envFile, keysFolder } = settings
  const processes = [
    `Database   ${database}`,
    `Signer     unix socket    root key ${shortKey(signerPublicKey)}`,
    `Fetcher    unix socket    key ${shortKey(fetcherPublicKey)}`,
    `API        ${url}`,
    `Auth proxy ${authProxyUrl}`,
  ]
  const here = sameData(settings)
  const ready = `Ready in ${seconds.toFixed(1)} s.`
  if (!seeded) {
    return [
      ...processes,
      "Organization: none was seeded",
      ...FIRST_STEPS.map((step, index) => `${index === 0 ? "Next: " : "      "}${here}${step}`),
      `${ready} Data in ${show(dataDirectory)}`,
    ]
  }
  const { organizationId, users, address } = seeded
  return [
    ...processes,
    `Organization Dev ${organizationId}   users ${users.join(" ")}   wallet First ${address}`,
    `Next: ${here}npm run example:sign`,
    `${ready} ${written.length > 0 ? wrote(written) : `Values in ${show(envFile)}, keys in ${show(keysFolder)}`}`,
  ]
}

function wrote(paths: readonly string[]): string {
  return `Wrote ${paths.map(show).join(", ")} (mode 0600)`
}

/** Enough of a public key to recognise it: 16 digits behind the 04 that all uncompressed points begin with. */
function shortKey(publicKey: string): string {
  return publicKey.slice(2, 18).replace(/(....)(?=.)/g, "$1 ")
}
