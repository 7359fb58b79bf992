import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { type Check, linesOfChecks } from "../../signer/core/checks.ts"
import { closestName } from "../../signer/core/closest-name.ts"
import { excessWords, parseWords, UsageFault, unknownCommand } from "../../signer/core/command-line.ts"
import { install, linesOfInstallation } from "../../signer/core/install/install.ts"
import { SettingsError } from "../../signer/core/settings/settings.ts"
import { ownVersion } from "../common/own-version.ts"
import { NODE_PROGRAM as PROGRAM, sayFault } from "../common/program.ts"
import { doctor } from "./doctor.ts"
import { hostAt, readText } from "../../signer/core/install/host.ts"
import { type ProcessName, PROCESSES, ROOT } from "./programs.ts"
import { linesOfListing, listSettings } from "./settings.ts"

/** Exit statuses, the same as those of `countersign`. */
const DONE = 0
const USAGE_FAULT = 2
const UNREACHABLE = 5

const USAGE = `Usage: countersign-node <command>

  install api|proxy|worker|dashboard
                             make its user, folder, settings file and unit on this host, as root, from an unpacked release
      --root DIR             the same below DIR, for an image of a host
  serve api|proxy|worker|dashboard
                             run one process of the untrusted hosts until it is stopped
      --print-config         print its settings, as config does, and start nothing
  config [PROCESS] [--json]  print every setting with its value and where it came from
  db plan [--json]           list the migrations of the database that are applied, pending or altered
  db migrate [--json]        apply pending migrations, as the API does when it starts
  db prune --older-than 90d  export old activities to files and remove them: db prune --help
  db cut                     after a restore, bring a database that is newer than the ledger to its moment: db cut --help
  db erase ID                erase a deleted sub-organization: db erase --help
  backup database|proxy create|restore|rehearse
                             make, restore or rehearse a part of a backup: backup database --help
  backup host                as root: make the parts of this host, each as the user of its process: backup host --help
  proxy unlock|status|change-daily|public-key
                             open the sealed key of the auth proxy, or print its public half: proxy help
  join api                   ask the signer's operator for the certificate of the API, and install it: join api --help
  doctor [--json]            check the settings, the database and the processes of this host
  help                       print this
  --version                  print the version

Examples:
  DATABASE_URL=postgres://countersign@db.example/countersign countersign-node db plan
  countersign-node serve worker
  countersign-node serve api --print-config
  countersign-node config worker --json
  countersign-node join api
  countersign-node doctor

Settings: COUNTERSIGN_... and DATABASE_URL in the environment, see docs/OPERATIONS.md.
Exit status: 0 done, 1 fault, 2 usage, 3 refused, 5 unreachable or locked`

const COMMANDS = ["install", "serve", "config", "db", "backup", "proxy", "join", "doctor", "help"]
const NAMES = Object.keys(PROCESSES) as ProcessName[]
const MIGRATIONS = "services/api/migrations.ts"
/** Commands of `db` that have options of their own. */
const DATABASE_COMMANDS = new Map([
  ["prune", "services/api/prune.ts"],
  ["cut", "services/api/cut.ts"],
  ["erase", "services/api/erase.ts"],
])
/** Parts of a backup that this program makes, all those of a host, and the file of each command. */
const PARTS = new Map([
  ["database", "services/api/backup.ts"],
  ["proxy", "services/auth-proxy/backup.ts"],
  ["host", "services/node/backup-host.ts"],
])
const JOIN = "services/api/join.ts"
const PROXY = "services/auth-proxy/main.ts"

