import { listen } from "../common/listen.ts"
import type { Logger } from "../common/logger.ts"
import { loadMetrics } from "../common/metrics/load-metrics.ts"
import { serveUntilStopped, type Stop } from "../common/stop.ts"
import { openTracing } from "../common/tracing/open-tracing.ts"
import { createApp } from "./app.ts"
import { CallerLimits } from "./caller-limits.ts"
import type { AuthProxyServiceSettings } from "./config.ts"
import { Configurations } from "./configurations.ts"
import { CoreApi } from "./core-api.ts"
import { openOwnKey, type OwnKey } from "./own-key.ts"
import { waitForKey } from "./sealed-key.ts"
import { createReadiness } from "./readiness.ts"
import { operationRoutes } from "./routes.ts"
import { type Captcha, readCaptchaSecret, Turnstile } from "./turnstile.ts"

/** Serves the auth proxy until it is asked to stop. */
export async function serve(config: AuthProxyServiceSettings, log: Logger, stop: Stop): Promise<void> {
  const { metricsListen, notarizerPublicKey } = config
  const ownKey = await keyOf(config, log, stop)
  if (ownKey === undefined) return
  const { publicKey } = ownKey
  const coreApi = new CoreApi(config.apiUrl)
  const configurations = new Configurations({ coreApi, notarizerPublicKey })
  const limits = new CallerLimits(config.limits)
  const captcha = config.captcha && captchaOf(config.captcha, log)
  const operations = operationRoutes({ coreApi, configurations, ownKey, limits, captcha, now: Date.now })
  const readiness = createReadiness({ coreApi, notarizerPublicKey, publicKey })
  const loaded = metricsListen && (await loadMetrics())
  const metrics = loaded?.metrics
  const tracing = openTracing(config.tracing, { process: "auth-proxy", log, metrics })
  const handle = createApp(operations, readiness, {
    log,
    stop,
    metrics,
    tracer: tracing.tracer,
    publicUrl: config.publicUrl,
  }).callback()
  // Koa answers every error itself: its promise never rejects.
  const listener = await listen({ handler: (...both) => void handle(...both), log }, config.listen)
  const metricsListener = loaded && (await loaded.serveMetrics(loaded.metrics, metricsListen, log))
  log.info({ url: listener.url, publicKey }, "listening")
  const { closed } = await serveUntilStopped(listener, stop, { graceMs: config.stopGraceMs, log })
  await closed
  await tracing.close()
  await metricsListener?.close()
  log.info("stopped")
}

/** The proxy's own key, once it is open; undefined: the process was asked to stop before. */
async function keyOf(
  { keyFile, isProduction }: AuthProxyServiceSettings,
  log: Logger,
  { requested }: Stop,
): Promise<OwnKey | undefined> {
  const stored = openOwnKey(keyFile, { isProduction })
  if ("privateKey" in stored) return stored
  log.warn("the key is sealed: nothing is served until the command unlock has opened it")
  const key = await waitForKey(keyFile, stored, requested)
  if (key !== undefined) log.info("the key was unlocked")
  return key
}

/** @throws {StartError} for a secret that cannot be used */
function captchaOf(
  { secretFile, allowsUnreachable, ...options }: NonNullable<AuthProxyServiceSettings["captcha"]>,
  log: Logger,
): Captcha {
  return {
    turnstile: new Turnstile({ ...options, secret: readCaptchaSecret(secretFile), log }),
    allowsUnreachable,
  }
}
