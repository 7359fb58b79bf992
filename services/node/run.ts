import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { closestName } from "../common/closest-name.ts"
import { doctor, type Check } from "./doctor.ts"
import { ROOT } from "./programs.ts"

/** Exit statuses, the same as those of `countersign`. */
const DONE = 0
const USAGE_FAULT = 2
const UNREACHABLE = 5

const USAGE = `Usage: countersign-node <command>

  serve api|proxy|worker   run one process of the untrusted hosts until it is stopped
  db plan [--json]         list the migrations of the database that are applied, pending or altered
  db migrate [--json]      apply pending migrations, as the API does when it starts
  doctor [--json]          check the settings, the database and the processes of this host
  help                     print this
  --version                print the version

Examples:
  DATABASE_URL=postgres://countersign@db.example/countersign countersign-node db plan
  countersign-node serve worker
  countersign-node doctor

Settings: COUNTERSIGN_... and DATABASE_URL in the environment, see docs/OPERATIONS.md.
Exit status: 0 done, 1 fault, 2 usage, 3 refused, 5 unreachable or locked`

/** Programs by the name of their process. Each image has only its own. */
const SERVED: { readonly [name: string]: string } = {
  api: "services/api/main.ts",
  proxy: "services/auth-proxy/main.ts",
  worker: "services/worker/main.ts",
}
const MIGRATIONS = "services/api/migrations.ts"

/** Runs one command line of `countersign-node`. */
export async function run([command, ...rest]: readonly string[]): Promise<number> {
  const isJson = rest.includes("--json")
  const words = rest.filter((word) => word !== "--json")
  switch (command) {
    case "serve":
      return words.length === 1 && !isJson
        ? serve(words[0] ?? "")
        : usageFault(`serve takes one of ${names()}`)
    case "db":
      if (words.length !== 1 || !["plan", "migrate"].includes(words[0] ?? ""))
        return usageFault("db takes plan or migrate")
      return load(MIGRATIONS, rest)
    case "doctor":
      if (words.length > 0) return usageFault(`"${words.join(" ")}" is not expected after doctor`)
      return printChecks(await doctor(process.env), isJson)
    case "help":
    case "--help":
    case "-h":
      console.log(USAGE)
      return DONE
    case "--version":
      console.log(ownVersion())
      return DONE
    default:
      return usageFault(command === undefined ? `no command\n\n${USAGE}` : unknownCommand(command))
  }
}

function serve(name: string): Promise<number> | number {
  const file = SERVED[name]
  if (file !== undefined) return load(file, [])
  const meant = closestName(name, Object.keys(SERVED))
  return usageFault(
    `no process "${name}"; ${meant === undefined ? `use ${names()}` : `did you mean ${meant}?`}`,
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
  if (isJson) console.log(JSON.stringify({ checks }))
  else for (const { state, name, sentence } of checks) console.log(`${state.padEnd(7)} ${name}: ${sentence}`)
  if (checks.some(({ state }) => state === "FAULT")) return USAGE_FAULT
  return checks.some(({ state }) => state === "DOWN") ? UNREACHABLE : DONE
}

function names(): string {
  return Object.keys(SERVED).join(", ")
}

function unknownCommand(command: string): string {
  const meant = closestName(command, ["serve", "db", "doctor", "help"])
  return meant === undefined
    ? `no command "${command}"\n\n${USAGE}`
    : `no command "${command}"; did you mean ${meant}?`
}

function usageFault(sentence: string): number {
  console.error(`countersign-node: ${sentence}`)
  return USAGE_FAULT
}

function ownVersion(): string {
  return (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version
}
