import { UsageFault } from "../../core/command-line.ts"
import { readVerb, type VerbTable, wholeNumber } from "../command-line/verbs.ts"
import type { CreateCommand } from "./create.ts"
import type { HostCommand } from "./host.ts"
import type { KeyCommand } from "./key.ts"
import type { RehearseCommand } from "./rehearse.ts"
import type { RestoreCommand } from "./restore.ts"
import type { VerifyCommand } from "./verify.ts"

/** A command about backups. */
export type BackupCommand = (
  | CreateCommand
  | HostCommand
  | VerifyCommand
  | RestoreCommand
  | RehearseCommand
  | KeyCommand
) & {
  name: "backup"
  json: boolean
}

export const backupUsage = `Usage: countersign-signer backup <command>

  key --out FILE               make a holder's key: the private half to FILE, the public one is printed
  create --out FILE [PART...]  copy ledger, log, root seed and authority of the running signer, and sign them with the parts of other hosts
      --to FILE                public keys of those who can open it, one a line (default: the holders in the sealed seed)
      --wait SECONDS           wait until the signer answers
  host --out DIR               as root: make the backup of this host, signer and fetcher, each part as the user of its process
      --to FILE                as above; a fetcher's part needs it
      --parts DIR              join the newest file that countersign-node backup host made on the API's host, and remove it
  verify FILE...               verify that a backup is whole and signed; it is not opened
  restore FILE... --key FILE   restore the signer's part onto a host that has none
      --latest                 say that the deployment has decided nothing since: the signer goes on at once
  rehearse FILE... --key FILE  restore the signer's part into a folder of its own, sign with keys of wallets there, verify, remove it
      --unlock                 ask for shares of a sealed seed; without them no key signs
      --passphrase             ask for its passphrase instead

  --key FILE                   private key of a holder
  --pins FILE                  pins of the deployment, to compare with: countersign-signer pins --json
  --head FILE                  a checkpoint of the log that someone kept: an older backup is refused
  --json                       print the result on one line

Examples:
  countersign-signer backup key --out holder.pem
  countersign-signer backup create --to holders.txt --out countersign.backup
  countersign-signer backup host --to /etc/countersign/holders.txt --out /var/backups/countersign --parts /var/backups/countersign-parts
  countersign-signer backup verify countersign.backup --pins pins.json
  countersign-signer backup restore countersign.backup --key holder.pem --pins pins.json
  countersign-signer backup rehearse countersign.backup --key holder.pem --pins pins.json

The database comes first: countersign-node backup database create (docs/OPERATIONS.md, Backup).`

const OPTIONS = {
  out: { type: "string" },
  to: { type: "string" },
  parts: { type: "string" },
  key: { type: "string" },
  pins: { type: "string" },
  head: { type: "string" },
  latest: { type: "boolean" },
  unlock: { type: "boolean" },
  passphrase: { type: "boolean" },
  wait: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

/** The most words of verbs that take files. */
const FILES = { words: Number.POSITIVE_INFINITY }

const TABLE: VerbTable<typeof OPTIONS> = {
  name: "backup",
  usage: backupUsage,
  options: OPTIONS,
  common: ["json"],
  verbs: {
    key: { options: ["out"] },
    create: { options: ["out", "to", "wait"], ...FILES },
    host: { options: ["out", "to", "parts"] },
    verify: { options: ["pins", "head"], ...FILES },
    restore: { options: ["key", "pins", "head", "latest"], ...FILES },
    rehearse: { options: ["key", "pins", "head", "unlock", "passphrase"], ...FILES },
  },
}

type Read = NonNullable<ReturnType<typeof readVerb<typeof OPTIONS>>>

/** Reads the words after `backup`; undefined: help is asked for. @throws {UsageFault} */
export function readBackupCommand(words: readonly string[]): BackupCommand | undefined {
  const read = readVerb(words, TABLE)
  return read && { name: "backup", json: read.values.json ?? false, ...commandOf(read) }
}

function commandOf({ verb, values, rest, needed }: Read) {
  const { pins, head, latest: isLatest = false } = values
  const files = () => (rest.length > 0 ? rest : [needed(undefined, "the files of the backup")])
  switch (verb) {
    case "key":
      return { verb, out: needed(values.out, "--out FILE") } as const
    case "create": {
      const waitSeconds = wholeNumber("--wait", values.wait ?? "0", 3_600)
      const out = needed(values.out, "--out FILE")
      return { verb, out, holders: values.to, others: rest, waitSeconds } as const
    }
    case "host":
      return { verb, out: needed(values.out, "--out DIR"), holders: values.to, parts: values.parts } as const
    case "verify":
      return { verb, files: files(), pins, head } as const
    default: {
      const terms = { key: needed(values.key, "--key FILE"), files: files(), pins, head }
      return verb === "rehearse"
        ? ({ verb, ...terms, unlockBy: unlockingOf(values) } as const)
        : ({ verb: "restore", isLatest, ...terms } as const)
    }
  }
}

/** @throws {UsageFault} */
function unlockingOf({ unlock = false, passphrase = false }: Read["values"]) {
  if (unlock && passphrase) throw new UsageFault("backup rehearse takes --unlock or --passphrase")
  if (passphrase) return "passphrase"
  return unlock ? "shares" : undefined
}
