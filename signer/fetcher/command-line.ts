import type { JoinOptions } from "./join.ts"
import type { SeedCommand } from "./seed-command.ts"
import { dailyChangeOf, requireWays, unlockWayOf, waitOf, WAY_OPTIONS } from "../core/seal-commands/ways.ts"
import { excessWords, parseWords, UsageFault, unknownCommand } from "../core/command-line.ts"

/** A command of `countersign-fetcher`. */
export type FetcherCommand =
  | { name: "serve"; isInit: boolean }
  | { name: "doctor" | "config"; json: boolean }
  | { name: "install"; root: string }
  | { name: "init" | "public-key" | "help" | "version" }
  | { name: "witness-key"; isInit: boolean }
  | SeedCommand
  | ({ name: "join"; json: boolean } & JoinOptions)

export const usage = `Usage: countersign-fetcher <command>

  install         make the user, folder, settings file and unit of the fetcher on this host, as root, from an unpacked release
      --root DIR  the same below DIR, for an image of a host
  init            create the fetcher's seed, and print its public keys
  serve           run the fetcher
      --init      create its seed first
      --print-config   print the settings, as config does, and start nothing
  public-key      print the fetcher's public keys, with which a signer is paired: key set, on-ramp key
  witness-key     print the key with which this fetcher cosigns logs, for those who count its cosignatures
      --init      make its store of heads first, and so a new key
  unlock          give shares to a fetcher whose seed is sealed, until they open it
      --passphrase    give the passphrase instead
      --command       have the command of the settings give the key instead
      --wait SECONDS  wait until the fetcher answers (default: 0); also of lock and status
  lock            end the fetcher, so that its next start is sealed
  change-daily    replace the daily ways of the sealed seed by --passphrase, --command, both or none, by shares
      --by WAY        open the sealed seed by passphrase or command in the place of shares
  status          print whether the seed is open, and which shares were given; exit status 3 unless it is open
  join HOST:PORT  make a key for mutual TLS at this address, and print the line that asks for its certificate
      --renew     ask again although there is a certificate, which stays in use until the answer is here
  join --answer LINE  check the certificate that came back, and put it into its place
      --words WORDS   words of the authority, as the signer's host shows them; without them the command asks
  backup create|restore|rehearse
                  make, restore or rehearse the fetcher's part of a backup: backup --help
  config          print every setting with its value and where it came from
  doctor          check settings, seed, pairing and delivery of messages
  help            print this
  --version       print the version

  --json          print the result of config, doctor, join, unlock, lock, status or change-daily on one line

Examples:
  countersign-fetcher serve --init
  countersign-fetcher public-key
  countersign-fetcher join fetcher.internal:7444
  countersign-fetcher doctor --json
  countersign-fetcher config

Settings: COUNTERSIGN_FETCHER_... in the environment, see docs/OPERATIONS.md.
Exit status: 0 done, 1 fault, 2 usage, 3 refused, 5 another fetcher runs`

const PROGRAM = "countersign-fetcher"

const RUNNING_COMMANDS = ["unlock", "lock", "status"]
const SEED_COMMANDS = [...RUNNING_COMMANDS, "change-daily"]
const COMMANDS = [
  "install",
  "init",
  "serve",
  "public-key",
  "witness-key",
  ...SEED_COMMANDS,
  "join",
  "backup",
  "config",
  "doctor",
  "help",
]

const OPTIONS = {
  init: { type: "boolean" },
  "print-config": { type: "boolean" },
  json: { type: "boolean" },
  answer: { type: "string" },
  words: { type: "string" },
  renew: { type: "boolean" },
  root: { type: "string" },
  ...WAY_OPTIONS,
  version: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

/** @throws {UsageFault} */
export function readCommand(words: readonly string[]): FetcherCommand {
  const { values, positionals } = parseWords(words, OPTIONS, PROGRAM)
  const [command, ...rest] = positionals
  if (values.version) return { name: "version" }
  if (values.help || command === "help") return { name: "help" }
  if (command === undefined) throw new UsageFault(`no command\n\n${usage}`)
  if (!COMMANDS.includes(command)) throw unknownCommand(command, COMMANDS, PROGRAM)
  const excess = command === "join" && values.answer === undefined ? rest.slice(1) : rest
  if (excess.length > 0) throw excessWords(excess, command, PROGRAM)
  const { init: isInit = false, "print-config": isListing = false, json = false } = values
  if (isInit && command !== "serve" && command !== "witness-key")
    throw new UsageFault("--init belongs to serve and witness-key")
  if (isListing && command !== "serve") throw new UsageFault("--print-config belongs to serve")
  if (json && !["config", "doctor", "join", ...SEED_COMMANDS].includes(command) && !isListing)
    throw new UsageFault("--json belongs to config, doctor, join, unlock, lock, status and change-daily")
  requireWays(command, values)
  if (values.wait !== undefined && !RUNNING_COMMANDS.includes(command))
    throw new UsageFault("--wait belongs to unlock, lock and status")
  const { answer, words: given, renew: isRenewal } = values
  if (command !== "join" && (answer ?? given ?? isRenewal) !== undefined)
    throw new UsageFault("--answer, --words and --renew belong to join")
  if (values.root !== undefined && command !== "install") throw new UsageFault("--root belongs to install")
  switch (command) {
    case "install":
      return { name: command, root: values.root ?? "/" }
    case "serve":
      return isListing ? { name: "config", json } : { name: command, isInit }
    case "config":
    case "doctor":
      return { name: command, json }
    case "join":
      if (answer === undefined ? rest[0] === undefined || given !== undefined : isRenewal === true)
        throw new UsageFault("join takes HOST:PORT and --renew, or --answer LINE and --words WORDS")
      return {
        name: command,
        json,
        address: rest[0] ?? "",
        isRenewal: isRenewal ?? false,
        answer,
        words: given,
      }
    case "unlock":
      return { name: command, json, by: unlockWayOf(values), waitSeconds: waitOf(values.wait) }
    case "lock":
    case "status":
      return { name: command, json, waitSeconds: waitOf(values.wait) }
    case "change-daily":
      return { name: command, json, ...dailyChangeOf(values) }
    case "witness-key":
      return { name: command, isInit }
    case "init":
    case "public-key":
      return { name: command }
    default:
      throw unknownCommand(command, COMMANDS, PROGRAM)
  }
}
