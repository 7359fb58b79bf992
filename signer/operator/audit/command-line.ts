import { excessWords, parseWords, UsageFault, unknownCommand } from "../../core/command-line.ts"
import type { SendCommand } from "../audit-send/send.ts"
import type { ExportAuditCommand } from "./export.ts"
import type { TailCommand } from "./tail.ts"
import type { VerifyAuditCommand } from "./verify.ts"

/** A command about the audit stream. */
export type AuditCommand = (TailCommand | VerifyAuditCommand | ExportAuditCommand | SendCommand) & {
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

  --directory DIR      directory of the records (default: that of the signer's settings)
  --wait SECONDS       wait until the signer answers
  --json               print the result on one line

Examples:
  countersign-signer audit tail --follow
  countersign-signer audit verify
  countersign-signer audit export --out audit.jsonl
  countersign-signer audit verify audit.jsonl --pins pins.json --head checkpoint.txt
  countersign-signer audit send --to syslog+tls://logs.internal:6514 --ca ca.pem --state sent.json`

const PROGRAM = "countersign-signer audit"

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
  directory: { type: "string" },
  wait: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

type Values = ReturnType<typeof parseWords<typeof OPTIONS>>["values"]

/** Options of each command beside --json and --directory. */
const TAKEN: { readonly [verb: string]: readonly string[] } = {
  tail: ["count", "follow"],
  verify: ["pins", "head", "from", "wait"],
  export: ["out", "from", "wait"],
  send: ["to", "state", "once", "ca", "certificate", "key", "token"],
}

/** Reads the words after `audit`; undefined: help is asked for. @throws {UsageFault} */
export function readAuditCommand(words: readonly string[]): AuditCommand | undefined {
  const { values, positionals } = parseWords(words, OPTIONS, PROGRAM)
  const [verb, ...rest] = positionals
  if (values.help === true) return undefined
  if (verb === undefined) throw new UsageFault(`no command\n\n${auditUsage}`)
  const taken = TAKEN[verb]
  if (taken === undefined) throw unknownCommand(verb, Object.keys(TAKEN), PROGRAM)
  const foreign = Object.keys(values).find((name) => ![...taken, "json", "directory"].includes(name))
  if (foreign !== undefined) throw new UsageFault(`--${foreign} does not belong to audit ${verb}`)
  const excess = rest.slice(verb === "verify" ? 1 : 0)
  if (excess.length > 0) throw excessWords(excess, verb, PROGRAM)
  const { json = false, directory } = values
  return { name: "audit", json, directory, ...commandOf(verb, values, rest[0]) }
}

function commandOf(verb: string, values: Values, file: string | undefined) {
  const from = numberOf("--from", values.from ?? "1", MAX_NUMBER)
  const waitSeconds = numberOf("--wait", values.wait ?? "0", 3_600)
  switch (verb) {
    case "tail": {
      const count = numberOf("--count", values.count ?? "20", MAX_NUMBER)
      return { verb, count, isFollowing: values.follow ?? false } as const
    }
    case "verify":
      return { verb, file, pins: values.pins, heads: values.head ?? [], from, waitSeconds } as const
    case "export":
      return { verb, out: needed(values.out, verb, "--out FILE"), from, waitSeconds } as const
    default: {
      const { once: isOnce = false, ca, certificate, key, token } = values
      if ((certificate === undefined) !== (key === undefined))
        throw new UsageFault("audit send takes --certificate and --key together")
      const to = needed(values.to, verb, "--to URL")
      const state = needed(values.state, verb, "--state FILE")
      return { verb: "send", to, state, isOnce, ca, certificate, key, token } as const
    }
  }
}

const MAX_NUMBER = Number.MAX_SAFE_INTEGER

function numberOf(option: string, text: string, most: number): number {
  if (/^\d{1,16}$/.test(text) && Number(text) <= most) return Number(text)
  throw new UsageFault(`${option}: write a whole number`)
}

function needed(value: string | undefined, verb: string, option: string): string {
  if (value !== undefined) return value
  throw new UsageFault(`audit ${verb} needs ${option}`)
}