const OPTIONS = {
  "print-config": { type: "boolean" },
  json: { type: "boolean" },
  root: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const

/** Runs one command line of `countersign-node`. */
export async function run(words: readonly string[]): Promise<number> {
  try {
    const [command, ...rest] = words
    const file = command === "db" ? DATABASE_COMMANDS.get(rest.find(isName) ?? "") : undefined
    if (file !== undefined) return await load(file, rest.toSpliced(rest.findIndex(isName), 1))
    if (command === "join") return await joinSigner(rest)
    if (command === "proxy") return await runProxy(rest)
    return await (command === "backup" ? backUp(rest) : runCommand(words))
  } catch (error) {
    if (error instanceof UsageFault) return usageFault(error.message)
    throw error
  }
}

const isName = (word: string) => !word.startsWith("-")

/** Runs a command that has no options of its own. @throws {UsageFault} */
function runCommand(words: readonly string[]): Promise<number> | number {
  const { values, positionals } = parseWords(words, OPTIONS, PROGRAM)
  const [command, ...rest] = positionals
  const { json: isJson = false, "print-config": isListing = false } = values
  if (values.help === true || command === "help") {
    console.log(USAGE)
    return DONE
  }
  if (values.version === true) {
    console.log(ownVersion())
    return DONE
  }
  if (isListing && command !== "serve") throw new UsageFault("--print-config belongs to serve")
  switch (command) {
    case "serve":
      if (rest.length !== 1 || (isJson && !isListing))
        throw new UsageFault(`serve takes one of ${NAMES.join(", ")}, and --print-config`)
      return withProcess(rest[0], (name) =>
        isListing || name === undefined
          ? showSettings(name, isJson)
          : load(`${PROCESSES[name].folder}/main.ts`, []),
      )
    case "install":
      if (rest.length !== 1) throw new UsageFault(`install takes one of ${NAMES.join(", ")}, and --root DIR`)
      return withProcess(rest[0], (name) => installProcess(name, values.root ?? "/"))
    case "config":
      if (rest.length > 1) throw new UsageFault(`config takes one of ${NAMES.join(", ")}, or nothing`)
      return withProcess(rest[0], (name) => showSettings(name, isJson))
    case "db":
      if (rest.length !== 1 || !["plan", "migrate"].includes(rest[0] ?? ""))
        throw new UsageFault("db takes plan, migrate, prune, cut or erase")
      return load(MIGRATIONS, [...rest, ...(isJson ? ["--json"] : [])])
    case "doctor":
      if (rest.length > 0) throw excessWords(rest, command, PROGRAM)
      return doctor(process.env).then((checks) => printChecks(checks, isJson))
    case undefined:
      throw new UsageFault(`no command\n\n${USAGE}`)
    default:
      throw unknownCommand(command, COMMANDS, PROGRAM)
  }
}

/** The API alone calls signer and fetcher: the other processes have no use for a certificate. */
function joinSigner([name, ...words]: readonly string[]): Promise<number> | number {
  if (name === "api") return load(JOIN, words)
  if (name === undefined || name.startsWith("-"))
    throw new UsageFault("join takes api, the process that joins: countersign-node join api --help")
  return withProcess(name, (known) => {
    throw new UsageFault(
      `the ${PROCESSES[known ?? "api"].name} calls neither signer nor fetcher and needs no certificate: join api`,
    )
  })
}

/** Words that name a command of the auth proxy, or ask about them. Others would serve it: `--` alone too. */
const isProxyWord = (word: string) => isName(word) || /^(?:-h|--help|--version)$/.test(word)

/** The commands of the auth proxy about its own key. @throws {UsageFault} */
function runProxy(words: readonly string[]): Promise<number> {
  if (words.some(isProxyWord) && !words.includes("serve")) return load(PROXY, words)
  throw new UsageFault("proxy takes unlock, status, change-daily or public-key: countersign-node proxy help")
}

/** @throws {UsageFault} */
function backUp([part = "", ...words]: readonly string[]): Promise<number> {
  const file = PARTS.get(part)
  if (file !== undefined) return load(file, words)
  const names = [...PARTS.keys()].join(", ")
  throw new UsageFault(`backup takes one of ${names}: countersign-node backup database --help`)
}

/** @throws {UsageFault} in a checkout, and in an archive of another zone */
async function installProcess(name: ProcessName | undefined, root: string): Promise<number> {
  if (name === undefined) throw new UsageFault("install takes the name of one process")
  const zone = PROCESSES[name].folder.replace(/^services\//, "").replace(/-host$/, "")
  const installed = install({ zone, folder: ROOT }, readText, hostAt(resolve(root)))
  for (const line of linesOfInstallation(installed)) console.log(line)
  return DONE
}

/** Prints the settings of one process or of all. @returns 2 if any is faulty */
async function showSettings(name: ProcessName | undefined, isJson: boolean): Promise<number> {
  const listing = await listSettings(name === undefined ? NAMES : [name], process.env)
  for (const line of isJson ? [JSON.stringify(listing)] : linesOfListing(listing)) console.log(line)
  return listing.faults.length === 0 ? DONE : usageFault(new SettingsError(listing.faults).message)
}

/** Calls `use` with the name of a process; undefined stands for all. @throws {UsageFault} an unknown name */
function withProcess(
  name: string | undefined,
  use: (name: ProcessName | undefined) => Promise<number>,
): Promise<number> | number {
  const known = NAMES.find((one) => one === name)
  if (known !== undefined || name === undefined) return use(known)
  const meant = closestName(name, NAMES)
  throw new UsageFault(
    `no process "${name}"; ${meant === undefined ? `use ${NAMES.join(", ")}` : `did you mean ${meant}?`}`,
  )
}

/** Runs a program in this process, as if it had been started itself. */
async function load(file: string, words: readonly string[]): Promise<number> {
  const path = join(ROOT, file)
  if (!existsSync(path))
    return usageFault(`this installation has no ${file}: run the command where it is installed`)
  process.argv.splice(2, process.argv.length, ...words)
  await import(path)
  return Number(process.exitCode ?? DONE)
}

function printChecks(checks: readonly Check[], isJson: boolean): number {
  for (const line of isJson ? [JSON.stringify({ checks })] : linesOfChecks(checks)) console.log(line)
  if (checks.some(({ state }) => state === "FAULT")) return USAGE_FAULT
  return checks.some(({ state }) => state === "DOWN") ? UNREACHABLE : DONE
}

function usageFault(message: string): number {
  sayFault(message, USAGE_FAULT, PROGRAM)
  return USAGE_FAULT
}
