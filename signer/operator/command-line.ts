import { parseArgs } from "node:util"

/** A command of the operator. */
export type Command =
  | { name: "help" | "version" }
  | { name: "serve" }
  | { name: "init" | "doctor"; json: boolean }
  | { name: "status" | "accept-clock" | "accept-ledger" | "pins"; json: boolean; waitSeconds: number }
  | {
      name: "setup-code"
      json: boolean
      waitSeconds: number
      publicKey: string
      expirationSeconds: number
    }

export type SignerCommand = Exclude<Command, { name: "help" | "version" | "serve" | "init" | "doctor" }>

/** The command line cannot be understood. */
export class UsageFault extends Error {}

export const usage = `Usage: countersign-signer <command>

  init                     create a deployment, its root seed and its ledger, and print its public identity
  serve                    run the signer
  setup-code --for KEY     print a one-use code with which KEY creates a top-level organization
      --expires SECONDS    how long the code is valid (default: one day)
  status                   print the signer's phase, and why; exit status 3 unless it is ready
  accept-clock             accept this host's clock although it contradicts the ledger
  accept-ledger            accept a ledger that is older than signed state: what is newer is lost
  pins                     print this deployment's public identity
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

setup-code, status, accept-clock, accept-ledger and pins ask the running signer through the operator's socket:
COUNTERSIGN_SIGNER_OPERATOR_SOCKET, or operator/operator.sock in COUNTERSIGN_DATA_DIR. init and doctor need no running signer. Exit status: 0 done, 1 fault, 2 usage, 3 refused, 5 unreachable or locked`

const OPTIONS = {
  for: { type: "string" },
  expires: { type: "string" },
  wait: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const

/** @throws {UsageFault} */
export function readCommand(words: readonly string[]): Command {
  const { values, positionals } = parse(words)
  const [command, ...rest] = positionals
  if (values.help || command === "help") return { name: "help" }
  if (values.version) return { name: "version" }
  if (rest.length > 0) throw new UsageFault(`"${rest.join(" ")}" is not expected after ${command}`)
  if (command !== "setup-code" && (values.for ?? values.expires) !== undefined) {
    throw new UsageFault("--for and --expires belong to setup-code")
  }
  const common = { json: values.json ?? false, waitSeconds: readCount("--wait", values.wait ?? "0", 3_600) }
  switch (command) {
    case "serve":
      return { name: command }
    case "init":
    case "doctor":
      return { name: command, json: common.json }
    case "status":
    case "accept-clock":
    case "accept-ledger":
    case "pins":
      return { name: command, ...common }
    case "setup-code": {
      const publicKey = values.for
      if (publicKey === undefined)
        throw new UsageFault("setup-code needs --for PUBLIC_KEY: the only key that can use it")
      // 0: the signer's default.
      const expirationSeconds = readCount("--expires", values.expires ?? "0", 0xffff_ffff)
      return { name: command, ...common, publicKey, expirationSeconds }
    }
    default:
      throw new UsageFault(`${command === undefined ? "no command" : `no command "${command}"`}\n\n${usage}`)
  }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true })
  } catch (cause) {
    throw new UsageFault(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function readCount(name: string, text: string, max: number): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= max) return Number(text)
  throw new UsageFault(`${name}: write a whole number of seconds up to ${max}`)
}
