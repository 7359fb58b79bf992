import { commandText } from "../../signer/core/command-text.ts"
import { dataDirectoryPrefix, displayPath } from "../terminal-client/display.ts"
import { isRelease } from "../terminal-client/release-commands.ts"
import type { Settings } from "../terminal-client/settings.ts"
import type { Seeded } from "./seed-files.ts"

export function warningOf({ https = false }: { https?: boolean }): string {
  return `DEVELOPMENT  seed in a file, ${https ? "HTTPS with its own authority" : "plain HTTP"}, loopback. Not for real funds.`
}

/** Commands that create an organization. */
const FIRST_STEPS = [
  "npx countersign key generate root",
  "npx countersign-signer setup-code --for PUBLIC_KEY",
  "npx countersign org create NAME --setup-code CODE --user-name root --api-public-key PUBLIC_KEY",
]

/** The first signature. Examples need packages that a release has not. */
const EXAMPLES = isRelease
  ? ['npx countersign sign message "pay the supplier" --with First', "npx countersign help"]
  : ["npm run example:sign", "npm run example:login   a login page, in the browser"]

/** `isLink`: the URL logs in once. */
export type DashboardReport = { url: string; isLink: boolean }

export type StartReport = {
  url: string
  authProxyUrl: string
  workerUrl: string
  /** The dashboard; undefined: it could not be built. */
  dashboard?: DashboardReport | undefined
  database: string
  signerPublicKey: string
  fetcherPublicKey: string
  seeded?: Seeded | undefined
  /** Id of the configuration of organization Dev's auth proxy; absent: it has none. */
  configId?: string | undefined
  /** Files and folders that this start created or changed. */
  written: readonly string[]
  settings: Settings
  seconds: number
  /** File of the authority that issued the certificate for HTTPS; absent: plain HTTP. */
  authorityFile?: string | undefined
  /** False: mails and text messages are written to a file. */
  sends: boolean
}

/** The summary: one line for each process, then the next step. */
export function report(started: StartReport): string[] {
  const { url, configId, dashboard, seeded, settings, written } = started
  const { dataDirectory, envFile, keysFolder } = settings
  const processes = [
    `Database   ${started.database}`,
    `Signer     unix socket    root key ${shortKey(started.signerPublicKey)}`,
    `Fetcher    unix socket    key ${shortKey(started.fetcherPublicKey)}`,
    `API        ${url}`,
    `Auth proxy ${started.authProxyUrl}${configId === undefined ? "" : `   config ${configId}`}`,
    `Worker     ${started.workerUrl}`,
  ]
  if (dashboard !== undefined)
    processes.push(`Dashboard  ${dashboard.url}${dashboard.isLink ? "    one use, 30 min" : ""}`)
  processes.push(`Docs       ${url}/docs`)
  const here = dataDirectoryPrefix(settings)
  processes.push(...trustLines(started))
  if (!started.sends)
    processes.push(
      `Messages   NONE IS SENT    read e-mails, text messages and codes: ${here}npx countersign dev inbox`,
    )
  const ready = `Ready in ${started.seconds.toFixed(1)} s.`
  if (!seeded) {
    return [
      ...processes,
      "Organization: none",
      ...FIRST_STEPS.map((step, index) => `${index === 0 ? "Next: " : "      "}${here}${step}`),
      `${ready} Data in ${displayPath(dataDirectory)}`,
    ]
  }
  const { organizationId, users, address } = seeded
  return [
    ...processes,
    `Organization Dev ${organizationId}   users ${users.join(" ")}   wallet First ${address}`,
    ...EXAMPLES.map((example, index) => `${index === 0 ? "Next: " : "      "}${here}${example}`),
    `${ready} ${written.length > 0 ? wrote(written) : `Values in ${displayPath(envFile)}, keys in ${displayPath(keysFolder)}`}`,
  ]
}

/** Lines that say how programs are made to trust the authority. */
function trustLines({ authorityFile }: StartReport): string[] {
  if (authorityFile === undefined) return []
  return [
    `Trust      ${displayPath(authorityFile)}    import it into your browser as an authority for websites`,
    commandText`           programs on Node.js: NODE_EXTRA_CA_CERTS=${authorityFile}`,
  ]
}

function wrote(paths: readonly string[]): string {
  return `Wrote ${paths.map(displayPath).join(", ")} (mode 0600)`
}

/** The first 16 digits of an uncompressed point, without its leading 04. */
function shortKey(publicKey: string): string {
  return publicKey.slice(2, 18).replace(/(....)(?=.)/g, "$1 ")
}
