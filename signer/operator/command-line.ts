import { type AuditCommand, readAuditCommand } from "./audit/command-line.ts"
import { type BackupCommand, readBackupCommand } from "./backup/command-line.ts"
import type { CertificateCommand, PairByLineCommand, RevokeCommand } from "./certify.ts"
import type { CeremonyCommand } from "./ceremony/ceremony.ts"
import { laterCommand } from "./later.ts"
import type { LedgerShowCommand } from "./ledger-show.ts"
import type { PairCommand } from "./pair.ts"
import type { UnlockCommand } from "../process/unlock-client.ts"
import { unlockWayOf } from "../core/seal-commands/ways.ts"
import { excessWords, parseWords, UsageFault, unknownCommand } from "../core/command-line.ts"
import type { FileChangeCommand } from "./ceremony/change-file.ts"
import type { ExportCommand } from "./ceremony/export-authority.ts"
import { exportOf, readCertificateCommand } from "./command-line/certificate-commands.ts"
import { OPTIONS, readSeconds, requireOwnOptions, type Values } from "./command-line/options.ts"
import { ceremonyOf, changeOf, holderOf, prepareOf } from "./command-line/seal-commands.ts"
import { usage } from "./command-line/usage.ts"
import type { HolderCommand, PrepareCommand } from "./holders/commands.ts"

export { usage }

/** A command of the operator. */
export type ParsedCommand =
  | { name: "help" | "backup-help" | "audit-help" | "version" }
  | AuditCommand
  | BackupCommand
  | { name: "serve" }
  | { name: "init"; json: boolean }
  | { name: "doctor"; json: boolean; isConfinement: boolean }
  | { name: "config"; json: boolean }
  | { name: "install"; json: boolean; root: string }
  | { name: "status" | "pins"; json: boolean; waitSeconds: number }
  | { name: "accept-clock"; json: boolean; waitSeconds: number; approvals: readonly string[] }
  | {
      name: "accept-ledger"
      json: boolean
      waitSeconds: number
      isRestored: boolean
      approvals: readonly string[]
    }
  | ({ name: "pair"; json: boolean } & PairCommand)
  | ({ name: "pair-by-line"; json: boolean } & PairByLineCommand)
  | ({ name: "certificate"; json: boolean } & CertificateCommand)
  | ({ name: "revoke"; json: boolean } & RevokeCommand)
  | ({ name: "ledger"; json: boolean } & LedgerShowCommand)
  | ({ name: "ceremony" | "change-shares"; json: boolean } & CeremonyCommand)
  | ({
      name: "change-holders" | "change-daily" | "change-witnesses" | "leave-production" | "accept-seal"
      json: boolean
    } & FileChangeCommand)
  | ({ name: "export-authority"; json: boolean } & ExportCommand)
  | ({ name: "unlock"; json: boolean } & UnlockCommand)
  | ({ name: "approve"; json: boolean; waitSeconds: number } & PrepareCommand)
  | ({ name: "holder"; json: boolean } & HolderCommand)
  | { name: "lock"; json: boolean; waitSeconds: number }
  | { name: "erase"; json: boolean; waitSeconds: number; organizationId: string }
  | {
      name: "setup-code"
      json: boolean
      waitSeconds: number
      publicKey: string
      expirationSeconds: number
      approvals: readonly string[]
    }

export type SignerCommand = Exclude<
  ParsedCommand,
  | {
      name:
        | "help"
        | "audit"
        | "audit-help"
        | "backup"
        | "backup-help"
        | "version"
        | "serve"
        | "init"
        | "doctor"
        | "config"
        | "install"
        | "pair-by-line"
        | "certificate"
        | "revoke"
    }
  | {
      name:
        | "ceremony"
        | "change-shares"
        | "change-holders"
        | "change-daily"
        | "change-witnesses"
        | "leave-production"
        | "accept-seal"
        | "export-authority"
        | "unlock"
        | "lock"
        | "approve"
        | "holder"
    }
>

const PROGRAM = "countersign-signer"

