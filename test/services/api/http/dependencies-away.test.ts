// Every operation and every page while the signer or the database is away: what they are asked for is answered 503 or refused.
import { join } from "node:path"
import t from "tap"
import { type ActivityEntry, activityTypes } from "../../../../proto/catalog.ts"
import { queryPaths } from "../../../../proto/operations.ts"
import { openEndpoint } from "../../../../services/api/signer/grpc-client.ts"
import { SignerClient } from "../../../../services/api/signer/client.ts"
import { connectSigner } from "../../../../services/api/signer/transport.ts"
import { createLogger } from "../../../../services/common/logger.ts"
import { closeDatabase, connectDatabase } from "../../../../services/database/database.ts"
import { samplesOf } from "../../../signer/core/words/samples.ts"
import { ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { makeKey } from "../stamps.ts"
import { type Reply, startApi } from "../start-api.ts"

const key = makeKey()
const alice = user("alice", key)
type Api = Awaited<ReturnType<typeof startApi>>

const PAGES = [
  "/readyz",
  "/public/v1/pins",
  "/public/v1/log",
  "/public/v1/log/1/checkpoint",
  "/public/v1/log/1/tile/0/000",
  `/public/v1/auth_proxy_configs/${ORGANIZATION_ID}?nonce=${"00".repeat(16)}`,
  "/.well-known/openid-configuration",
  "/.well-known/jwks.json",
  "/public/v1/discovery/webhooks/jwks",
]

/** All operations with well-formed bodies and genuine stamps, and all pages. */
async function askEverything(api: Api): Promise<[name: string, reply: Reply][]> {
  const posted = (path: string, body: object) =>
    api.post(path, body, key).then((reply): [string, Reply] => [path, reply])
  const activities = [...activityTypes.values()].filter(({ served }) => served)
  return Promise.all([
    ...activities.map((entry) => {
      const [sample] = samplesOf(entry)
      const timestampMs = String(Date.now())
      const body = {
        type: entry.type,
        timestampMs,
        organizationId: ORGANIZATION_ID,
        parameters: sample?.parameters,
      }
      return posted(`submit/${entry.path}`, body)
    }),
    ...[...queryPaths.values()]
      .filter(({ served }) => served)
      .map(({ path, input }) => {
        // Its parameters are JSON of any depth.
        const isNested = path === "simulate_policies"
        const [sample] = isNested ? [] : samplesOf({ intentSchema: input } as unknown as ActivityEntry)
        return posted(`query/${path}`, { ...sample?.parameters, organizationId: ORGANIZATION_ID })
      }),
    ...PAGES.map((path) => api.send(path).then((reply): [string, Reply] => [path, reply])),
  ])
}

/** None is a fault of the service, and each 503 says when to try again. Returns the names of those answered 503. */
function awayIn(
  t: { ok(value: unknown, name: string): unknown },
  replies: [name: string, reply: Reply][],
): string[] {
  for (const [name, { status, headers, text }] of replies) {
    t.ok(status < 500 || status === 503 || status === 501, `${name}: ${status} ${text.slice(0, 200)}`)
    if (status === 503 && name !== "/readyz") t.ok(headers.get("retry-after"), name)
  }
  return replies.filter(([, { status }]) => status === 503).map(([name]) => name)
}

t.test("W33: no operation is a fault of the service while the database is away", async (t) => {
  const sql = connectDatabase({ url: "postgres://user@127.0.0.1:9/database" })
  t.teardown(() => closeDatabase(sql, 0))
  const api = await startApi(t, { sql, queriesSql: sql })
  const away = awayIn(t, await askEverything(api))
  t.ok(away.length > queryPaths.size, `${away.length} needed it`)
})

t.test("W33: no operation is a fault of the service while the signer is away", async (t) => {
  const log = createLogger("test", "silent")
  const address = `unix:${join(t.testdir(), "none.sock")}`
  const signer = new SignerClient(connectSigner(openEndpoint("signer", { address, tls: undefined }, log)))
  t.teardown(() => signer.close())
  const api = await startApi(t, { signer })
  await storeOrganization(api.sql, { users: [alice], rootQuorum: { threshold: 1, userIds: [alice.userId] } })
  const away = awayIn(t, await askEverything(api))
  const activities = [...activityTypes.values()].filter(({ served }) => served).length
  t.ok(away.length > activities / 2, `${away.length} needed it`)
})
