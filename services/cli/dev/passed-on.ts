import { ownSettings } from "../settings.ts"

/**
 * Settings that `dev` gives its processes: where they find one another, with what they know one another. Set from
 * outside they would have no effect.
 */
export const decidedHere: readonly string[] = [
  "COUNTERSIGN_DATABASE_SOCKET",
  "COUNTERSIGN_EXIT_WITH_PARENT",
  "COUNTERSIGN_FETCHER_NOTARIZER_PUBLIC_KEY",
  "COUNTERSIGN_FETCHER_PUBLIC_KEY_FILE",
  "COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY",
  "COUNTERSIGN_SIGNER_OPERATOR_SOCKET",
  "COUNTERSIGN_SIGNER_SEED_FILE",
  ...["SIGNER", "FETCHER"].flatMap((peer) =>
    [
      "ADDRESS",
      "CALLERS",
      "CA_FILE",
      "CLIENT_CERTIFICATE_FILE",
      "CLIENT_KEY_FILE",
      "LISTEN",
      "TLS_CA_FILE",
      "TLS_CERTIFICATE_FILE",
      "TLS_KEY_FILE",
    ].map((name) => `COUNTERSIGN_${peer}_${name}`),
  ),
]

/** What each process sees nothing of: none but the API anything that may hold a database's password. */
const NOT_FOR = {
  api: /^COUNTERSIGN_(?:SIGNER|FETCHER|AUTH_PROXY)_/,
  "auth-proxy": /^(?:COUNTERSIGN_(?!AUTH_PROXY_|LOG_)|DATABASE_URL$|PG|npm_)/,
  signer: /^(?:COUNTERSIGN_(?!SIGNER_)|DATABASE_URL$|PG|npm_)/,
  fetcher: /^(?:COUNTERSIGN_(?!FETCHER_)|DATABASE_URL$|PG|npm_)/,
}
export type Process = keyof typeof NOT_FOR

/** The machine's variables, and the settings of this one process that neither `dev` reads nor decides. */
export function passedTo(process: Process, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) => !NOT_FOR[process].test(name) && !ownSettings.includes(name) && !decidedHere.includes(name),
  )
  return Object.fromEntries(kept)
}
