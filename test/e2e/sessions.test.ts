// Sessions through the whole system: published clients log in, stamp and are told when it is over.
import { setTimeout as pause } from "node:timers/promises"
import { ApiKeyStamper } from "@turnkey/api-key-stamper"
import { verifySessionJwtSignature } from "@turnkey/crypto"
import { TurnkeyClient } from "@turnkey/http"
import t from "tap"
import { hashMessage, recoverAddress, serializeSignature } from "viem"
import { closeDatabase, connectDatabase } from "../../services/api/store/database.ts"
import { signParams } from "../harness/api-seat.ts"
import { freshDatabase } from "../harness/database.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { type Founded, type Json, privateKeyHex, System } from "../harness/system.ts"
import { untilDecided, wallet } from "./wallets.ts"

t.setTimeout(120_000)

const KECCAK = { encoding: "PAYLOAD_ENCODING_HEXADECIMAL", hashFunction: "HASH_FUNCTION_NO_OP" } as const

async function started(test: Parameters<typeof freshDatabase>[0]) {
  const { url: databaseUrl, sql } = await freshDatabase(test)
  const system = await System.start(databaseUrl)
  test.teardown(() => system.stop())
  const acme = await system.found()
  return { system, sql, databaseUrl, acme, address: await wallet(system, acme, "First") }
}

function clientOf(system: System, key: TestKey) {
  const keys = { apiPublicKey: key.publicKeyHex, apiPrivateKey: privateKeyHex(key) }
  return new TurnkeyClient({ baseUrl: system.url }, new ApiKeyStamper(keys))
}

async function login(system: System, { organizationId }: Founded, by: TestKey, more: object = {}) {
  const key = newKey()
  const parameters = { publicKey: key.publicKeyHex, ...more }
  const body = system.body("STAMP_LOGIN", organizationId, parameters)
  const { result } = await system.submit("stamp_login", body, by)
  return { key, body, token: (result as { stampLoginResult: { session: string } }).stampLoginResult.session }
}

async function idOf(system: System, { organizationId, root }: Founded, { publicKeyHex }: TestKey) {
  const { json } = await system.query("get_api_keys", { organizationId }, root)
  const keys = json["apiKeys"] as { apiKeyId: string; credential: Json }[]
  return keys.find(({ credential }) => credential["publicKey"] === publicKeyHex)?.apiKeyId ?? "not shown"
}

t.test("a published client logs in, and its session key does what its user may", async (t) => {
  const { system, acme, address } = await started(t)
  const { organizationId, rootUserId: userId, root } = acme
  const timestampMs = () => String(Date.now())
  const session = newKey()
  const { activity } = await clientOf(system, root).stampLogin({
    type: "ACTIVITY_TYPE_STAMP_LOGIN",
    timestampMs: timestampMs(),
    organizationId,
    parameters: { publicKey: session.publicKeyHex, expirationSeconds: "1800" },
  })
  const token = activity.result.stampLoginResult!.session
  const pins = (await system.send("/public/v1/pins", {})).json
  t.ok(await verifySessionJwtSignature(token, String(pins["notarizerPublicKey"]).slice(-130)))
  t.match(JSON.parse(atob(token.split(".")[1]!)), { user_id: userId, organization_id: organizationId })

  const client = clientOf(system, session)
  t.match(await client.getWhoami({ organizationId }), { userId, username: "root" })
  const payload = hashMessage("in a session")
  const { activity: signed } = await client.signRawPayload({
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    timestampMs: timestampMs(),
    organizationId,
    parameters: { signWith: address, payload, ...KECCAK },
  })
  const { r, s, v } = signed.result.signRawPayloadResult!
  const signature = serializeSignature({ r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) })
  t.equal(await recoverAddress({ hash: payload, signature }), address)
  t.match(signed.votes, [{ userId, publicKey: session.publicKeyHex }])
  const { apiKeys } = await client.getApiKeys({ organizationId, userId })
  t.match(
    apiKeys.find(({ credential }) => credential.publicKey === session.publicKeyHex),
    { credential: { type: "CREDENTIAL_TYPE_LOGIN" }, expirationSeconds: "1800" },
  )

  const next = newKey()
  await client.stampLogin({
    type: "ACTIVITY_TYPE_STAMP_LOGIN",
    timestampMs: timestampMs(),
    organizationId,
    parameters: { publicKey: next.publicKeyHex, invalidateExisting: true },
  })
  t.match(await clientOf(system, next).getWhoami({ organizationId }), { userId })
  await t.rejects(client.getWhoami({ organizationId }), {
    message: /could not find public key in organization or its parent organization/,
  })
})

