import t from "tap"
import { apiKey, ethereumAccount, signParams, userParams, valueOf } from "../harness/api-seat.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { allRefused, memoryOf, refused, type Stage, stage } from "./stage.ts"

const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"
const KEYS = "ACTIVITY_TYPE_CREATE_API_KEYS_V2"

t.test("A4: refuses a body of which any byte was altered after stamping", async (t) => {
  const scene = await stage(t)
  const { seat, acme } = scene
  const walletName = "one".repeat(20)
  const body = seat.body(WALLET, acme.organizationId, { walletName, accounts: [] })
  const xStamp = stampWith(acme.root, body)
  const before = memoryOf(scene)
  const told = new Map<string, number>()
  for (let position = 0; position < body.length; position++) {
    const altered = Buffer.from(body)
    altered[position]! ^= 0x01
    const answer = await seat.offer(altered.toString("latin1"), xStamp).catch(() => undefined)
    const code = answer?.is === "refused" ? answer.code : "accepted"
    told.set(code, (told.get(code) ?? 0) + 1)
  }
  t.comment(`${body.length} bytes: ${[...told].map(([code, count]) => `${code} ${count}`).join(", ")}`)
  t.notOk(told.has("accepted"))
  t.ok(
    told.get("STAMP_INVALID")! >= walletName.length,
    "where it still reads as a request, its stamp is refused",
  )
  t.equal(memoryOf(scene), before, "leaves no trace")
  t.match(await seat.offer(body, xStamp), { is: "outcome" })
})

t.test("A4: refuses a body made into another after stamping", async (t) => {
  const scene = await stage(t)
  const { seat, acme, address } = scene
  const other = await seat.wallet(acme, "Second")
  const body = seat.body(SIGN, acme.organizationId, signParams(address, "11".repeat(32)))
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
  await allRefused(t, scene, "STAMP_INVALID", forms, (altered) => seat.offer(altered, xStamp))
  t.match(await seat.offer(body, xStamp), { is: "outcome" })
})

t.test("A4: refuses a stamp of which any byte was altered", async (t) => {
  const scene = await stage(t)
  const { seat, acme, address } = scene
  const body = seat.body(SIGN, acme.organizationId, signParams(address))
  const xStamp = stampWith(acme.root, body)
  const content = JSON.parse(Buffer.from(xStamp, "base64url").toString()) as { signature: string }
  const before = memoryOf(scene)
  for (let position = 0; position < content.signature.length; position++) {
    const digit = content.signature[position] === "0" ? "1" : "0"
    const signature = content.signature.slice(0, position) + digit + content.signature.slice(position + 1)
    const altered = Buffer.from(JSON.stringify({ ...content, signature })).toString("base64url")
    const answer = await seat.offer(body, altered)
    if (answer.is !== "refused" || !/^STAMP_(INVALID|MALFORMED)$/.test(answer.code))
      t.fail(`digit ${position}: ${answer.is}`)
  }
  t.equal(memoryOf(scene), before, "leaves no trace")
  t.match(await seat.offer(body, xStamp), { is: "outcome" })
})

t.test("A4: refuses a key of another organization, and a body that names another organization", async (t) => {
  const scene = await stage(t)
  const { seat, acme, address } = scene
  const other = await seat.tenant("Other")
  const theirs = await seat.wallet(other)
  const here = seat.body(SIGN, acme.organizationId, signParams(address))
  await refused(t, scene, "CREDENTIAL_UNKNOWN", () => seat.offer(here, stampWith(other.root, here)))
  const stolen = seat.body(SIGN, other.organizationId, signParams(address))
  const theirStamp = stampWith(other.root, stolen)
  await refused(t, scene, "SIGN_WITH_UNKNOWN", () => seat.offer(stolen, theirStamp), "another one's address")
  const moved = stolen.replace(other.organizationId, acme.organizationId)
  await refused(t, scene, "CREDENTIAL_UNKNOWN", () => seat.offer(moved, theirStamp), "body moved here")
  const own = seat.body(SIGN, other.organizationId, signParams(theirs.address))
  t.match(await seat.offer(own, stampWith(other.root, own)), { is: "outcome" })
  t.match(await seat.offer(here, stampWith(acme.root, here)), { is: "outcome" })
})

