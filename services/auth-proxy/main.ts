import "../common/refuse-debugger.ts"
import { existsSync, readFileSync } from "node:fs"
import { UsageFault } from "../../signer/core/command-line.ts"
import { Refusal } from "../../signer/core/refusal.ts"
import { FAULT, REFUSED, StartError } from "../../signer/core/settings/start-fault.ts"
import { wordsOfKey } from "../../signer/core/crypto/key-words.ts"
import { exitWithParent } from "../common/exit-with-parent.ts"
import { requireIntactRelease } from "../common/intact-release.ts"
import { createLogger } from "../common/logger.ts"
import { logStartFault } from "../common/start-fault.ts"
import { ownVersion } from "../common/own-version.ts"
import { stopOnSignals } from "../common/stop.ts"
import { readOrExit } from "../common/settings.ts"
import { type AuthProxyCommand, readCommand, usage } from "./command-line.ts"
import { readAuthProxyConfig } from "./config.ts"
import { openOwnKey } from "./own-key.ts"
import { publicKeyFileOf } from "./sealed-key.ts"

exitWithParent()
const parsed = commandOf(process.argv.slice(2))
if (parsed !== undefined) await main(parsed)

function commandOf(words: readonly string[]): AuthProxyCommand | undefined {
  try {
    return readCommand(words)
  } catch (error) {
    sayUsage(error)
    return undefined
  }
}

/** @throws what is no fault of words */
function sayUsage(error: unknown): void {
  if (!(error instanceof UsageFault)) throw error
  process.stderr.write(`auth-proxy: ${error.message}\n`)
  process.exitCode = 2
}

async function main(command: AuthProxyCommand): Promise<void> {
  if (command.name === "help") return void process.stdout.write(`${usage}\n`)
  if (command.name === "version") return void process.stdout.write(`${ownVersion()}\n`)
  process.umask(0o077)
  const config = readOrExit(readAuthProxyConfig)
  const log = createLogger("auth-proxy", config.logLevel)
  try {
    requireIntactRelease("auth-proxy")
    if (command.name === "public-key") printPublicKey(publicKeyOf(config.keyFile))
    else if (command.name !== "serve") {
      const { runKeyCommand } = await import("./unlock-key.ts")
      process.exitCode = await runKeyCommand(command, config)
    } else {
      const stop = stopOnSignals()
      // Loaded here: `public-key` does not wait for the packages of the server.
      const { serve } = await import("./serve.ts")
      await serve(config, log, stop)
    }
  } catch (error) {
    if (error instanceof UsageFault) return sayUsage(error)
    const refusal = error instanceof Refusal ? { sentence: error.message, status: REFUSED } : undefined
    process.exitCode = logStartFault(log, error, refusal)
  }
}

/** The public half: of a sealed key as it was written when the key was last open. @throws {StartError} */
function publicKeyOf(keyFile: string): string {
  const key = openOwnKey(keyFile)
  if ("privateKey" in key) return key.publicKey
  const file = publicKeyFileOf(keyFile)
  if (existsSync(file)) return readFileSync(file, "utf8").trim()
  throw new StartError(
    FAULT,
    `the key is sealed, and ${file} is missing: start the auth proxy and unlock it once`,
  )
}

function printPublicKey(publicKey: string): void {
  process.stderr.write(`words to compare with countersign-signer pair: ${wordsOfKey(publicKey)}\n`)
  process.stdout.write(`${publicKey}\n`)
}
