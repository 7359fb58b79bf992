import { excessWords, parseWords, UsageFault, unknownCommand } from "../../core/command-line.ts"
import type { CreateCommand } from "./create.ts"
import type { KeyCommand } from "./key.ts"
import type { RehearseCommand } from "./rehearse.ts"
import type { RestoreCommand } from "./restore.ts"
import type { VerifyCommand } from "./verify.ts"

/** A command about backups. */
export type BackupCommand = (
  | CreateCommand
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
  verify FILE...               verify that a backup is whole and signed; it is not opened
  restore FILE... --key FILE   restore the signer's part onto a host that has none
      --latest                 say that the deployment has decided nothing since: the signer goes on at once
  rehearse FILE... --key FILE  restore the signer's part into a folder of its own, start a signer there, verify what it signs, remove it

  --key FILE                   private key of a holder
  --pins FILE                  pins of the deployment, to compare with: countersign-signer pins --json
  --head FILE                  a checkpoint of the log that someone kept: an older backup is refused
  --json                       print the result on one line

Examples:
  countersign-signer backup key --out holder.pem
  countersign-signer backup create --to holders.txt --out countersign.backup
  countersign-signer backup verify countersign.backup --pins pins.json
  countersign-signer backup restore countersign.backup --key holder.pem --pins pins.json
  countersign-signer backup rehearse countersign.backup --key holder.pem --pins pins.json

The database comes first: countersign-node backup database create (docs/OPERATIONS.md, Backup).`

const PROGRAM = "countersign-signer backup"
const VERBS = ["key", "create", "verify", "restore", "rehearse"]

const OPTIONS = {
  out: { type: "string" },
  to: { type: "string" },
  key: { type: "string" },
  pins: { type: "string" },
  head: { type: "string" },
  latest: { type: "boolean" },
  wait: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

type Values = ReturnType<typeof parseWords<typeof OPTIONS>>["values"]

/** Options of each command beside --json. */
const TAKEN: { readonly [verb: string]: readonly string[] } = {
  key: ["out"],
  create: ["out", "to", "wait"],
  verify: ["pins", "head"],
  restore: ["key", "pins", "head", "latest"],
  rehearse: ["key", "pins", "head"],
}

/** Reads the words after `backup`; undefined: help is asked for. @throws {UsageFault} */
export function readBackupCommand(words: readonly string[]): BackupCommand | undefined {
  const { values, positionals } = parseWords(words, OPTIONS, PROGRAM)
  const [verb, ...files] = positionals
  if (values.help === true) return undefined
  if (verb === undefined) throw new UsageFault(`no command\n\n${backupUsage}`)
  if (!VERBS.includes(verb)) throw unknownCommand(verb, VERBS, PROGRAM)
  const foreign = Object.keys(values).find((name) => name !== "json" && !TAKEN[verb]?.includes(name))
  if (foreign !== undefined) throw new UsageFault(`--${foreign} does not belong to backup ${verb}`)
  return { name: "backup", json: values.json ?? false, ...commandOf(verb, values, files) }
}

function commandOf(verb: string, values: Values, files: readonly string[]) {
  const { pins, head, latest: isLatest = false } = values
  switch (verb) {
    case "key":
      if (files.length > 0) throw excessWords(files, verb, PROGRAM)
      return { verb, out: needed(values.out, verb, "--out FILE") } as const
    case "create": {
      const out = needed(values.out, verb, "--out FILE")
      return { verb, out, holders: values.to, others: files, waitSeconds: secondsOf(values.wait) } as const
    }
    case "verify":
      return { verb, files: someOf(files, verb), pins, head } as const
    default: {
      const key = needed(values.key, verb, "--key FILE")
      const terms = { files: someOf(files, verb), key, pins, head }
      return verb === "rehearse"
        ? ({ verb, ...terms } as const)
        : ({ verb: "restore", isLatest, ...terms } as const)
    }
  }
}

function needed(value: string | undefined, verb: string, option: string): string {
  if (value !== undefined) return value
  throw new UsageFault(`backup ${verb} needs ${option}`)
}

function someOf(files: readonly string[], verb: string): readonly string[] {
  if (files.length > 0) return files
  throw new UsageFault(`backup ${verb} needs the files of the backup`)
}

function secondsOf(text = "0"): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 3_600) return Number(text)
  throw new UsageFault("--wait: write a whole number of seconds up to 3600")
}
