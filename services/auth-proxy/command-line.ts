import { excessWords, parseWords, unknownCommand, UsageFault } from "../../signer/core/command-line.ts"
import {
  type DailyChange,
  dailyChangeOf,
  type OpenBy,
  requireWays,
  unlockWayOf,
  waitOf,
  WAY_OPTIONS,
} from "../../signer/core/seal-commands/ways.ts"

/** The program by which the words were given. `serves`: without a word it serves the auth proxy. */
export type ProxyProgram = { program: string; serves: boolean }

export const usageOf = ({
  program,
  serves,
}: ProxyProgram) => `Usage: ${program} ${serves ? "[command]" : "<command>"}

${serves ? "  (no word)       serve the auth proxy\n" : ""}  public-key      print the public half of the proxy's own key, with which a signer is paired; make the key if there is none
  unlock          give shares to an auth proxy whose key is sealed, until they open it
      --passphrase    give the passphrase instead
      --command       have the command of the settings give the key instead
      --wait SECONDS  wait until an auth proxy asks for its shares (default: 0); also of status
  change-daily    replace the daily ways of the sealed key by --passphrase, --command, both or none, by shares
      --by WAY        open the sealed key by passphrase or command in the place of shares
  status          print which shares were given to an auth proxy that waits for them
  help            print this
  --version       print the version

  --json          print the result of unlock, status or change-daily on one line

${serves ? "On an installed host, countersign-node proxy takes the same words.\n" : ""}To lock the key again, stop the process: it starts sealed.`

/** A command of the auth proxy. */
export type AuthProxyCommand =
  | { name: "serve" }
  | { name: "public-key" }
  | { name: "help" }
  | { name: "version" }
  | { name: "unlock"; json: boolean; by: OpenBy; waitSeconds: number }
  | { name: "status"; json: boolean; waitSeconds: number }
  | ({ name: "change-daily"; json: boolean } & DailyChange)

const COMMANDS = ["public-key", "unlock", "change-daily", "status", "help"]
const KEY_COMMANDS = ["unlock", "status", "change-daily"]
const OPTIONS = {
  ...WAY_OPTIONS,
  json: { type: "boolean" },
  version: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

/** @throws {UsageFault} */
export function readCommand(words: readonly string[], { program, serves }: ProxyProgram): AuthProxyCommand {
  const { values, positionals } = parseWords(words, OPTIONS, program)
  const [command = "serve", ...rest] = positionals
  if (values.version) return { name: "version" }
  if (values.help || command === "help") return { name: "help" }
  const known = serves ? ["serve", ...COMMANDS] : COMMANDS
  if (command !== "serve" && !known.includes(command)) throw unknownCommand(command, known, program)
  if (rest.length > 0) throw excessWords(rest, command, program)
  requireWays(command, values)
  if (values.wait !== undefined && command !== "unlock" && command !== "status")
    throw new UsageFault("--wait belongs to unlock and status")
  const { json = false } = values
  if (json && !KEY_COMMANDS.includes(command))
    throw new UsageFault("--json belongs to unlock, status and change-daily")
  switch (command) {
    case "serve":
    case "public-key":
      return { name: command }
    case "unlock":
      return { name: command, json, by: unlockWayOf(values), waitSeconds: waitOf(values.wait) }
    case "status":
      return { name: command, json, waitSeconds: waitOf(values.wait) }
    case "change-daily":
      return { name: command, json, ...dailyChangeOf(values) }
    default:
      throw unknownCommand(command, known, program)
  }
}
