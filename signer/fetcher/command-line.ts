import { parseWords, UsageFault, unknownCommand } from "../process/usage.ts"

/** A command of `countersign-fetcher`. */
export type Command =
  | { name: "serve"; isInit: boolean }
  | { name: "doctor" | "config"; json: boolean }
  | { name: "init" | "public-key" | "help" | "version" }

export const usage = `Usage: countersign-fetcher <command>

  init            create the fetcher's seed, and print its public keys
  serve           run the fetcher
      --init      create its seed first
      --print-config   print the settings, as config does, and start nothing
  public-key      print the fetcher's public keys, with which a signer is paired: key set, on-ramp key
  config          print every setting with its value and where it came from
  doctor          check settings, seed, pairing and delivery of messages
  help            print this
  --version       print the version

  --json          print the result of config or doctor on one line

Examples:
  countersign-fetcher serve --init
  countersign-fetcher public-key
  countersign-fetcher doctor --json
  countersign-fetcher config

Settings: COUNTERSIGN_FETCHER_... in the environment, see docs/OPERATIONS.md.
Exit status: 0 done, 1 fault, 2 usage, 5 another fetcher runs`

const COMMANDS = ["init", "serve", "public-key", "config", "doctor", "help"]

const OPTIONS = {
  init: { type: "boolean" },
  "print-config": { type: "boolean" },
  json: { type: "boolean" },
  version: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

/** @throws {UsageFault} */
export function readCommand(words: readonly string[]): Command {
  const { values, positionals } = parseWords(words, OPTIONS)
  const [command, ...rest] = positionals
  if (values.version) return { name: "version" }
  if (values.help || command === "help") return { name: "help" }
  if (command !== undefined && !COMMANDS.includes(command)) throw unknownCommand(command, COMMANDS, usage)
  if (rest.length > 0) throw new UsageFault(`"${rest.join(" ")}" is not expected after ${command}`)
  const { init: isInit = false, "print-config": isListing = false, json = false } = values
  if ((isInit || isListing) && command !== "serve")
    throw new UsageFault("--init and --print-config belong to serve")
  if (json && command !== "config" && command !== "doctor" && !isListing)
    throw new UsageFault("--json belongs to config and doctor")
  switch (command) {
    case "serve":
      return isListing ? { name: "config", json } : { name: command, isInit }
    case "config":
    case "doctor":
      return { name: command, json }
    case "init":
    case "public-key":
      return { name: command }
    default:
      throw unknownCommand(command, COMMANDS, usage)
  }
}
