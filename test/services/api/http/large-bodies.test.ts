import t from "tap"
import { queryPaths, submitPaths } from "../../../../proto/operations.ts"
import { ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { signBody, signed } from "../prepared.ts"
import { startApi } from "../start-api.ts"
import { makeKey, stamp } from "../stamps.ts"

const api = await startApi(t, { bodyLimitBytes: 1024 * 1024 })
const key = makeKey()
const alice = user("alice", key)
await storeOrganization(api.sql, { users: [alice], rootQuorum: { threshold: 1, userIds: [alice.userId] } })

const SIGN = "submit/sign_raw_payload"
const pad = (body: string, bytes: number) => body + " ".repeat(bytes - body.length)
const sendUnstamped = (body: string) => api.send(`/public/v1/${SIGN}`, { method: "POST", body })

t.test("a large body is not parsed before its stamp was verified", async (t) => {
  const malformed = pad(`${signBody("large")}}`, 20_000)
  t.match(await api.post(SIGN, malformed, key), { status: 400, json: { message: /not strict JSON/ } })
  t.match(await api.post(SIGN, malformed, makeKey()), { status: 401, json: { message: /public key/ } })
  t.match(await sendUnstamped(malformed), { status: 401 })
  const headers = { "x-stamp": stamp(key, "another body") }
  const forged = await api.send(`/public/v1/${SIGN}`, { method: "POST", body: malformed, headers })
  t.match(forged, { status: 401, json: { message: /could not verify api key signature/ } })
  const nameless = pad("{", 20_000)
  t.match(await api.post(SIGN, nameless, key), { status: 400, json: { message: /`organizationId`/ } })
  t.match(await sendUnstamped(pad("{", 1000)), { status: 401 }, "no body is read without a stamp")
  t.match(await api.post(SIGN, pad("{", 1000), makeKey()), { status: 400 }, "a small one is")
})

t.test(
  "a large body is answered as a small one is, whichever of its ids is its organization's",
  async (t) => {
    api.signer.answers.push(signed(alice.userId), signed(alice.userId))
    t.equal((await api.post(SIGN, pad(signBody("padded"), 20_000), key)).status, 200)
    const another = '{"ignored":{"organizationId":"00000000-0000-4000-8000-000000000000"},'
    const body = pad(signBody("two ids").replace("{", another), 20_000)
    t.equal((await api.post(SIGN, body, key)).status, 200)
    const query = pad(JSON.stringify({ organizationId: ORGANIZATION_ID }), 20_000)
    t.equal((await api.post("query/whoami", query, key)).status, 200)
  },
)

t.test("each operation takes bodies up to its bound: 64 KiB unless it needs more", async (t) => {
  const bound = (path: string) => submitPaths.get(path)?.[0]?.maxBodyBytes
  t.equal(bound("update_policy"), 64 * 1024)
  t.equal(bound("create_wallet"), 512 * 1024)
  t.equal(bound("sign_raw_payload"), 1024 * 1024)
  for (const [path, entries] of submitPaths)
    t.equal(new Set(entries.map(({ maxBodyBytes }) => maxBodyBytes)).size, 1, `versions of ${path} agree`)
  const maxBytes = queryPaths.get("whoami")?.maxBodyBytes ?? 0
  const query = JSON.stringify({ organizationId: ORGANIZATION_ID })
  t.equal((await api.post("query/whoami", pad(query, maxBytes), key)).status, 200)
  const over = await api.post("query/whoami", pad(query, maxBytes + 1), key)
  t.match(over, { status: 413, json: { message: /65536/ } })
})

t.test("a large body is read alike however it is sent", async (t) => {
  api.signer.answers.push(signed(alice.userId))
  const body = pad(signBody("in parts"), 200_000)
  const parts = new ReadableStream({
    start(controller) {
      for (let at = 0; at < body.length; at += 7_919)
        controller.enqueue(new TextEncoder().encode(body.slice(at, at + 7_919)))
      controller.close()
    },
  })
  const headers = { "x-stamp": stamp(key, body) }
  const inParts = { method: "POST", body: parts, headers, duplex: "half" }
  const sent = await fetch(`${api.url}/public/v1/${SIGN}`, inParts)
  t.equal(sent.status, 200, await sent.text())
})

t.test("a body of nothing but names of an organization is refused like one without", async (t) => {
  const names = pad(`{${'"organizationId":1,'.repeat(20_000)}"a":1}`, 400_000)
  t.match(await api.post(SIGN, names, key), { status: 400, json: { message: /`organizationId`/ } })
})
