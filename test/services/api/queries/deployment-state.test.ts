// The state of the deployment, for operators: seal epoch, certificates, and the worker's queues.
import { readFileSync } from "node:fs"
import { connect as connectTcp, type Socket } from "node:net"
import { join } from "node:path"
import { createServer } from "node:tls"
import { X509Certificate } from "node:crypto"
import t, { type Test } from "tap"
import { unavailable } from "../../../../services/api/errors.ts"
import { PeerTls } from "../../../../services/api/signer/peer-tls.ts"
import { daysInWords, daysUntil, urgencyOf } from "../../../../services/common/certificate-days.ts"
import { createLogger } from "../../../../services/common/logger.ts"
import { Metrics } from "../../../../services/common/metrics/metrics.ts"
import { freePort } from "../../../harness/free-port.ts"
import { hasOpenssl, OpensslAuthority } from "../../../harness/openssl-authority.ts"
import { nextId, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const DAY_MS = 24 * 60 * 60 * 1000
const skip = hasOpenssl() ? false : "no OpenSSL 3"

type Answer = {
  sealEpoch?: number
  links: { peer: string; transport: string; certificates: Certificate[] }[]
  queues: { name: string; caip2?: string; waitingCount: number; deadCount: number; oldestAt?: object }[]
}
type Certificate = {
  holder: string
  subject: string
  issuer: string
  daysLeft: number
  expiresAt: { seconds: string }
}

/** An API with a top-level organization and a sub-organization, whose users ask. */
async function start(t: Test, parts: Parameters<typeof startApi>[1] = {}) {
  const api = await startApi(t, parts)
  const [parentKey, childKey] = [makeKey(), makeKey()]
  const subOrganizationId = nextId()
  await storeOrganization(api.sql, { users: [user("root", parentKey)] })
  await storeOrganization(api.sql, {
    organizationId: subOrganizationId,
    parentId: ORGANIZATION_ID,
    users: [user("customer", childKey)],
  })
  const ask = (organizationId: string, key = parentKey) =>
    api.post("query/get_deployment_state", { organizationId }, key)
  const state = async () => (await ask(ORGANIZATION_ID)).json as Answer
  return { ...api, ask, state, childKey, subOrganizationId }
}

/** A server with the signer's certificate, and the API's end of mutual TLS with it, connected. */
async function connected(
  t: Test,
  apiDays: number,
): Promise<{ link: PeerTls; files: Record<"api" | "signer", string> }> {
  const authority = new OpensslAuthority(join(t.testdir({}), "authority"), "Operators")
  const signer = authority.issue("signer")
  // Half a day more: the days are whole ones, rounded down.
  const own = authority.issue("api", { toMs: Date.now() + (apiDays + 0.5) * DAY_MS })
  const port = await freePort()
  const sockets: Socket[] = []
  const server = createServer({
    cert: readFileSync(signer.certificateFile),
    key: readFileSync(signer.keyFile),
    ca: readFileSync(signer.caFile),
    requestCert: true,
    ALPNProtocols: ["h2"],
  })
  server.on("secureConnection", (socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const paths = { certificate: own.certificateFile, key: own.keyFile, ca: own.caFile }
  const link = new PeerTls("signer", paths, createLogger("test", "fatal"))
  t.same(
    link.certificates.map(({ holder }) => holder),
    ["api"],
    "the peer's is not known before a connection",
  )
  const socket = await link.connect(connectTcp(port, "127.0.0.1"), "localhost")
  t.teardown(() => {
    socket.destroy()
    for (const one of sockets) one.destroy()
    server.close()
  })
  return { link, files: { api: own.certificateFile, signer: signer.certificateFile } }
}

t.test("certificates of both ends are reported as OpenSSL made them", { skip }, async (t) => {
  const { link, files } = await connected(t, 12)
  const metrics = new Metrics()
  const { state } = await start(t, { links: { signer: link }, metrics })
  const { links } = await state()
  t.match(
    links.map(({ peer, transport }) => [peer, transport]),
    [
      ["CALLERS", "PLAIN_HTTP"],
      ["SIGNER", "MUTUAL_TLS"],
      ["FETCHER", "UNIX_SOCKET"],
    ],
  )
  const [, { certificates }] = links as [Answer["links"][0], Answer["links"][0]]
  t.equal(certificates.length, 2)
  const text = await metrics.text()
  for (const [holder, file] of Object.entries(files)) {
    const truth = new X509Certificate(readFileSync(file))
    const told = certificates.find((one) => one.holder === holder.toUpperCase())
    t.equal(told?.subject, holder)
    t.equal(told?.issuer, "Operators")
    t.equal(Number(told?.expiresAt.seconds) * 1000, Date.parse(truth.validTo))
    const sample = `countersign_certificate_days_left{link="signer",holder="${holder}"} ${told?.daysLeft}`
    t.match(text, sample, "the metrics have the same days")
  }
  t.equal(certificates.find(({ holder }) => holder === "API")?.daysLeft, 12)
})

t.test("a deployment without TLS says so, and has no certificate", async (t) => {
  const { state } = await start(t)
  const { links, sealEpoch } = await state()
  t.same(
    links.map(({ transport, certificates }) => [transport, certificates]),
    [
      ["PLAIN_HTTP", []],
      ["UNIX_SOCKET", []],
      ["UNIX_SOCKET", []],
    ],
  )
  t.equal(sealEpoch, 1)
})

t.test("the seal epoch is the signer's, and absent while it does not answer", async (t) => {
  const { state, signer } = await start(t)
  signer.sealEpoch = 7
  t.equal((await state()).sealEpoch, 7)
  signer.sealEpoch = 0
  t.equal((await state()).sealEpoch, undefined, "a halted signer has none")
  signer.readMetrics = () => Promise.reject(unavailable("the signer is away"))
  const { sealEpoch, links } = await state()
  t.equal(sealEpoch, undefined)
  t.equal(links.length, 3, "the rest is shown")
})

t.test("queues count the work of all organizations", async (t) => {
  const { state, sql } = await start(t)
  t.same((await state()).queues, [{ name: "NOTIFICATIONS", waitingCount: 0, deadCount: 0 }])
  const openMs = Date.now() - 90_000
  for (const [status, chain, createdMs] of [
    ["BROADCASTING", "eip155:1", openMs],
    ["INITIALIZED", "eip155:1", openMs + 5000],
    ["INCLUDED", "eip155:1", openMs - 5000],
    ["INITIALIZED", "eip155:10", openMs],
  ] as const)
    await sql`
      insert into sends (organization_id, id, activity_id, caip2, chain, account, nonce, raw, hash, last_valid_block_height, status, created_ms, updated_ms)
      values (${nextId()}, ${nextId()}, ${nextId()}, ${chain}, ${chain}, 'a', 1, '', '', 0, ${status}, ${createdMs}, ${createdMs})`
  const { queues } = await state()
  t.match(queues, [
    {
      name: "TRANSACTIONS",
      caip2: "eip155:1",
      waitingCount: 2,
      oldestAt: { seconds: String(Math.floor(openMs / 1000)) },
    },
    { name: "TRANSACTIONS", caip2: "eip155:10", waitingCount: 1 },
    { name: "NOTIFICATIONS" },
  ])
})

t.test("a user of a sub-organization is refused, a user of its parent is not", async (t) => {
  const { ask, childKey, subOrganizationId } = await start(t)
  const refused = await ask(subOrganizationId, childKey)
  t.match(refused, {
    status: 403,
    json: { message: new RegExp(`${subOrganizationId} is a sub-organization`) },
  })
  t.equal(
    (await ask(subOrganizationId)).status,
    200,
    "an administrator who looks at a sub-organization is an operator",
  )
})

t.test("days and their urgency", async (t) => {
  const now = Date.parse("2026-01-01T12:00:00Z")
  t.equal(daysUntil(now + DAY_MS - 1, now), 0)
  t.equal(daysUntil(now - 1, now), -1)
  t.same(
    [-1, 0, 6, 7, 29, 30].map((days) => urgencyOf(days)),
    ["now", "now", "now", "soon", "soon", "none"],
  )
  t.same(
    [-1, 1, 12, 30].map((days) => daysInWords(days)),
    ["has expired: renew it now", "1 day left: renew it now", "12 days left: renew it soon", "30 days left"],
  )
})
