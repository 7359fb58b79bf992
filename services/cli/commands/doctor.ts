import { existsSync, statSync } from "node:fs"
import { fromJson } from "@bufbuild/protobuf"
import { PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { type Check, linesOfChecks, ok } from "../../../signer/core/checks.ts"
import { counted } from "../../../signer/core/counted.ts"
import { MAX_AHEAD_MS } from "../../../signer/core/freshness.ts"
import { pinsDigest } from "../../../signer/core/proof/verify/trusted-pins.ts"
import { type ApiClient, get, type Querying } from "../../terminal-client/api-client.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { type NamedKey, privateKeyFile } from "../../terminal-client/key-folder.ts"
import { readTrustedPins } from "../../terminal-client/pins.ts"
import type { Settings } from "../../terminal-client/settings.ts"
import { printEither, type Terminal } from "../../terminal-client/terminal.ts"
import { deploymentState } from "./doctor-deployment.ts"
import { whoami } from "../../terminal-client/whoami.ts"

const DASHBOARD_MS = 5_000

export type DoctorContext = {
  url: string
  settings: Settings
  /** Throws if there is no such key. */
  findKey: () => Promise<{ key: NamedKey; organizationId: string | undefined; keysFolder: string }>
}

/** A check with the exit status of its fault. */
type Examined = Check & { exit?: ExitCode }

/**
 * Checks API, clock, pins and key, on which every command relies, the deployment's certificates, and a configured dashboard.
 * The result of each check is printed. @throws {CliError} the worst fault's status
 */
export async function doctor(
  { url, settings, findKey }: DoctorContext,
  options: { json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const client = { url }
  let stamping: Querying | undefined
  const found = [
    await checked("API", ExitCode.unreachable, async () => `${url} answers${await readiness(client)}`),
    ...(settings.dashboardUrl === undefined ? [] : [await ofDashboard(settings.dashboardUrl)]),
    await checked("clock", ExitCode.fault, () => clock(url)),
    await checked("pins", ExitCode.verificationFailed, () => pins(client, settings.pinsFile)),
    await checked("key", ExitCode.usage, async () => {
      const { key, organizationId, keysFolder } = await findKey()
      const file = privateKeyFile(keysFolder, key.name)
      const mode = statSync(file).mode & 0o777
      if ((mode & 0o077) !== 0)
        throw new Error(`${file} can be read by others (mode ${mode.toString(8)}): chmod 600`)
      if (organizationId === undefined)
        throw new Error(`key ${key.name} names no organization: use --organization ID`)
      stamping = { client: { ...client, key }, organizationId }
      const user = await whoami(stamping)
      return `${key.name} is the key of user ${user.username} in ${user.organizationName}`
    }),
  ]
  if (stamping !== undefined) {
    const querying = stamping
    found.push(await checked("deployment", ExitCode.fault, () => deploymentState(querying)))
  }
  const checks = found.map(({ name, state, sentence }): Check => ({ name, state, sentence }))
  printEither(terminal, options, { checks }, linesOfChecks(checks))
  const faults = found.filter(({ state }) => state !== "ok")
  const [first] = faults
  if (first !== undefined)
    throw new CliError(
      first.exit ?? ExitCode.fault,
      `${faults.length} of ${counted(found.length, "check")} failed: ${faults.map(({ name }) => name).join(", ")}`,
    )
}

async function checked(name: string, usual: ExitCode, examine: () => Promise<string>): Promise<Examined> {
  try {
    return ok(name, await examine())
  } catch (error) {
    const sentence = error instanceof CliError ? (error.lines[0] ?? "") : (error as Error).message
    const exit = error instanceof CliError ? error.code : usual
    return { name, state: exit === ExitCode.unreachable ? "DOWN" : "FAULT", sentence, exit }
  }
}

/** `/readyz` answers 503 with its parts while the signer is locked or the database away. */
async function readiness(client: ApiClient): Promise<string> {
  await get(client, "/livez")
  await get(client, "/readyz")
  return ", database and signer too"
}

/** A host may serve no dashboard, so only one that is configured is asked. */
async function ofDashboard(url: string): Promise<Examined> {
  return checked("dashboard", ExitCode.unreachable, async () => {
    const reply = await fetch(url, { signal: AbortSignal.timeout(DASHBOARD_MS) }).catch((cause: unknown) => {
      const advice = "npm start says why, or countersign-node serve dashboard"
      throw new CliError(ExitCode.unreachable, `no answer from ${url}: ${advice}`, { cause })
    })
    if (reply.ok) return `${url} answers`
    throw new CliError(ExitCode.unreachable, `${url} answered ${reply.status}: it serves no pages`)
  })
}

async function clock(url: string): Promise<string> {
  const reply = await fetch(new URL("/livez", url)).catch((cause: unknown) => {
    throw new CliError(ExitCode.unreachable, `no answer from ${url}`, { cause })
  })
  const theirs = Date.parse(reply.headers.get("date") ?? "")
  if (Number.isNaN(theirs)) return "the API tells no time"
  const aheadMs = Date.now() - theirs
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const words = `${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} the API`
  if (Math.abs(aheadMs) > MAX_AHEAD_MS)
    throw new Error(`this machine's clock is ${words}: requests will be refused`)
  return words
}

async function pins(client: ApiClient, file: string): Promise<string> {
  if (!existsSync(file)) throw usage(`${file} does not exist: proofs cannot be verified`)
  return comparePins(client, file)
}

/** Compares the pins of a file with those of the API. @throws {CliError} verificationFailed */
export async function comparePins(client: ApiClient, file: string): Promise<string> {
  const trusted = await readTrustedPins(file)
  const shown = fromJson(PinsSchema, (await get(client, "/public/v1/pins")) as never)
  const [ours, theirs] = [pinsDigest(trusted), pinsDigest(shown)]
  if (ours === theirs) return `the API shows the pins of ${file}: sha256:${ours}`
  throw new CliError(
    ExitCode.verificationFailed,
    `${client.url} shows other pins (sha256:${theirs}) than ${file} has (sha256:${ours}). Another address, a changed ` +
      "deployment or a lie: ask the operator what countersign-signer pins prints",
  )
}
