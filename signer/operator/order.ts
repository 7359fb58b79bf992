import { parseArgs } from "node:util"

/** What an operator can ask for. */
export type Order =
  | { command: "help" | "version" }
  | { command: "serve" }
  | { command: "status" | "accept-clock" | "pins"; json: boolean; waitSeconds: number }
  | {
      command: "setup-code"
      json: boolean
      waitSeconds: number
      publicKey: string
      expirationSeconds: number
    }

export type Asked = Exclude<Order, { command: "help" | "version" | "serve" }>

/** The command line cannot be understood. */
export class UsageFault extends Error {}

export const usage = `Usage: countersign-signer <command>

  serve                    run the signer
  setup-code --for KEY     print a one-use code with which KEY gives birth to a top-level organization
      --expires SECONDS    how long it is good (default: one day)
  status                   where the signer stands, and why
  accept-clock             say that this host's clock is right although the ledger doubts it
  pins                     print this deployment's public identity
  help                     print this
  --version                print the version

  --json                   print the result on one line
  --wait SECONDS           wait until the signer answers (default: 0)

Talks to the operator's socket: COUNTERSIGN_SIGNER_OPERATOR_SOCKET, or operator/operator.sock in
COUNTERSIGN_DATA_DIR. Exit status: 0 done, 1 fault, 2 usage, 3 refused, 5 unreachable or locked`

const OPTIONS = {
  for: { type: "string" },
  expires: { type: "string" },
  wait: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const

/** @throws {UsageFault} */
export function readOrder(words: readonly string[]): Order {
  const { values, positionals } = parse(words)
  const [command, ...rest] = positionals
  if (values.help || command === "help") return { command: "help" }
  if (values.version) return { command: "version" }
  if (rest.length > 0) throw new UsageFault(`"${rest.join(" ")}" is too much after ${command}`)
  if (command !== "setup-code" && (values.for ?? values.expires) !== undefined) {
    throw new UsageFault("--for and --expires belong to setup-code")
  }
  const common = { json: values.json ?? false, waitSeconds: readCount("--wait", values.wait ?? "0", 3_600) }
  switch (command) {
    case "serve":
      return { command }
    case "status":
    case "accept-clock":
    case "pins":
      return { command, ...common }
    case "setup-code": {
      const publicKey = values.for
      if (publicKey === undefined)
        throw new UsageFault("setup-code needs --for PUBLIC_KEY: the only key that can use it")
      // 0 leaves it to the signer.
      const expirationSeconds = readCount("--expires", values.expires ?? "0", 0xffff_ffff)
      return { command, ...common, publicKey, expirationSeconds }
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

function readCount(name: string, text: string, most: number): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= most) return Number(text)
  throw new UsageFault(`${name}: write a whole number of seconds up to ${most}`)
}
