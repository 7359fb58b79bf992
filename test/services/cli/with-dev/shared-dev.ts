import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import type { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { credentials } from "@grpc/grpc-js"
import type { Test } from "tap"
import { OperatorService } from "../../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { clientFor } from "../../../../proto/grpc-client.ts"
import { enableAuthProxy } from "../../../../services/dev/enable-auth-proxy.ts"
import { writeEnvFile } from "../../../../services/dev/env-file.ts"
import type { Operator } from "../../../../services/dev/signer.ts"
import { layout } from "../../../../services/dev/layout.ts"
import { seed } from "../../../../services/dev/seed.ts"
import { dangerouslyRevealPrivateKey } from "../../../../services/terminal-client/api-key.ts"
import { oneUseLink } from "../../../../services/terminal-client/one-use-link.ts"
import { readKey } from "../../../../services/terminal-client/key-folder.ts"
import { readSettings } from "../../../../services/terminal-client/settings.ts"
import { atEnd } from "../../../harness/at-end.ts"
import { freePort } from "../../../harness/free-port.ts"
import { patienceMs } from "../../../harness/patience.ts"
import { commandLine } from "../command-line.ts"
import { dataDirectory, readEnvFile, startDev } from "../dev-process.ts"

/**
 * A development system: its data directory, the address of its dashboard, ports where a test may serve an OpenID issuer and a
 * node of chain `DEV_CHAIN_ID`, its process, and that one's lines on standard error.
 */
type SharedDev = {
  directory: string
  dashboardUrl: string
  issuerPort: number
  chainPort: number
  pid: number
  log(): string[]
}

export const DEV_CHAIN_ID = 31_337

let shared: Promise<SharedDev> | undefined

/**
 * The development system that the test files of one process share. For tests that work in organizations of their own: one
 * that ends a process or reads a log starts its own system.
 */
export function sharedDev(): Promise<SharedDev> {
  return (shared ??= start())
}

async function start(): Promise<SharedDev> {
  // Clean-ups run in the reverse order: the directory goes last.
  const teardown = (clean: () => unknown) => atEnd(async () => void (await clean()))
  const directory = dataDirectory({ teardown })
  const [issuerPort, chainPort] = [await freePort(), await freePort()]
  const dev = startDev({ teardown }, directory, [], {
    COUNTERSIGN_FETCHER_LOCAL_ISSUERS: `http://localhost:${issuerPort}`,
    COUNTERSIGN_CHAINS: `eip155:${DEV_CHAIN_ID}=http://127.0.0.1:${chainPort}`,
  })
  const dashboardUrl = new URL(linkIn(await dev.ready())).origin
  const { process: child } = dev
  const parts = [child, child.stdout as Socket, child.stderr as Socket]
  for (const part of parts) part.unref()
  atEnd(() => Promise.resolve(parts.forEach((part) => part.ref())))
  return { directory, dashboardUrl, issuerPort, chainPort, pid: child.pid ?? 0, log: () => dev.log() }
}

/** The one-use link to the dashboard in what a development system prints. */
export function linkIn(lines: readonly string[]): string {
  const [link] = /http\S+\/enter#\S+/.exec(lines.join("\n")) ?? []
  if (link === undefined) throw new Error(`no link to a dashboard in:\n${lines.join("\n")}`)
  return link
}

/**
 * An organization as `countersign dev` makes it, in the shared system, with keys, pins and `.env.local` in a directory of its
 * own, and a command line there.
 */
export async function devOrganization(t: Test) {
  const { directory: system, dashboardUrl } = await sharedDev()
  const { BASE_URL: url = "", AUTH_PROXY_URL: authProxyUrl = "" } = readEnvFile(system)
  const { client, ...made } = await organizationIn(t, { system, url, authProxyUrl, dashboardUrl })
  return {
    system,
    ...made,
    /** Logs root in to the dashboard once. */
    link: () => oneUseLink(client, made.organizationId, dashboardUrl),
  }
}

/** The same in another running system: `system` is its data directory. */
export async function organizationIn(t: Test, { system, url, authProxyUrl = "", dashboardUrl = "" }: Place) {
  const directory = mkdtempSync(join(tmpdir(), "countersign-org-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const settings = readSettings({ COUNTERSIGN_DATA_DIR: directory })
  const setupCode: Operator["setupCode"] = (publicKey) => setupCodeOf(system, publicKey)
  mkdirSync(settings.keysFolder, { recursive: true, mode: 0o700 })
  const log = () => undefined
  const seeding = {
    client: { url },
    operator: { setupCode } as Operator,
    settings,
    layout: layout(directory),
    log,
  }
  const seeded = await seed(seeding)
  const { organizationId, address } = seeded
  const key = await readKey(settings.keysFolder, "root")
  const client = { url, key }
  await writeEnvFile(join(directory, ".env.local"), {
    ...seeded,
    url,
    authProxyUrl,
    dashboardUrl,
    authProxyConfigId: (await enableAuthProxy(client, organizationId, log)) ?? "",
    publicKey: key.publicKey,
    privateKey: dangerouslyRevealPrivateKey(key),
  })
  const call = (...words: string[]) => commandLine({ COUNTERSIGN_DATA_DIR: directory }, ...words)
  const json = async (...words: string[]) => JSON.parse((await call(...words, "--json")).out)
  return { directory, organizationId, address: address as `0x${string}`, client, call, json }
}

type Place = { system: string; url: string; authProxyUrl?: string; dashboardUrl?: string }

/** As the operator's program asks for it; its start would take longer than all else here. */
async function setupCodeOf(system: string, publicKey: string): Promise<string> {
  const { call, close } = clientFor(OperatorService, {
    address: `unix:${layout(system).operatorSocket}`,
    credentials: credentials.createInsecure(),
    deadlineMs: patienceMs(30_000),
  })
  try {
    return (await call.createSetupCode({ publicKey })).setupCode
  } finally {
    close()
  }
}

/** The first id in a text. */
export function idIn(text: string): string {
  return /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)?.[0] ?? ""
}