const SEAL_COMMANDS = [
  "ceremony",
  "change-shares",
  "change-holders",
  "change-daily",
  "change-witnesses",
  "leave-production",
  "accept-seal",
  "export-authority",
  "approve",
  "holder",
  "unlock",
] as const

const COMMANDS = [
  ...SEAL_COMMANDS,
  "install",
  "init",
  "serve",
  "setup-code",
  "lock",
  "status",
  "accept-clock",
  "accept-ledger",
  "pins",
  "pair",
  "certificate",
  "revoke",
  "ledger",
  "erase",
  "audit",
  "backup",
  "config",
  "doctor",
  "help",
]

/** @throws {UsageFault} */
export function readCommand(words: readonly string[]): ParsedCommand {
  if (words[0] === "backup") return readBackupCommand(words.slice(1)) ?? { name: "backup-help" }
  if (words[0] === "audit") return readAuditCommand(words.slice(1)) ?? { name: "audit-help" }
  return readOtherCommand(words)
}

function readOtherCommand(words: readonly string[]): ParsedCommand {
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
  const { json = false, approvals = [] } = values
  const common = { json, waitSeconds: readSeconds("--wait", values.wait ?? "0", 3_600) }
  const sealCommand = SEAL_COMMANDS.find((name) => name === command)
  if (sealCommand !== undefined) return readSealCommand(sealCommand, rest, values, common)
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
    case "lock":
    case "status":
    case "pins":
      return { name: command, ...common }
    case "accept-clock":
      return { name: command, ...common, approvals }
    case "accept-ledger":
      return { name: command, ...common, isRestored: values.restored ?? false, approvals }
    case "pair":
      return values.join === undefined
        ? { name: command, ...common, ...peerOf(values.fetcher, values["auth-proxy"]) }
        : byLine(rest[0], values.join, values)
    case "certificate":
    case "revoke":
      return readCertificateCommand(command, rest, values)
    case "ledger":
      return { name: "ledger", ...common, organizationId: organizationOf(rest) }
    case "erase":
      return { name: command, ...common, organizationId: erasedOf(rest) }
    case "setup-code":
      return { name: command, ...common, approvals, ...setupCodeOf(values) }
    default:
      throw unknownCommand(command, COMMANDS, PROGRAM)
  }
}

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

function erasedOf([organizationId]: readonly string[]): string {
  if (organizationId !== undefined) return organizationId
  throw new UsageFault("erase needs the id of a deleted sub-organization")
}

function setupCodeOf({ for: publicKey, expires = "0" }: Values) {
  if (publicKey === undefined)
    throw new UsageFault("setup-code needs --for PUBLIC_KEY: the only key that can use it")
  // 0: the signer's default.
  return { publicKey, expirationSeconds: readSeconds("--expires", expires, 0xffff_ffff) }
}

type SealCommandName = (typeof SEAL_COMMANDS)[number]

/** A command about the sealed seed and its holders. */
function readSealCommand(
  command: SealCommandName,
  rest: readonly string[],
  values: Values,
  common: { json: boolean; waitSeconds: number },
): ParsedCommand {
  const { json } = common
  switch (command) {
    case "ceremony":
    case "change-shares":
      return { name: command, json, ...ceremonyOf(command, values) }
    case "change-holders":
    case "change-daily":
    case "change-witnesses":
    case "leave-production":
    case "accept-seal":
      return { name: command, json, ...changeOf(values) }
    case "export-authority":
      return { name: command, json, ...exportOf(rest, values) }
    case "approve":
      return { name: command, ...common, ...prepareOf(rest, values) }
    case "holder":
      return { name: command, json, ...holderOf(rest, values) }
    case "unlock":
      return { name: command, ...common, by: unlockWayOf(values) }
    default:
      return command satisfies never
  }
}

/** How many words follow a command. */
function takenBy(command: string, isJoin: boolean): number {
  if (["ledger", "approve", "holder"].includes(command)) return 2
  return ["certificate", "erase", "revoke", "export-authority"].includes(command) ||
    (command === "pair" && isJoin)
    ? 1
    : 0
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
