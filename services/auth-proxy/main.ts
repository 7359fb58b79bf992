import "../common/refuse-debugger.ts"
import { existsSync, readFileSync } from "node:fs"
import { FAULT, StartError } from "../../signer/core/settings/start-fault.ts"
import { wordsOfKey } from "../../signer/core/crypto/key-words.ts"
import { exitWithParent } from "../common/exit-with-parent.ts"
import { requireIntactRelease } from "../common/intact-release.ts"
import { createLogger } from "../common/logger.ts"
import { logStartFault } from "../common/start-fault.ts"
import { stopOnSignals } from "../common/stop.ts"
import { readOrExit } from "../common/settings.ts"
import { readAuthProxyConfig } from "./config.ts"
import { openOwnKey } from "./own-key.ts"
import { publicKeyFileOf } from "./sealed-key.ts"

const USAGE = `Usage: node services/auth-proxy/main.ts [public-key | unlock [--passphrase] | status]

  (no word)      serve the auth proxy
  public-key     print the public half of the proxy's own key, with which a signer is paired; make the key if there is none
  unlock         give shares to an auth proxy whose key is sealed, until they open it; --passphrase: give the passphrase
  status         print which shares were given to an auth proxy that waits for them

To lock the key again, stop the process: it starts sealed.
`

const COMMANDS = ["serve", "public-key", "unlock", "unlock --passphrase", "status"]

exitWithParent()
await main(process.argv.slice(2).join(" ") || "serve")

async function main(command: string): Promise<void> {
  if (!COMMANDS.includes(command)) {
    process.stderr.write(USAGE)
    process.exitCode = 2
    return
  }
  process.umask(0o077)
  const config = readOrExit(readAuthProxyConfig)
  const log = createLogger("auth-proxy", config.logLevel)
  try {
    requireIntactRelease("auth-proxy")
    if (command === "public-key") printPublicKey(publicKeyOf(config.keyFile))
    else if (command !== "serve") {
      const { printSealStatus, unlockKey } = await import("./unlock-key.ts")
      const isStatus = command === "status"
      process.exitCode = await (isStatus
        ? printSealStatus(config.keyFile)
        : unlockKey(config.keyFile, command !== "unlock"))
    } else {
      const stop = stopOnSignals()
      // Loaded here: `public-key` does not wait for the packages of the server.
      const { serve } = await import("./serve.ts")
      await serve(config, log, stop)
    }
  } catch (error) {
    process.exitCode = logStartFault(log, error)
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