t.test("a session ends with its time, to the words that clients look for", async (t) => {
  const { system, acme, address } = await started(t)
  const { key } = await login(system, acme, acme.root, { expirationSeconds: "1" })
  await pause(1_050)
  const { organizationId } = acme
  const body = system.body("SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
  for (const reply of [
    await system.query("whoami", { organizationId }, key),
    await system.post("submit/sign_raw_payload", body, key),
  ]) {
    t.match(reply, { status: 401, json: { turnkeyErrorCode: "API_KEY_EXPIRED" } })
    t.match(reply.json["message"], /Unauthenticated desc = expired api key publicKey/)
  }
  t.equal(await idOf(system, acme, key), "not shown")
})

t.test("an ended session is refused after a restart of everything but the ledger", async (t) => {
  const { system, sql, acme, address } = await started(t)
  const { organizationId, root, rootUserId: userId } = acme
  const kept = await login(system, acme, root)
  const ended = await login(system, acme, root)
  const before = await sql`select * from sessions`
  const apiKeyIds = [await idOf(system, acme, ended.key)]
  await system.submit(
    "delete_api_keys",
    system.body("DELETE_API_KEYS", organizationId, { userId, apiKeyIds }),
    root,
  )
  // An attacker's database: as it was before the session was ended.
  await sql`truncate sessions`
  for (const row of before) await sql`insert into sessions ${sql(row)}`
  for (const stop of [() => system.killApi(), () => system.killSigner()]) await stop()
  await system.startSigner()
  await system.startApi()
  const body = () => system.body("SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
  t.match(await system.post("submit/sign_raw_payload", body(), ended.key), {
    status: 401,
    json: { turnkeyErrorCode: "PUBLIC_KEY_NOT_FOUND" },
  })
  t.equal((await system.post("submit/sign_raw_payload", body(), kept.key)).status, 200)
  await sql`truncate sessions`
  await system.killApi()
  await system.startApi()
  t.equal(
    (await system.query("whoami", { organizationId }, kept.key)).status,
    200,
    "a lost one is brought back",
  )
  t.equal((await system.query("whoami", { organizationId }, ended.key)).status, 401, "an ended one is not")
})

t.test("C1: a login cut off between signer and database is there after the next start", async (t) => {
  const { system, sql, databaseUrl, acme } = await started(t)
  const { organizationId, root } = acme
  const key = newKey()
  const body = system.body("STAMP_LOGIN", organizationId, { publicKey: key.publicKeyHex })
  const locker = connectDatabase({ url: databaseUrl }, { max: 1 })
  await locker.begin(async (tx) => {
    await tx`lock table activities in exclusive mode`
    const waiting = system.post("submit/stamp_login", body, root).catch(() => undefined)
    await untilDecided(system, 1)
    await system.killApi()
    await waiting
    await tx`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and wait_event_type = 'Lock'`
  })
  await closeDatabase(locker)
  t.same(await sql`select 1 from sessions`, [], "the database never heard of it")
  await system.startApi()
  await untilDecided(system, 0)
  t.equal((await sql`select 1 from sessions`).length, 1)
  t.equal((await system.query("whoami", { organizationId }, key)).status, 200)
  const [one, two] = [
    await system.submit("stamp_login", body, root),
    await system.submit("stamp_login", body, root),
  ]
  t.equal(one["id"], two["id"])
  t.equal((await sql`select 1 from sessions`).length, 1, "the same body opens no second one")
})
