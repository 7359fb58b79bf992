import t from "tap"
import { apiKey, ethereumAccount, signParams, userParams, valueOf } from "../harness/api-client.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { allRefused, ledgerDigest, refused, type Fixture, setup } from "./setup.ts"

const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"
const KEYS = "ACTIVITY_TYPE_CREATE_API_KEYS_V2"

t.test("A4: refuses a body of which any byte was altered after stamping", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const walletName = "one".repeat(20)
  const body = client.body(WALLET, acme.organizationId, { walletName, accounts: [] })
  const xStamp = stampWith(acme.root, body)
  const before = ledgerDigest(fixture)
  const told = new Map<string, number>()
  for (let position = 0; position < body.length; position++) {
    const altered = Buffer.from(body)
    altered[position]! ^= 0x01
    const answer = await client.offer(altered.toString("latin1"), xStamp).catch(() => undefined)
    const code = answer?.is === "refused" ? answer.code : "accepted"
    told.set(code, (told.get(code) ?? 0) + 1)
  }
  t.comment(`${body.length} bytes: ${[...told].map(([code, count]) => `${code} ${count}`).join(", ")}`)
  t.notOk(told.has("accepted"))
  t.ok(
    told.get("STAMP_INVALID")! >= walletName.length,
    "where it still reads as a request, its stamp is refused",
  )
  t.equal(ledgerDigest(fixture), before, "leaves no trace")
  t.match(await client.offer(body, xStamp), { is: "outcome" })
})

t.test("A4: refuses a body made into another after stamping", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address } = fixture
  const other = await client.wallet(acme, "Second")
  const body = client.body(SIGN, acme.organizationId, signParams(address, "11".repeat(32)))
  const forms = [
    body.replace("11".repeat(32), "22".repeat(32)),
    body.replace(address, other.address),
    body.replace("SIGN_RAW_PAYLOAD_V2", "SIGN_RAW_PAYLOADS").replace(/"payload":("\w+")/, '"payloads":[$1]'),
    `${body}\n`,
    ` ${body}`,
    body.replace(",", ", "),
    JSON.stringify(JSON.parse(body), undefined, 1),
  ]
  const xStamp = stampWith(acme.root, body)
  await allRefused(t, fixture, "STAMP_INVALID", forms, (altered) => client.offer(altered, xStamp))
  t.match(await client.offer(body, xStamp), { is: "outcome" })
})

t.test("A4: refuses a stamp of which any byte was altered", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address } = fixture
  const body = client.body(SIGN, acme.organizationId, signParams(address))
  const xStamp = stampWith(acme.root, body)
  const content = JSON.parse(Buffer.from(xStamp, "base64url").toString()) as { signature: string }
  const before = ledgerDigest(fixture)
  for (let position = 0; position < content.signature.length; position++) {
    const digit = content.signature[position] === "0" ? "1" : "0"
    const signature = content.signature.slice(0, position) + digit + content.signature.slice(position + 1)
    const altered = Buffer.from(JSON.stringify({ ...content, signature })).toString("base64url")
    const answer = await client.offer(body, altered)
    if (answer.is !== "refused" || !/^STAMP_(INVALID|MALFORMED)$/.test(answer.code))
      t.fail(`digit ${position}: ${answer.is}`)
  }
  t.equal(ledgerDigest(fixture), before, "leaves no trace")
  t.match(await client.offer(body, xStamp), { is: "outcome" })
})

t.test("A4: refuses a key of another organization, and a body that names another organization", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address } = fixture
  const other = await client.createOrganization("Other")
  const theirs = await client.wallet(other)
  const here = client.body(SIGN, acme.organizationId, signParams(address))
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(here, stampWith(other.root, here)))
  const stolen = client.body(SIGN, other.organizationId, signParams(address))
  const theirStamp = stampWith(other.root, stolen)
  await refused(
    t,
    fixture,
    "SIGN_WITH_UNKNOWN",
    () => client.offer(stolen, theirStamp),
    "another one's address",
  )
  const moved = stolen.replace(other.organizationId, acme.organizationId)
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(moved, theirStamp), "body moved here")
  const own = client.body(SIGN, other.organizationId, signParams(theirs.address))
  t.match(await client.offer(own, stampWith(other.root, own)), { is: "outcome" })
  t.match(await client.offer(here, stampWith(acme.root, here)), { is: "outcome" })
})

