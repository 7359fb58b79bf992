import "../common/refuse-debugger.ts"
import { wordsOfKey } from "../../signer/core/crypto/key-words.ts"
import { exitWithParent } from "../common/exit-with-parent.ts"
import { listen } from "../common/listen.ts"
import { createLogger, type Logger } from "../common/logger.ts"
import { logStartFault } from "../common/start-fault.ts"
import { Metrics } from "../common/metrics/metrics.ts"
import { serveMetrics } from "../common/metrics/serve-metrics.ts"
import { serveUntilStopped, type Stop, stopOnSignals } from "../common/stop.ts"
import { readOrExit } from "../common/settings.ts"
import { createApp } from "./app.ts"
import { CallerLimits } from "./caller-limits.ts"
import type { Captcha } from "./turnstile.ts"
import { type Config, readAuthProxyConfig } from "./config.ts"
import { Configurations } from "./configurations.ts"
import { openOwnKey } from "./own-key.ts"
import { CoreApi } from "./core-api.ts"
import { createReadiness } from "./readiness.ts"
import { operationRoutes } from "./routes.ts"
import { readCaptchaSecret, Turnstile } from "./turnstile.ts"

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
    if (command === "public-key") printPublicKey(openOwnKey(config.keyFile).publicKey)
    else await serve(config, log, stopOnSignals())
  } catch (error) {
    process.exitCode = logStartFault(log, error)
  }
}

function printPublicKey(publicKey: string): void {
  process.stderr.write(`words to compare with countersign-signer pair: ${wordsOfKey(publicKey)}\n`)
  process.stdout.write(`${publicKey}\n`)
}

async function serve(config: Config, log: Logger, stop: Stop): Promise<void> {
  const { metricsListen, notarizerPublicKey } = config
  const ownKey = openOwnKey(config.keyFile)
  const { publicKey } = ownKey
  const coreApi = new CoreApi(config.apiUrl)
  const configurations = new Configurations({ coreApi, notarizerPublicKey })
  const limits = new CallerLimits(config.limits)
  const captcha = config.captcha && captchaOf(config.captcha, log)
  const operations = operationRoutes({ coreApi, configurations, ownKey, limits, captcha, now: Date.now })
  const readiness = createReadiness({ coreApi, notarizerPublicKey, publicKey })
  const metrics = metricsListen && new Metrics()
  const handle = createApp(operations, readiness, {
    log,
    stop,
    metrics,
    publicUrl: config.publicUrl,
  }).callback()
  // Koa answers every error itself: its promise never rejects.
  const listener = await listen({ handler: (...both) => void handle(...both), log }, config.listen)
  const metricsListener = metrics && (await serveMetrics(metrics, metricsListen, log))
  log.info({ url: listener.url, publicKey }, "listening")
  const { closed } = await serveUntilStopped(listener, stop, { graceMs: config.stopGraceMs, log })
  await closed
  await metricsListener?.close()
  log.info("stopped")
}

/** @throws {StartError} for a secret that cannot be used */
function captchaOf(
  { secretFile, allowsUnreachable, ...options }: NonNullable<Config["captcha"]>,
  log: Logger,
): Captcha {
  return {
    turnstile: new Turnstile({ ...options, secret: readCaptchaSecret(secretFile), log }),
    allowsUnreachable,
  }
}
