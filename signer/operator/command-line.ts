import type { CertificateCommand, PairByLineCommand } from "./certify.ts"
import { laterCommand } from "./later.ts"
import type { LedgerShowCommand } from "./ledger-show.ts"
import type { PairCommand } from "./pair.ts"
import { excessWords, parseWords, UsageFault, unknownCommand } from "../core/command-line.ts"

/** A command of the operator. */
export type ParsedCommand =
  | { name: "help" | "version" }
  | { name: "serve" }
  | { name: "init" | "doctor" | "config"; json: boolean }
  | { name: "status" | "accept-clock" | "pins"; json: boolean; waitSeconds: number }
  | { name: "accept-ledger"; json: boolean; waitSeconds: number; isRestored: boolean }
  | ({ name: "pair"; json: boolean } & PairCommand)
  | ({ name: "pair-by-line"; json: boolean } & PairByLineCommand)
  | ({ name: "certificate"; json: boolean } & CertificateCommand)
  | ({ name: "ledger"; json: boolean } & LedgerShowCommand)
  | { name: "erase"; json: boolean; waitSeconds: number; organizationId: string }
  | {
      name: "setup-code"
      json: boolean
      waitSeconds: number
      publicKey: string
      expirationSeconds: number
    }

export type SignerCommand = Exclude<
  ParsedCommand,
  { name: "help" | "version" | "serve" | "init" | "doctor" | "config" | "pair-by-line" | "certificate" }
>

export const usage = `Usage: countersign-signer <command>

  init                     create a deployment, its root seed and its ledger, and print its public identity
  serve                    run the signer
      --print-config       print the settings, as config does, and start nothing
  setup-code --for KEY     print a one-use code with which KEY creates a top-level organization
      --expires SECONDS    how long the code is valid (default: one day)
  status                   print the signer's phase, and why; exit status 3 unless it is ready
  accept-clock             accept this host's clock although it contradicts the ledger
  accept-ledger            accept a ledger that is older than signed state: what is newer is lost
      --restored           say that the ledger is an older copy, before newer state is shown; nothing is decided for 65 minutes
  pins                     print this deployment's public identity, and its digest
  pair                     print what this signer is paired with, as words to compare on both hosts
      --fetcher KEY        print the settings that pair signer and fetcher; KEY: countersign-fetcher public-key
      --auth-proxy KEY     the same for an auth proxy
  pair NAME --join LINE    issue the certificate that NAME asks for, api or fetcher, and print the answer
      --words WORDS        words that the host of NAME shows; without them the command asks
  certificate HOST:PORT    make the signer's own certificate for mutual TLS, and print its settings
      --renew              make the next one although there is one
  ledger show [ID]         print the ledger's figures, and its version of the organization with this id
  erase ID                 remove the name of a deleted sub-organization from the ledger
  config                   print every setting with its value and where it came from
  doctor                   check settings, root seed, pairing and the running signer
  help                     print this
  --version                print the version

  --json                   print the result on one line
  --wait SECONDS           wait until the signer answers (default: 0)

Examples:
  countersign-signer init
  countersign-signer status --wait 30
  countersign-signer setup-code --for 02f739f8... --expires 3600
  countersign-signer pins --json
  countersign-signer pair --auth-proxy 02f739f8...
  countersign-signer certificate signer.internal:7443
  countersign-signer pair api --join countersign-join-request.Cg...
  countersign-signer ledger show 0199b2c4-7a10-7000-8000-3f6d5c2b1a09
  countersign-signer erase 0199b2c4-7a10-7000-8000-3f6d5c2b1a09
  countersign-signer config

setup-code, status, accept-clock, accept-ledger, pins, pair, ledger and erase ask the running signer through the operator's socket:
COUNTERSIGN_SIGNER_OPERATOR_SOCKET, or operator/operator.sock in COUNTERSIGN_DATA_DIR. init, config, doctor, certificate and pair --join
need no running signer. Exit status: 0 done, 1 fault, 2 usage, 3 refused, 5 unreachable or locked`

const PROGRAM = "countersign-signer"

const COMMANDS = [
  "init",
  "serve",
  "setup-code",
  "status",
  "accept-clock",
  "accept-ledger",
  "pins",
  "pair",
  "certificate",
  "ledger",
  "erase",
  "config",
  "doctor",
  "help",
]

