import { cliSettingNames } from "../terminal-client/settings.ts"

/**
 * Settings that `dev` itself gives its processes: addresses, sockets, certificates, keys. Setting one of them is a
 * fault.
 */
export const managedSettings: readonly string[] = [
  "COUNTERSIGN_AUTH_PROXY_API_URL",
  "COUNTERSIGN_AUTH_PROXY_KEY_FILE",
  "COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY",
  "COUNTERSIGN_DATABASE_SOCKET",
  "COUNTERSIGN_EXIT_WITH_PARENT",
  "COUNTERSIGN_FETCHER_NOTARIZER_PUBLIC_KEY",
  "COUNTERSIGN_PRODUCTION",
  "COUNTERSIGN_FETCHER_OPERATOR_SOCKET",
  "COUNTERSIGN_FETCHER_PUBLIC_KEY_FILE",
  "COUNTERSIGN_SIGNER_AUTH_PROXY_PUBLIC_KEY",
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
      "SOCKET_ACCESS",
      "TLS_CA_FILE",
      "TLS_CERTIFICATE_FILE",
      "TLS_KEY_FILE",
    ].map((name) => `COUNTERSIGN_${peer}_${name}`),
  ),
]

/**
 * Variables hidden from each process. Only API and worker see variables that may hold a database password, and the trusted processes send
 * no traces.
 */
const HIDDEN_FROM = {
  api: /^COUNTERSIGN_(?:SIGNER|FETCHER|AUTH_PROXY|WORKER)_/,
  "auth-proxy": /^(?:COUNTERSIGN_(?!AUTH_PROXY_|LOG_|TRACES_)|DATABASE_URL$|PG|npm_)/,
  worker: /^(?:COUNTERSIGN_(?!WORKER_|LOG_|TRACES_|CHAINS|TOKENS)|npm_)/,
  signer: /^(?:COUNTERSIGN_(?!SIGNER_)|DATABASE_URL$|OTEL_|PG|npm_)/,
  fetcher: /^(?:COUNTERSIGN_(?!FETCHER_)|DATABASE_URL$|OTEL_|PG|npm_)/,
}
export type ChildName = keyof typeof HIDDEN_FROM

/** Variables of the machine, and the settings of this process that `dev` neither reads nor manages. */
export function environmentFor(process: ChildName, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) =>
      !HIDDEN_FROM[process].test(name) && !cliSettingNames.includes(name) && !managedSettings.includes(name),
  )
  return Object.fromEntries(kept)
}
