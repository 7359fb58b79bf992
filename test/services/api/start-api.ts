import { Writable } from "node:stream"
import { createService, type ServiceParts } from "../../../services/api/service.ts"
import { HTTP_LIMITS, type HttpLimits } from "../../../services/common/http-limits.ts"
import { closeDatabase, connectDatabase } from "../../../services/database/database.ts"
import { listen } from "../../../services/common/listen.ts"
import { createLogger } from "../../../services/common/logger.ts"
import { freshDatabase } from "../../harness/database.ts"
import { stamp, type TestKey } from "./stamps.ts"
import { StubSigner } from "./stub-signer.ts"

type Teardown = { teardown(clean: () => Promise<void>): unknown }
export type Json = { [member: string]: unknown }
export type Reply = { status: number; headers: Headers; json: Json; text: string }

/** The API over HTTP with its own database; the signer answers what the test prepares. */
export async function startApi(
  t: Teardown,
  {
    queriesPool,
    ...parts
  }: Partial<ServiceParts> & { queriesPool?: Parameters<typeof connectDatabase>[1] } = {},
  limits: HttpLimits = { ...HTTP_LIMITS, quietMs: 0 },
) {
  const { sql, url: databaseUrl } = await freshDatabase(t)
  const queriesSql = connectDatabase({ url: databaseUrl }, { max: 4, ...queriesPool })
  const signer = new StubSigner()
  const logged: Json[] = []
  const lines = new Writable({
    write(line: Buffer, _encoding, done) {
      logged.push(JSON.parse(line.toString()) as Json)
      done()
    },
  })
  const log = createLogger("test", "info", lines)
  const service = createService({
    sql,
    queriesSql,
    signer,
    fetcher: {
      fetch: () => Promise.reject(new Error("the test has no fetcher")),
      isPaired: async () => true,
    },
    log,
    activityTimes: "auto",
    bodyLimitBytes: 64 * 1024,
    ...parts,
  })
  const door = await listen({ handler: service.handler, log, limits }, { host: "127.0.0.1", port: 0 })
  t.teardown(async () => {
    await door.close()
    await service.close()
    await closeDatabase(queriesSql)
  })

  async function send(path: string, init: RequestInit = {}): Promise<Reply> {
    const reply = await fetch(door.url + path, init)
    const text = await reply.text()
    const isJson = text !== "" && reply.headers.get("content-type") === "application/json"
    return {
      status: reply.status,
      headers: reply.headers,
      text,
      json: isJson ? (JSON.parse(text) as Json) : {},
    }
  }
  /** Sends a stamped body. */
  function post(
    path: string,
    body: unknown,
    key: TestKey,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    return send(`/public/v1/${path}`, {
      method: "POST",
      body: text,
      headers: { "x-stamp": stamp(key, text), ...headers },
    })
  }
  return { sql, signer, service, logged, url: door.url, send, post }
}
