// Commands about backups on hosts that are folders, and holders who can open them.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Test } from "tap"
import { openOwnKey } from "../../services/auth-proxy/own-key.ts"
import { publicHexOf, readHolderPrivateKey } from "../../signer/core/backup/keys.ts"
import { CodeStore } from "../../signer/fetcher/codes/store.ts"
import { readConfig as readFetcherConfig } from "../../signer/fetcher/config.ts"
import { identityOf } from "../../signer/fetcher/identity.ts"
import { readRootSeed } from "../../signer/process/root-seed.ts"
import { atEnd } from "./at-end.ts"
import { type Ended, runCommandLine, startCommand } from "./commands.ts"
import type { Database } from "../../services/database/database.ts"
import { freshDatabase } from "./database.ts"
import { System } from "./system.ts"

const ROOT = join(import.meta.dirname, "..", "..")

/** A private key of a holder, as the files of the published clients have it. */
const HOLDER = "5ca1ab1e".repeat(8)
/** The same of an auth proxy. */
const PROXY = "5ca1ab1f".repeat(8)

/** An empty folder with a short path: sockets are made in it. */
export function emptyHost(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "cs-host-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Files of a holder: `key` opens what was made for `holders`. */
export function holderFiles(folder: string): { key: string; holders: string } {
  const [key, holders] = [join(folder, "holder.key"), join(folder, "holders")]
  writeFileSync(key, HOLDER, { mode: 0o600 })
  writeFileSync(holders, `# who can open backups\n${publicHexOf(readHolderPrivateKey(HOLDER)!)} alice\n`)
  return { key, holders }
}

/** A folder of one test, with files of a holder. */
export function holderFolder(t: Test) {
  const folder = t.testdir()
  return { at: (name: string) => join(folder, name), ...holderFiles(folder) }
}

type SystemToBackUp = { system: System; directory: string; url: string; sql: Database }

/** A running system of its own that backups are made of. */
export async function systemToBackUp(
  t: Pick<Test, "teardown">,
  signerSettings: NodeJS.ProcessEnv = {},
): Promise<SystemToBackUp> {
  const { url, sql } = await freshDatabase(t)
  const system = await System.start(url, {}, signerSettings)
  t.teardown(() => system.stop())
  return { system, directory: system.directory, url, sql }
}

/** Without a connection to its database, which would keep the process from ending. */
type SharedSystem = Omit<SystemToBackUp, "sql">

let shared: Promise<SharedSystem> | undefined

/**
 * A running system whose backups the test files of one process make. A file that kills a process of it starts that again, and one that puts
 * files into its folder removes them. Its pins name a key of an auth proxy that no rehearsal has: it is a setting of the signer.
 */
export function sharedSystemToBackUp(): Promise<SharedSystem> {
  return (shared ??= startShared())
}

async function startShared(): Promise<SharedSystem> {
  const started = await systemToBackUp(
    { teardown: (clean) => atEnd(async () => void (await clean())) },
    { COUNTERSIGN_SIGNER_AUTH_PROXY_PUBLIC_KEY: publicHexOf(readHolderPrivateKey(PROXY)!) },
  )
  started.system.unref()
  return started
}

/** Runs a command line of a program of this release in the place of a host. */
export function runOn(
  directory: string,
  [program = "", ...words]: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const env = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: directory, ...environment }
  const line = { program, words, environment: env, input: "" }
  // Options of Node are those of a start.
  return "NODE_OPTIONS" in environment ? startCommand(line) : runCommandLine(line)
}

/** Begins a program of this release in the place of a host; it is killed when the test ends. */
export function beginOn(t: Test, directory: string, words: readonly string[]): ChildProcess {
  const [program = "", ...rest] = words
  const child = spawn(process.execPath, [join(ROOT, program), ...rest], {
    env: { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: directory },
    stdio: "ignore",
  })
  t.teardown(() => child.kill("SIGKILL"))
  return child
}

/** `countersign-signer` on a host. */
export const signerCommand = (directory: string, ...words: string[]): Promise<Ended> =>
  runOn(directory, ["signer/operator/main.ts", ...words])

/** `countersign-fetcher` on a host. */
export const fetcherCommand = (directory: string, ...words: string[]): Promise<Ended> =>
  runOn(directory, ["signer/fetcher/main.ts", ...words])

/** `countersign-node` on a host with a database. */
export const nodeCommand = (directory: string, databaseUrl: string, ...words: string[]): Promise<Ended> =>
  runOn(directory, ["services/node/main.ts", ...words], { DATABASE_URL: databaseUrl })

type AllParts = {
  directory: string
  url: string
  holders: string
  out: string
  environment?: NodeJS.ProcessEnv
}

/**
 * A backup of a running system with all four parts, which lie beside it: `OUT.database`, `OUT.fetcher`, `OUT.proxy`. Fetcher and auth
 * proxy get a seed and a key if they have none.
 * @returns the file of the archive
 */
export async function backUpAll({
  directory,
  url,
  holders,
  out,
  environment = {},
}: AllParts): Promise<string> {
  const done = async (ended: Promise<Ended>): Promise<string> => {
    const { status, out: printed, log } = await ended
    if (status !== 0) throw new Error(log)
    return printed
  }
  if (!existsSync(join(directory, "fetcher", "seed"))) {
    await done(fetcherCommand(directory, "init"))
    const { codesFile, seedFile } = readFetcherConfig({ COUNTERSIGN_DATA_DIR: directory })
    CodeStore.open(codesFile, identityOf(readRootSeed(seedFile)).codeKeys.store).close()
  }
  const proxyKey = join(directory, "auth-proxy", "key")
  mkdirSync(dirname(proxyKey), { recursive: true, mode: 0o700 })
  if (!existsSync(proxyKey)) openOwnKey(proxyKey)
  const create = (part: string) => ["create", "--to", holders, "--json", "--out", `${out}.${part}`]
  const begun = await done(nodeCommand(directory, url, "backup", "database", ...create("database")))
  const id = ["--id", (JSON.parse(begun) as { backupId: string }).backupId]
  await done(fetcherCommand(directory, "backup", ...create("fetcher"), ...id))
  const proxy = ["services/node/main.ts", "backup", "proxy", ...create("proxy"), ...id]
  await done(runOn(directory, proxy, environment))
  const parts = ["database", "fetcher", "proxy"].map((part) => `${out}.${part}`)
  await done(signerCommand(directory, "backup", "create", "--to", holders, "--out", out, ...parts))
  return out
}

/** A signer of this release on a host, until the test ends. */
export function serveSigner(t: Test, directory: string): void {
  const child = spawn(process.execPath, [join(ROOT, "signer/enclave/main.ts")], {
    env: { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: directory, COUNTERSIGN_EXIT_WITH_PARENT: "1" },
    stdio: ["pipe", "ignore", "ignore"],
  })
  t.teardown(async () => {
    child.kill("SIGKILL")
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  })
}
