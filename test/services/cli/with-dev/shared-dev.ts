import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Test } from "tap"
import type { Operator } from "../../../../services/cli/dev/signer.ts"
import { layout } from "../../../../services/cli/dev/layout.ts"
import { seed } from "../../../../services/cli/dev/seed.ts"
import { readSettings } from "../../../../services/cli/settings.ts"
import { atEnd } from "../../../harness/at-end.ts"
import { commandLine } from "../command-line.ts"
import { dataDirectory, readEnvFile, runProgram, startDev } from "../dev-process.ts"

let shared: Promise<string> | undefined

/**
 * Data directory of a development system that the test files of one process share. For tests that work in organizations of
 * their own: one that stops a process or reads a log starts its own system.
 */
export function sharedDev(): Promise<string> {
  return (shared ??= start())
}

async function start(): Promise<string> {
  // Clean-ups run in the reverse order: the directory goes last.
  const teardown = (clean: () => unknown) => atEnd(async () => void (await clean()))
  const directory = dataDirectory({ teardown })
  const dev = startDev({ teardown }, directory)
  await dev.ready()
  const { process: child } = dev
  const parts = [child, child.stdout as Socket, child.stderr as Socket]
  for (const part of parts) part.unref()
  atEnd(() => Promise.resolve(parts.forEach((part) => part.ref())))
  return directory
}

/** An organization as `countersign dev` makes it, in the shared system, and a command line with its keys and pins. */
export async function devOrganization(t: Test) {
  const system = await sharedDev()
  const { BASE_URL: url = "" } = readEnvFile(system)
  const directory = mkdtempSync(join(tmpdir(), "countersign-org-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const settings = readSettings({ COUNTERSIGN_DATA_DIR: directory })
  const setupCode: Operator["setupCode"] = async (publicKey) => {
    const words = ["setup-code", "--for", publicKey, "--json"]
    const { out } = await runProgram(system, "signer/operator/main.ts", ...words)
    return (JSON.parse(out) as { setupCode: string }).setupCode
  }
  mkdirSync(settings.keysFolder, { recursive: true, mode: 0o700 })
  const seeding = {
    client: { url },
    operator: { setupCode } as Operator,
    settings,
    layout: layout(directory),
    log: () => undefined,
  }
  const { organizationId, address } = await seed(seeding)
  writeFileSync(
    join(directory, ".env.local"),
    `BASE_URL="${url}"\nORGANIZATION_ID="${organizationId}"\nSIGN_WITH="${address}"\n`,
  )
  const call = (...words: string[]) => commandLine({ COUNTERSIGN_DATA_DIR: directory }, ...words)
  const json = async (...words: string[]) => JSON.parse((await call(...words, "--json")).out)
  return { system, directory, organizationId, address: address as `0x${string}`, call, json }
}

/** The first id in a text. */
export function idIn(text: string): string {
  return /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)?.[0] ?? ""
}
