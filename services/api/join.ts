// Asks for the API's certificate, and installs it: `countersign-node join api`.
import "../common/refuse-debugger.ts"
import { generateKeyPairSync, type KeyObject } from "node:crypto"
import * as fs from "node:fs"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline/promises"
import { excessWords, parseWords } from "../../signer/core/command-line.ts"
import { shellWord } from "../../signer/core/command-text.ts"
import type { Ask } from "../../signer/core/join/confirm.ts"
import { JoinFault } from "../../signer/core/join/fault.ts"
import { JoinFiles } from "../../signer/core/join/files.ts"
import { isServerName } from "../../signer/core/join/names.ts"
import { type JoinResult, runJoin } from "../../signer/core/join/run.ts"
import { dataDirectoryOf } from "../../signer/core/settings/settings.ts"
import { FAULT, StartError } from "../../signer/core/settings/start-fault.ts"
import { openTerminal } from "../../signer/core/terminal.ts"
import { createLogger } from "../common/logger.ts"
import { NODE_PROGRAM, sayFault } from "../common/program.ts"
import { tryServer } from "./signer/try-server.ts"

const USAGE = `Usage: countersign-node join api [--renew]
       countersign-node join api --answer LINE

  Without --answer it makes a key, and prints the line that asks the signer's operator for its certificate.

      --answer LINE     check the certificate that came back, and put it into its place
      --words WORDS     words of the authority, as the signer's host shows them; without them the command asks
      --renew           ask again although there is a certificate, which stays in use until the answer is here
      --name NAME       name of the caller (default: api), one of the signer's and fetcher's CALLERS
      --directory DIR   folder of the files (default: api/tls in COUNTERSIGN_DATA_DIR)
      --json            print the result as JSON

Examples:
  countersign-node join api
  countersign-node join api --answer countersign-join-answer.Cg...`

const PROGRAM = "countersign-node join api"

const OPTIONS = {
  answer: { type: "string" },
  words: { type: "string" },
  renew: { type: "boolean" },
  name: { type: "string" },
  directory: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

const terminal = openTerminal({
  print: (line) => void process.stdout.write(`${line}\n`),
  log: (line) => void process.stderr.write(`${line}\n`),
})

const ask: Ask = process.stdin.isTTY
  ? async (question) => {
      const reader = createInterface({ input: process.stdin, output: process.stderr })
      return reader.question(question).finally(() => reader.close())
    }
  : undefined

process.umask(0o077)
process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<number> {
  try {
    const options = readOptions(words)
    if (options.isHelp) USAGE.split("\n").forEach(terminal.print)
    else await run(options)
    return 0
  } catch (error) {
    const exitStatus = statusOf(error)
    const message = error instanceof Error ? error.message : String(error)
    sayFault(message, exitStatus, NODE_PROGRAM)
    return exitStatus
  }
}

function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
}

type Options = ReturnType<typeof readOptions>

/** @throws {JoinFault | UsageFault} */
function readOptions(words: readonly string[]) {
  const { values, positionals } = parseWords(words, OPTIONS, PROGRAM)
  if (positionals.length > 0) throw excessWords(positionals, "join api", PROGRAM)
  const { answer, words: given, renew: isRenewal = false, name = "api" } = values
  if (isServerName(name)) throw new JoinFault("usage", `--name: ${name} is a server and no caller`)
  if (answer === undefined ? given !== undefined : isRenewal)
    throw new JoinFault("usage", "--words belongs to --answer, and --renew to the request before it")
  const directory = resolve(values.directory ?? join(dataDirectoryOf(process.env), "api", "tls"))
  const repeated = (["name", "directory"] as const).flatMap((option) =>
    values[option] === undefined ? [] : [` --${option} ${shellWord(values[option])}`],
  )
  return {
    command: { name, address: "", directory, isRenewal, answer, words: given },
    program: `${PROGRAM}${repeated.join("")}`,
    isJson: values.json ?? false,
    isHelp: values.help ?? false,
  }
}

async function run({ command, program, isJson }: Options): Promise<void> {
  const result = await runJoin(command, { fs, newKey, nowMs: Date.now(), ask, log: terminal.log, program })
  const states = await tryServers(result, new JoinFiles(fs, command.directory, command.name))
  const json = { ...result.json, ...(states.length > 0 && { servers: states }) }
  for (const line of isJson ? [JSON.stringify(json)] : result.lines) terminal.print(line)
  for (const { name, address, state } of states)
    terminal.log(
      state === "ok"
        ? `The ${name} at ${address} answers this certificate.`
        : `The ${name} at ${address} does not answer this certificate: ${state}. Start it, let its setting CALLERS list ${command.name}, and open the firewall; then start the API.`,
    )
}

/** Calls the servers with the certificate that was installed, if one was. */
function tryServers({ servers = [] }: JoinResult, { paths }: JoinFiles) {
  const log = createLogger("join", "error")
  return Promise.all(
    servers.map(async (server) => ({ ...server, state: await tryServer(server, paths, log) })),
  )
}

function statusOf(error: unknown): number {
  return error instanceof StartError ? error.status : FAULT
}
