import "../common/refuse-debugger.ts"
import { wordsOfKey } from "../../signer/core/crypto/key-words.ts"
import { exitWithParent } from "../common/exit-with-parent.ts"
import { requireIntactRelease } from "../common/intact-release.ts"
import { createLogger } from "../common/logger.ts"
import { logStartFault } from "../common/start-fault.ts"
import { stopOnSignals } from "../common/stop.ts"
import { readOrExit } from "../common/settings.ts"
import { readAuthProxyConfig } from "./config.ts"
import { openOwnKey } from "./own-key.ts"

const USAGE = `Usage: node services/auth-proxy/main.ts [public-key]

  (no word)      serve the auth proxy
  public-key     print the public half of the proxy's own key, with which a signer is paired; make the key if there is none
`

exitWithParent()
await main(process.argv.slice(2).join(" ") || "serve")

async function main(command: string): Promise<void> {
  if (command !== "serve" && command !== "public-key") {
    process.stderr.write(USAGE)
    process.exitCode = 2
    return
  }
  process.umask(0o077)
  const config = readOrExit(readAuthProxyConfig)
  const log = createLogger("auth-proxy", config.logLevel)
  try {
    requireIntactRelease("auth-proxy")
    if (command === "public-key") printPublicKey(openOwnKey(config.keyFile).publicKey)
    else {
      const stop = stopOnSignals()
      // Loaded here: `public-key` does not wait for the packages of the server.
      const { serve } = await import("./serve.ts")
      await serve(config, log, stop)
    }
  } catch (error) {
    process.exitCode = logStartFault(log, error)
  }
}

function printPublicKey(publicKey: string): void {
  process.stderr.write(`words to compare with countersign-signer pair: ${wordsOfKey(publicKey)}\n`)
  process.stdout.write(`${publicKey}\n`)
}
