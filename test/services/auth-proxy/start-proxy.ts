import { Writable } from "node:stream"
import type { Test } from "tap"
import { createApp } from "../../../services/auth-proxy/app.ts"
import { operationRoutes } from "../../../services/auth-proxy/routes.ts"
import type { Routes } from "../../../services/common/dispatch.ts"
import { listen } from "../../../services/common/listen.ts"
import { createLogger } from "../../../services/common/logger.ts"

export type Json = { [member: string]: unknown }

/** The auth proxy over HTTP, with what it logs. */
export async function startProxy(t: Test, routes: Routes = operationRoutes()) {
  const logged: Json[] = []
  const lines = new Writable({
    write(line: Buffer, _encoding, done) {
      logged.push(JSON.parse(line.toString()) as Json)
      done()
    },
  })
  const log = createLogger("test", "info", lines)
  const handle = createApp(routes, { log }).callback()
  const door = await listen(
    { handler: (...both) => void handle(...both), log },
    { host: "127.0.0.1", port: 0 },
  )
  t.teardown(() => door.close())
  return {
    logged,
    async send(path: string, init: RequestInit = {}) {
      const reply = await fetch(door.url + path, init)
      const text = await reply.text()
      const json = (text === "" ? {} : JSON.parse(text)) as Json
      return { status: reply.status, headers: reply.headers, json }
    },
  }
}
