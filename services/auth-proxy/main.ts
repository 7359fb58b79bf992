import "../common/refuse-debugger.ts"
import { UsageFault } from "../../signer/core/command-line.ts"
import { exitWithParent } from "../common/exit-with-parent.ts"
import { ownVersion } from "../common/own-version.ts"
import { readOrExit } from "../common/settings.ts"
import { NODE_PROGRAM, programName, sayFault } from "../common/program.ts"
import { type AuthProxyCommand, type ProxyProgram, readCommand, usageOf } from "./command-line.ts"
import type { AuthProxyServiceSettings } from "./config.ts"

/** A command about the proxy's own key. */
type KeyCommand = Exclude<AuthProxyCommand, { name: "serve" | "help" | "version" }>

const isInNode = programName() === NODE_PROGRAM
/** countersign-node serves the auth proxy by another word. */
const caller: ProxyProgram = isInNode
  ? { program: `${NODE_PROGRAM} proxy`, serves: false }
  : { program: "node services/auth-proxy/main.ts", serves: true }

exitWithParent()
const parsed = commandOf(process.argv.slice(2))
if (parsed !== undefined) await main(parsed)

function commandOf(words: readonly string[]): AuthProxyCommand | undefined {
  try {
    return readCommand(words, caller)
  } catch (error) {
    if (!(error instanceof UsageFault)) throw error
    process.exitCode = 2
    sayFault(error.message, process.exitCode)
    return undefined
  }
}

/** Each command loads what it needs: the words need none of it. */
async function main(command: AuthProxyCommand): Promise<void> {
  if (command.name === "help") return void process.stdout.write(`${usageOf(caller)}\n`)
  if (command.name === "version") return void process.stdout.write(`${ownVersion()}\n`)
  process.umask(0o077)
  const { readAuthProxyConfig } = await import("./config.ts")
  const config = readOrExit(readAuthProxyConfig)
  process.exitCode = await (command.name === "serve" ? serveProxy(config) : runOnKey(command, config))
}

/** @returns the exit status */
async function serveProxy(config: AuthProxyServiceSettings): Promise<number> {
  const { createLogger } = await import("../common/logger.ts")
  const { requireIntactRelease } = await import("../common/intact-release.ts")
  const { stopOnSignals } = await import("../common/stop.ts")
  const log = createLogger("auth-proxy", config.logLevel)
  try {
    requireIntactRelease("auth-proxy")
    const stop = stopOnSignals()
    const { serve } = await import("./serve.ts")
    await serve(config, log, stop)
    return Number(process.exitCode ?? 0)
  } catch (error) {
    const { logStartFault } = await import("../common/start-fault.ts")
    return logStartFault(log, error, await refusalOf(error))
  }
}

/** An operator reads what it says: sentences, or one line of JSON. @returns the exit status */
async function runOnKey(command: KeyCommand, config: AuthProxyServiceSettings): Promise<number> {
  try {
    const { requireIntactRelease } = await import("../common/intact-release.ts")
    requireIntactRelease("auth-proxy")
    if (command.name !== "public-key") {
      const { runKeyCommand } = await import("./unlock-key.ts")
      return await runKeyCommand(command, config)
    }
    const { publicKeyOf } = await import("./own-key.ts")
    const { wordsOfKey } = await import("../../signer/core/crypto/key-words.ts")
    const publicKey = publicKeyOf(config.keyFile)
    process.stderr.write(`words to compare with countersign-signer pair: ${wordsOfKey(publicKey)}\n`)
    process.stdout.write(`${publicKey}\n`)
    return 0
  } catch (error) {
    const { FAULT, startFaultOf } = await import("../../signer/core/settings/start-fault.ts")
    const known = (await refusalOf(error)) ?? startFaultOf(error)
    const { sentence, status } = known ?? { sentence: String(error), status: FAULT }
    sayFault(sentence, status)
    return status
  }
}

async function refusalOf(error: unknown): Promise<{ sentence: string; status: number } | undefined> {
  const { Refusal } = await import("../../signer/core/refusal.ts")
  const { REFUSED } = await import("../../signer/core/settings/start-fault.ts")
  return error instanceof Refusal ? { sentence: error.message, status: REFUSED } : undefined
}
