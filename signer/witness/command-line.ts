import { excessWords, parseWords, UsageFault, unknownCommand } from "../core/command-line.ts"

/** A command of `countersign-witness`. */
export type WitnessCommand =
  | { name: "serve"; isInit: boolean }
  | { name: "doctor" | "config"; json: boolean }
  | { name: "install"; root: string }
  | { name: "init" | "key" | "help" | "version" }

export const usage = `Usage: countersign-witness <command>

  install         make the user, folder, settings file and unit of the witness on this host, as root, from an unpacked release
      --root DIR  the same below DIR, for an image of a host
  init            make the witness's key and its store of heads, and print the key
  serve           run the witness
      --init      make key and store first
      --print-config   print the settings, as config does, and start nothing
  key             print the witness's key, for those who count its cosignatures
  config          print every setting with its value and where it came from
  doctor          check settings, key, store and keys of logs
  help            print this
  --version       print the version

  --json          print the result of config or doctor on one line

Examples:
  countersign-witness serve --init
  countersign-witness key
  countersign-witness doctor --json

Settings: COUNTERSIGN_WITNESS_... in the environment, see docs/OPERATIONS.md.
Exit status: 0 done, 1 fault, 2 usage, 5 another witness runs`

const PROGRAM = "countersign-witness"

const COMMANDS = ["install", "init", "serve", "key", "config", "doctor", "help"]

const OPTIONS = {
  init: { type: "boolean" },
  "print-config": { type: "boolean" },
  json: { type: "boolean" },
  root: { type: "string" },
  version: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

/** @throws {UsageFault} */
export function readCommand(words: readonly string[]): WitnessCommand {
  const { values, positionals } = parseWords(words, OPTIONS, PROGRAM)
  const [command, ...rest] = positionals
  if (values.version) return { name: "version" }
  if (values.help || command === "help") return { name: "help" }
  if (command === undefined) throw new UsageFault(`no command\n\n${usage}`)
  if (!COMMANDS.includes(command)) throw unknownCommand(command, COMMANDS, PROGRAM)
  if (rest.length > 0) throw excessWords(rest, command, PROGRAM)
  const { init: isInit = false, "print-config": isListing = false, json = false } = values
  if ((isInit || isListing) && command !== "serve")
    throw new UsageFault("--init and --print-config belong to serve")
  if (json && command !== "config" && command !== "doctor" && !isListing)
    throw new UsageFault("--json belongs to config and doctor")
  if (values.root !== undefined && command !== "install") throw new UsageFault("--root belongs to install")
  switch (command) {
    case "install":
      return { name: command, root: values.root ?? "/" }
    case "serve":
      return isListing ? { name: "config", json } : { name: command, isInit }
    case "config":
    case "doctor":
      return { name: command, json }
    case "init":
    case "key":
      return { name: command }
    default:
      throw unknownCommand(command, COMMANDS, PROGRAM)
  }
}