t.test("A4: refuses to read or change another organization's resource by its id", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId } = fixture
  const other = await client.createOrganization("Other")
  const refusedTo = async (type: string, parameters: object) => {
    const body = client.body(type, other.organizationId, parameters)
    await refused(t, fixture, "RESOURCE_UNKNOWN", () => client.offer(body, stampWith(other.root, body)), type)
  }
  await refusedTo("ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", { walletId, accounts: [ethereumAccount(1)] })
  await refusedTo(KEYS, { userId: acme.rootUserId, apiKeys: [apiKey(newKey())] })
  await refusedTo("ACTIVITY_TYPE_DELETE_API_KEYS", { userId: acme.rootUserId, apiKeyIds: [walletId] })
  const quorum = { threshold: 1, userIds: [other.rootUserId, acme.rootUserId] }
  const body = client.body("ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", other.organizationId, quorum)
  await refused(t, fixture, "QUORUM_INVALID", () => client.offer(body, stampWith(other.root, body)))
})

t.test("A4: refuses a deleted key, also with the document that still held it, after a restart", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme, address } = fixture
  const { organizationId, root, rootUserId } = acme
  const stolen = newKey()
  const made = await client.submit(root, KEYS, organizationId, {
    userId: rootUserId,
    apiKeys: [apiKey(stolen)],
  })
  const old = client.documents.get(organizationId)!
  const body = client.body(SIGN, organizationId, signParams(address))
  const records = [...client.records.values()]
  const attempt = (document: Uint8Array) => client.order(body, stampWith(stolen, body), { document, records })
  t.match(await attempt(old), { is: "outcome" }, "before it is removed")
  const { apiKeyIds } = valueOf(made, "createApiKeysResult")
  await client.submit(root, "ACTIVITY_TYPE_DELETE_API_KEYS", organizationId, {
    userId: rootUserId,
    apiKeyIds,
  })
  const current = client.documents.get(organizationId)!
  for (const when of ["at once", "after a restart"]) {
    await refused(t, fixture, "DOCUMENT_ROLLED_BACK", () => attempt(old), `${when}, with the older document`)
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => attempt(current), `${when}, with the current one`)
    await boundary.restart()
  }
})

t.test("A4: refuses a key from the millisecond in which it expires", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme, address } = fixture
  const brief = newKey()
  const parameters = { userId: acme.rootUserId, apiKeys: [apiKey(brief, "brief", "60")] }
  const outcome = await client.submit(acme.root, KEYS, acme.organizationId, parameters)
  const endsMs = Number(outcome.decision!.decidedAtMs) + 60_000
  const attempt = signing(fixture, brief, address)
  boundary.clock.pass(endsMs - 1 - boundary.clock.wallMs())
  t.match(await attempt(), { is: "outcome" }, "in its last millisecond")
  boundary.clock.pass(1)
  await refused(t, fixture, "CREDENTIAL_EXPIRED", attempt)
  boundary.clock.setWall(boundary.clock.wallMs() - 120_000)
  await boundary.restart()
  await refused(t, fixture, "CREDENTIAL_EXPIRED", attempt, "after a restart with a clock two minutes behind")
})

t.test("A4: a new user's key is valid from its document's version on and not before", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const key = newKey()
  const body = client.body(KEYS, acme.organizationId, { userId: acme.rootUserId, apiKeys: [apiKey(key)] })
  await refused(
    t,
    fixture,
    "CREDENTIAL_UNKNOWN",
    () => client.offer(body, stampWith(key, body)),
    "its own creation",
  )
  await client.submit(acme.root, "ACTIVITY_TYPE_CREATE_USERS_V4", acme.organizationId, {
    users: [userParams("dora", key)],
  })
  await refused(
    t,
    fixture,
    "PERMISSION_DENIED",
    () => client.offer(body, stampWith(key, body)),
    "only its own",
  )
})

function signing({ client, acme }: Fixture, key: ReturnType<typeof newKey>, address: string) {
  const body = client.body(SIGN, acme.organizationId, signParams(address))
  return () => client.offer(body, stampWith(key, body))
}