const OPTIONS = {
  for: { type: "string" },
  expires: { type: "string" },
  wait: { type: "string" },
  json: { type: "boolean" },
  "print-config": { type: "boolean" },
  fetcher: { type: "string" },
  "auth-proxy": { type: "string" },
  join: { type: "string" },
  words: { type: "string" },
  renew: { type: "boolean" },
  restored: { type: "boolean" },
  qr: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const

/** @throws {UsageFault} */
export function readCommand(words: readonly string[]): ParsedCommand {
  const later = laterCommand(words)
  if (later !== undefined) throw new UsageFault(later)
  const { values, positionals } = parseWords(words, OPTIONS, PROGRAM)
  const [command, ...rest] = positionals
  if (values.help || command === "help") return { name: "help" }
  if (values.version) return { name: "version" }
  if (command === undefined) throw new UsageFault(`no command\n\n${usage}`)
  if (!COMMANDS.includes(command)) throw unknownCommand(command, COMMANDS, PROGRAM)
  const excess = rest.slice(takenBy(command, values.join !== undefined))
  if (excess.length > 0) throw excessWords(excess, command, PROGRAM)
  requireOwnOptions(command, values)
  const isListing = values["print-config"] ?? false
  const common = { json: values.json ?? false, waitSeconds: readCount("--wait", values.wait ?? "0", 3_600) }
  switch (command) {
    case "serve":
      return isListing ? { name: "config", json: common.json } : { name: command }
    case "init":
    case "config":
    case "doctor":
      return { name: command, json: common.json }
    case "status":
    case "accept-clock":
    case "pins":
      return { name: command, ...common }
    case "accept-ledger":
      return { name: command, ...common, isRestored: values.restored ?? false }
    case "pair":
      return values.join === undefined
        ? { name: command, ...common, ...peerOf(values.fetcher, values["auth-proxy"]) }
        : byLine(rest[0], values.join, values)
    case "certificate":
      if (rest[0] === undefined)
        throw new UsageFault("certificate needs HOST:PORT, the signer's address: signer.internal:7443")
      return { name: command, json: common.json, address: rest[0], isRenewal: values.renew ?? false }
    case "ledger":
      return { name: "ledger", ...common, organizationId: organizationOf(rest) }
    case "erase":
      if (rest[0] === undefined) throw new UsageFault("erase needs the id of a deleted sub-organization")
      return { name: command, ...common, organizationId: rest[0] }
    case "setup-code": {
      const publicKey = values.for
      if (publicKey === undefined)
        throw new UsageFault("setup-code needs --for PUBLIC_KEY: the only key that can use it")
      // 0: the signer's default.
      const expirationSeconds = readCount("--expires", values.expires ?? "0", 0xffff_ffff)
      return { name: command, ...common, publicKey, expirationSeconds }
    }
    default:
      throw unknownCommand(command, COMMANDS, PROGRAM)
  }
}

/** Refuses an option that belongs to another command. @throws {UsageFault} */
function requireOwnOptions(
  command: string,
  values: ReturnType<typeof parseWords<typeof OPTIONS>>["values"],
): void {
  if (command !== "setup-code" && (values.for ?? values.expires) !== undefined)
    throw new UsageFault("--for and --expires belong to setup-code")
  if (command !== "pair" && (values.fetcher ?? values["auth-proxy"]) !== undefined)
    throw new UsageFault("--fetcher and --auth-proxy belong to pair")
  if ((command !== "pair" || values.join === undefined) && (values.join ?? values.words) !== undefined)
    throw new UsageFault("--join and --words belong to pair NAME --join LINE")
  if (command !== "certificate" && values.renew !== undefined)
    throw new UsageFault("--renew belongs to certificate")
  if (command !== "accept-ledger" && values.restored !== undefined)
    throw new UsageFault("--restored belongs to accept-ledger")
  if (values.qr === true) throw new UsageFault(command === "pins" ? QR_ELSEWHERE : "--qr belongs to pins")
  if (values["print-config"] === true && command !== "serve")
    throw new UsageFault("--print-config belongs to serve")
}

/** The signer's zone draws no picture: a package for it would run beside the root seed. */
const QR_ELSEWHERE = `this program draws no QR code. Where countersign is installed:
  ssh SIGNER countersign-signer pins --json | countersign pins show --pins - --qr`

type PairOptions = { [option in "words" | "fetcher" | "auth-proxy"]?: string } & { json?: boolean }

function peerOf(
  fetcher: string | undefined,
  authProxy: string | undefined,
): Pick<PairCommand, "peer" | "key"> {
  if (fetcher !== undefined && authProxy !== undefined)
    throw new UsageFault("pair takes one key: --fetcher or --auth-proxy")
  if (fetcher !== undefined) return { peer: "fetcher", key: fetcher }
  return authProxy === undefined ? {} : { peer: "auth-proxy", key: authProxy }
}

/** How many words follow a command. */
function takenBy(command: string, isJoin: boolean): number {
  if (command === "ledger") return 2
  return command === "certificate" || command === "erase" || (command === "pair" && isJoin) ? 1 : 0
}

/** `pair NAME --join LINE` */
function byLine(
  process: string | undefined,
  line: string,
  { json = false, words, fetcher, "auth-proxy": authProxy }: PairOptions,
): ParsedCommand {
  if ((fetcher ?? authProxy) !== undefined)
    throw new UsageFault("pair takes either --join or a key: --fetcher or --auth-proxy")
  if (process === undefined)
    throw new UsageFault("pair --join needs the name that you expect: pair api --join LINE")
  return { name: "pair-by-line", json, process, line, words }
}

/** The id after `ledger show`; empty: none. The signer checks its form. */
function organizationOf([word, organizationId = ""]: readonly string[]): string {
  if (word !== "show") throw new UsageFault("ledger takes show, and the id of an organization")
  return organizationId
}

function readCount(name: string, text: string, max: number): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= max) return Number(text)
  throw new UsageFault(`${name}: write a whole number of seconds up to ${max}`)
}
