import { UsageFault } from "../../core/command-line.ts"
import type { SendCommand } from "../audit-send/send.ts"
import { readVerb, type VerbTable, wholeNumber } from "../command-line/verbs.ts"
import type { ExportAuditCommand } from "./export.ts"
import type { InstallCommand } from "./install.ts"
import type { TailCommand } from "./tail.ts"
import type { VerifyAuditCommand } from "./verify.ts"

/** A command about the audit stream. */
export type AuditCommand = (
  | TailCommand
  | VerifyAuditCommand
  | ExportAuditCommand
  | SendCommand
  | InstallCommand
) & {
  name: "audit"
  json: boolean
}

export const auditUsage = `Usage: countersign-signer audit <command>

  tail                 print the last records
      --count N        how many (default: 20)
      --follow         go on with those that are written from now on
  verify               verify the records of this host, and that the log of the running signer has bound them
  verify FILE          verify an export, or records that were received, without a network
      --pins FILE      pins of the deployment: countersign-signer pins --json. Without them those of the running signer
      --head FILE      a checkpoint of the log that someone kept, repeated for each: what is older is refused
      --from N         begin with record N
  export --out FILE    write the records with the log's proof, for an auditor
      --from N         begin with record N
  send --to URL        send records to syslog+tls://HOST:6514 or https://HOST/PATH, each at least once
      --state FILE     where the number of the last delivered record is kept
      --once           end when everything is delivered
      --ca FILE        authority of the receiver's certificate
      --certificate FILE --key FILE   own certificate for mutual TLS
      --token FILE     bearer token of a webhook
  install              make the user, folder, settings file and unit of the sender on this host, as root, from an unpacked release
      --root DIR       the same below DIR, for an image of a host

  --directory DIR      directory of the records (default: that of the signer's settings)
  --wait SECONDS       wait until the signer answers
  --json               print the result on one line

Examples:
  countersign-signer audit tail --follow
  countersign-signer audit verify
  countersign-signer audit export --out audit.jsonl
  countersign-signer audit verify audit.jsonl --pins pins.json --head checkpoint.txt
  countersign-signer audit send --to syslog+tls://logs.internal:6514 --ca ca.pem --state sent.json`

const OPTIONS = {
  count: { type: "string" },
  follow: { type: "boolean" },
  pins: { type: "string" },
  head: { type: "string", multiple: true },
  from: { type: "string" },
  out: { type: "string" },
  to: { type: "string" },
  state: { type: "string" },
  once: { type: "boolean" },
  ca: { type: "string" },
  certificate: { type: "string" },
  key: { type: "string" },
  token: { type: "string" },
  root: { type: "string" },
  directory: { type: "string" },
  wait: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

const TABLE: VerbTable<typeof OPTIONS> = {
  name: "audit",
  usage: auditUsage,
  options: OPTIONS,
  common: ["json"],
  verbs: {
    tail: { options: ["directory", "count", "follow"] },
    verify: { options: ["directory", "pins", "head", "from", "wait"], words: 1 },
    export: { options: ["directory", "out", "from", "wait"] },
    send: { options: ["directory", "to", "state", "once", "ca", "certificate", "key", "token"] },
    install: { options: ["root"] },
  },
}

const MAX_NUMBER = Number.MAX_SAFE_INTEGER

/** Reads the words after `audit`; undefined: help is asked for. @throws {UsageFault} */
export function readAuditCommand(words: readonly string[]): AuditCommand | undefined {
  const read = readVerb(words, TABLE)
  return read && { name: "audit", json: read.values.json ?? false, ...commandOf(read) }
}

function commandOf({ verb, values, rest, needed }: NonNullable<ReturnType<typeof readVerb<typeof OPTIONS>>>) {
  const { directory } = values
  const from = wholeNumber("--from", values.from ?? "1", MAX_NUMBER)
  const waitSeconds = wholeNumber("--wait", values.wait ?? "0", 3_600)
  switch (verb) {
    case "tail": {
      const count = wholeNumber("--count", values.count ?? "20", MAX_NUMBER)
      return { verb, directory, count, isFollowing: values.follow ?? false } as const
    }
    case "verify":
      return {
        verb,
        directory,
        file: rest[0],
        pins: values.pins,
        heads: values.head ?? [],
        from,
        waitSeconds,
      } as const
    case "export":
      return { verb, directory, out: needed(values.out, "--out FILE"), from, waitSeconds } as const
    case "install":
      return { verb, root: values.root ?? "/" } as const
    default: {
      const { once: isOnce = false, ca, certificate, key, token } = values
      if ((certificate === undefined) !== (key === undefined))
        throw new UsageFault("audit send takes --certificate and --key together")
      const to = needed(values.to, "--to URL")
      const state = needed(values.state, "--state FILE")
      return { verb: "send", directory, to, state, isOnce, ca, certificate, key, token } as const
    }
  }
}
