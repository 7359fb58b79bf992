import { Writable } from "node:stream"
import type { Test } from "tap"
import { createApp } from "../../../services/auth-proxy/app.ts"
import { CallerLimits, type CallerLimitsOptions } from "../../../services/auth-proxy/caller-limits.ts"
import type { Captcha } from "../../../services/auth-proxy/turnstile.ts"
import { Configurations } from "../../../services/auth-proxy/configurations.ts"
import { createReadiness } from "../../../services/auth-proxy/readiness.ts"
import { operationRoutes } from "../../../services/auth-proxy/routes.ts"
import type { Routes } from "../../../services/common/dispatch.ts"
import { listen } from "../../../services/common/listen.ts"
import { HTTP_LIMITS } from "../../../services/common/http-limits.ts"
import { createLogger } from "../../../services/common/logger.ts"
import { proxyOwnKey } from "../../harness/auth-proxy.ts"
import { StubCore } from "./stub-core.ts"

/** Limits that no other test reaches. */
const FREE = { trustedProxies: [], isBehindProxy: false, perAddress: 1000, perConfiguration: 1000 }

export type Json = { [member: string]: unknown }

/** Own key of the proxy. */
const { privateKey, publicKeyHex: publicKey } = proxyOwnKey

/** The auth proxy over HTTP before a core API of the test, with what it logs. */
export async function startProxy(
  t: Test,
  {
    core = new StubCore(),
    routes,
    captcha,
    limits = {},
    publicUrl,
  }: {
    core?: StubCore
    routes?: Routes
    captcha?: Captcha
    limits?: Partial<CallerLimitsOptions>
    publicUrl?: string
  } = {},
) {
  const logged: Json[] = []
  const lines = new Writable({
    write(line: Buffer, _encoding, done) {
      logged.push(JSON.parse(line.toString()) as Json)
      done()
    },
  })
  const log = createLogger("test", "info", lines)
  const clock = { ms: 0 }
  const { notarizerPublicKey } = core
  const configurations = new Configurations({ coreApi: core, notarizerPublicKey, elapsedMs: () => clock.ms })
  const callers = new CallerLimits({ ...FREE, elapsedMs: () => clock.ms, ...limits })
  const deps = {
    coreApi: core,
    configurations,
    ownKey: { privateKey, publicKey },
    limits: callers,
    captcha,
    now: Date.now,
  }
  const readiness = createReadiness({ coreApi: core, notarizerPublicKey, publicKey })
  const handle = createApp(routes ?? operationRoutes(deps), readiness, { log, publicUrl }).callback()
  const door = await listen(
    // At the end of a test no client is about to send anything.
    { handler: (...both) => void handle(...both), log, limits: { ...HTTP_LIMITS, quietMs: 0 } },
    { host: "127.0.0.1", port: 0 },
  )
  t.teardown(() => door.close())
  const send = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(door.url + path, init)
    const text = await reply.text()
    const json = (text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : {}) as Json
    return { status: reply.status, headers: reply.headers, json, text }
  }
  return {
    url: door.url,
    core,
    logged,
    /** Monotonic clock of the configurations' cache. */
    clock,
    send,
    /** An operation with the configuration's id. */
    post: (operation: string, body: object | string = {}, headers: { [name: string]: string } = {}) =>
      send(`/v1/${operation}`, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "x-auth-proxy-config-id": core.configId, ...headers },
      }),
  }
}
