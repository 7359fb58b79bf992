import type { CertificateCommand, PairByLineCommand } from "./certify.ts"
import type { CeremonyCommand } from "./ceremony/ceremony.ts"
import { laterCommand } from "./later.ts"
import type { LedgerShowCommand } from "./ledger-show.ts"
import type { PairCommand } from "./pair.ts"
import type { UnlockCommand } from "./unlock.ts"
import { excessWords, parseWords, UsageFault, unknownCommand } from "../core/command-line.ts"

/** A command of the operator. */
export type ParsedCommand =
  | { name: "help" | "version" }
  | { name: "serve" }
  | { name: "init"; json: boolean }
  | { name: "doctor"; json: boolean; isConfinement: boolean }
  | { name: "config"; json: boolean }
  | { name: "install"; json: boolean; root: string }
  | { name: "status" | "accept-clock" | "pins"; json: boolean; waitSeconds: number }
  | { name: "accept-ledger"; json: boolean; waitSeconds: number; isRestored: boolean }
  | ({ name: "pair"; json: boolean } & PairCommand)
  | ({ name: "pair-by-line"; json: boolean } & PairByLineCommand)
  | ({ name: "certificate"; json: boolean } & CertificateCommand)
  | ({ name: "ledger"; json: boolean } & LedgerShowCommand)
  | ({ name: "ceremony" | "change-shares"; json: boolean } & CeremonyCommand)
  | ({ name: "unlock"; json: boolean } & UnlockCommand)
  | { name: "lock"; json: boolean; waitSeconds: number }
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
  | {
      name:
        | "help"
        | "version"
        | "serve"
        | "init"
        | "doctor"
        | "config"
        | "install"
        | "pair-by-line"
        | "certificate"
    }
  | { name: "ceremony" | "change-shares" | "unlock" | "lock" }
>

export const usage = `Usage: countersign-signer <command>

  install                  make the user, folder, settings file and unit of the signer on this host, as root, from an unpacked release
      --root DIR           the same below DIR, for an image of a host
  init                     create a deployment, its root seed and its ledger, and print its public identity
  ceremony                 seal the root seed, a new one or that of a plain file, and hand out shares of its key
      --shares N           number of shares, one for each holder, 2 to 15
      --threshold N        number of shares that open the seed
      --passphrase         also seal it with a passphrase, for daily unlocking
      --command            also seal it with the command of the settings, such as systemd-creds or a client of a key store
      --sheets FOLDER      write each holder's sheet to this folder in memory until it was printed
  change-shares            give a sealed seed a new set of shares, with the options of ceremony; the old set holds until its end
  serve                    run the signer
      --print-config       print the settings, as config does, and start nothing
  setup-code --for KEY     print a one-use code with which KEY creates a top-level organization
      --expires SECONDS    how long the code is valid (default: one day)
  unlock                   give shares to a signer whose seed is sealed, until they open it
      --passphrase         give the passphrase instead
      --command            have the command of the settings give the key instead
  lock                     have the signer forget its keys until it is unlocked again
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
      --confinement        try what an intruder would, in the confinement of this command: all of it should be refused
  help                     print this
  --version                print the version

  --json                   print the result on one line
  --wait SECONDS           wait until the signer answers (default: 0)

Examples:
  countersign-signer init
  countersign-signer ceremony --shares 5 --threshold 3
  countersign-signer unlock
  countersign-signer status --wait 30
  countersign-signer setup-code --for 02f739f8... --expires 3600
  countersign-signer pins --json
  countersign-signer pair --auth-proxy 02f739f8...
  countersign-signer certificate signer.internal:7443
  countersign-signer pair api --join countersign-join-request.Cg...
  countersign-signer ledger show 0199b2c4-7a10-7000-8000-3f6d5c2b1a09
  countersign-signer erase 0199b2c4-7a10-7000-8000-3f6d5c2b1a09
  countersign-signer config

setup-code, unlock, lock, status, accept-clock, accept-ledger, pins, pair, ledger and erase ask the running signer through the operator's
socket: COUNTERSIGN_SIGNER_OPERATOR_SOCKET, or operator/operator.sock in COUNTERSIGN_DATA_DIR. install, init, ceremony, change-shares, config,
doctor, certificate and pair --join need no running signer. Exit status: 0 done, 1 fault, 2 usage, 3 refused, 5 unreachable or locked`

const PROGRAM = "countersign-signer"

const COMMANDS = [
  "install",
  "init",
  "ceremony",
  "change-shares",
  "serve",
  "setup-code",
  "unlock",
  "lock",
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
  shares: { type: "string" },
  threshold: { type: "string" },
  passphrase: { type: "boolean" },
  command: { type: "boolean" },
  sheets: { type: "string" },
  root: { type: "string" },
  confinement: { type: "boolean" },
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
    case "install":
      return { name: command, json: common.json, root: values.root ?? "/" }
    case "init":
    case "config":
      return { name: command, json: common.json }
    case "doctor":
      return { name: command, json: common.json, isConfinement: values.confinement ?? false }
    case "ceremony":
    case "change-shares":
      return { name: command, json: common.json, ...ceremonyOf(command, values) }
    case "unlock":
      return { name: command, ...common, by: evidenceOf(values) }
    case "lock":
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
  requireCeremony(command, values)
  if (values.qr === true) throw new UsageFault(command === "pins" ? QR_ELSEWHERE : "--qr belongs to pins")
  if (values["print-config"] === true && command !== "serve")
    throw new UsageFault("--print-config belongs to serve")
}

/** The package that draws codes is loaded by a ceremony alone. */
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

type CeremonyOptions = {
  [option in "shares" | "threshold" | "sheets"]?: string
} & { passphrase?: boolean; command?: boolean }

function ceremonyOf(command: string, values: CeremonyOptions): CeremonyCommand {
  const { shares, threshold, sheets, passphrase = false, command: usesCommand = false } = values
  if (shares === undefined || threshold === undefined)
    throw new UsageFault(`${command} needs --shares and --threshold: --shares 5 --threshold 3`)
  return {
    shares: readNumber("--shares", shares),
    threshold: readNumber("--threshold", threshold),
    usesPassphrase: passphrase,
    usesCommand,
    sheets,
  }
}

function evidenceOf({ passphrase = false, command = false }: CeremonyOptions): UnlockCommand["by"] {
  if (passphrase && command)
    throw new UsageFault("unlock takes one way: --passphrase, --command, or shares without an option")
  if (passphrase) return "passphrase"
  return command ? "command" : "shares"
}

/** @throws {UsageFault} for options of a ceremony with another command */
function requireCeremony(
  command: string,
  { shares, threshold, sheets, passphrase, command: usesCommand }: CeremonyOptions,
): void {
  const isCeremony = command === "ceremony" || command === "change-shares"
  if (!isCeremony && (shares ?? threshold ?? sheets) !== undefined)
    throw new UsageFault("--shares, --threshold and --sheets belong to ceremony and change-shares")
  if (!isCeremony && command !== "unlock" && (passphrase ?? usesCommand) !== undefined)
    throw new UsageFault("--passphrase and --command belong to ceremony, change-shares and unlock")
}

function readNumber(name: string, text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text)
  throw new UsageFault(`${name}: write a whole number`)
}

function readCount(name: string, text: string, max: number): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= max) return Number(text)
  throw new UsageFault(`${name}: write a whole number of seconds up to ${max}`)
}