t.test("A4: refuses to read or change another organization's resource by its id", async (t) => {
  const scene = await stage(t)
  const { seat, acme, walletId } = scene
  const other = await seat.tenant("Other")
  const refusedTo = async (type: string, parameters: object) => {
    const body = seat.body(type, other.organizationId, parameters)
    await refused(t, scene, "RESOURCE_UNKNOWN", () => seat.offer(body, stampWith(other.root, body)), type)
  }
  await refusedTo("ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", { walletId, accounts: [ethereumAccount(1)] })
  await refusedTo(KEYS, { userId: acme.rootUserId, apiKeys: [apiKey(newKey())] })
  await refusedTo("ACTIVITY_TYPE_DELETE_API_KEYS", { userId: acme.rootUserId, apiKeyIds: [walletId] })
  const quorum = { threshold: 1, userIds: [other.rootUserId, acme.rootUserId] }
  const body = seat.body("ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", other.organizationId, quorum)
  await refused(t, scene, "QUORUM_INVALID", () => seat.offer(body, stampWith(other.root, body)))
})

t.test("A4: refuses a deleted key, also with the document that still held it, after a restart", async (t) => {
  const scene = await stage(t)
  const { boundary, seat, acme, address } = scene
  const { organizationId, root, rootUserId } = acme
  const stolen = newKey()
  const made = await seat.submit(root, KEYS, organizationId, {
    userId: rootUserId,
    apiKeys: [apiKey(stolen)],
  })
  const old = seat.documents.get(organizationId)!
  const body = seat.body(SIGN, organizationId, signParams(address))
  const records = [...seat.records.values()]
  const attempt = (document: Uint8Array) => seat.order(body, stampWith(stolen, body), { document, records })
  t.match(await attempt(old), { is: "outcome" }, "before it is removed")
  const { apiKeyIds } = valueOf(made, "createApiKeysResult")
  await seat.submit(root, "ACTIVITY_TYPE_DELETE_API_KEYS", organizationId, { userId: rootUserId, apiKeyIds })
  const current = seat.documents.get(organizationId)!
  for (const when of ["at once", "after a restart"]) {
    await refused(t, scene, "DOCUMENT_ROLLED_BACK", () => attempt(old), `${when}, with the older document`)
    await refused(t, scene, "CREDENTIAL_UNKNOWN", () => attempt(current), `${when}, with the current one`)
    await boundary.restart()
  }
})

t.test("A4: refuses a key from the millisecond in which it expires", async (t) => {
  const scene = await stage(t)
  const { boundary, seat, acme, address } = scene
  const brief = newKey()
  const parameters = { userId: acme.rootUserId, apiKeys: [apiKey(brief, "brief", "60")] }
  const outcome = await seat.submit(acme.root, KEYS, acme.organizationId, parameters)
  const endsMs = Number(outcome.decision!.decidedAtMs) + 60_000
  const attempt = signing(scene, brief, address)
  boundary.clock.pass(endsMs - 1 - boundary.clock.wallMs())
  t.match(await attempt(), { is: "outcome" }, "in its last millisecond")
  boundary.clock.pass(1)
  await refused(t, scene, "CREDENTIAL_EXPIRED", attempt)
  boundary.clock.setWall(boundary.clock.wallMs() - 120_000)
  await boundary.restart()
  await refused(t, scene, "CREDENTIAL_EXPIRED", attempt, "after a restart with a clock two minutes behind")
})

t.test("A4: a new user's key is valid from its document's version on and not before", async (t) => {
  const scene = await stage(t)
  const { seat, acme } = scene
  const key = newKey()
  const body = seat.body(KEYS, acme.organizationId, { userId: acme.rootUserId, apiKeys: [apiKey(key)] })
  await refused(t, scene, "CREDENTIAL_UNKNOWN", () => seat.offer(body, stampWith(key, body)), "his own birth")
  await seat.submit(acme.root, "ACTIVITY_TYPE_CREATE_USERS_V4", acme.organizationId, {
    users: [userParams("dora", key)],
  })
  await refused(
    t,
    scene,
    "PERMISSION_DENIED",
    () => seat.offer(body, stampWith(key, body)),
    "no more than his",
  )
})

function signing({ seat, acme }: Stage, key: ReturnType<typeof newKey>, address: string) {
  const body = seat.body(SIGN, acme.organizationId, signParams(address))
  return () => seat.offer(body, stampWith(key, body))
}
