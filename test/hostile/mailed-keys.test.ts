// Keys that are mailed: the API tier relays the order and the statement, and wants the key, a second mail, or more than a passkey.
import t, { type Test } from "tap"
import { toBinary } from "@bufbuild/protobuf"
import { activityTypes } from "../../proto/catalog.ts"
import { OutcomeSchema } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { apiKey, signParams, type Tenant } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { Target } from "../harness/credential-target.ts"
import { newIdentity } from "../harness/fetcher.ts"
import { bundleIn, mailedKeys, mailTo } from "../harness/mailed-keys.ts"
import { MAIL } from "../harness/otp.ts"
import { fingerprintOf, newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { relayed } from "./relayed.ts"
import { restated } from "./restated.ts"
import { refused, setup } from "./setup.ts"

const SPENT = { code: "FETCH_ORDER_SPENT" }

async function setUp(t: Test) {
  const fixture = await setup(t)
  const keys = await mailedKeys(fixture, fixture.acme)
  return { fixture, ...keys, target: new Target() }
}

t.test("O8: no order, statement, reply or store holds the key or its bundle", async (t) => {
  const { fixture, target } = await setUp(t)
  const mail = relayed(fixture, "EMAIL_AUTH", mailTo(target))
  const stated = await mail.ask()
  const bundle = bundleIn(fixture.fakeFetcher.messages.at(-1)!)
  const { privateKey } = target.open(bundle)
  const scalar = Buffer.from(String(privateKey.export({ format: "jwk" }).d), "base64url")
  const answer = await mail.send(stated)
  if (answer.is !== "outcome") throw new Error(JSON.stringify(answer))
  const held = {
    order: stated.order!.order,
    statement: stated.statement!.statement,
    outcome: toBinary(OutcomeSchema, answer.outcome),
  }
  for (const [what, bytes] of Object.entries(held)) {
    t.notOk(Buffer.from(bytes).includes(bundle), what)
    t.notOk(Buffer.from(bytes).includes(scalar), what)
  }
})

t.test("O8: orders of one activity, however many, mail one key once", async (t) => {
  const { fixture, target } = await setUp(t)
  const { boundary, fakeFetcher, client, acme } = fixture
  const mail = relayed(fixture, "EMAIL_AUTH", mailTo(target))
  const first = await mail.order()
  t.ok(await fakeFetcher.fetch(first))
  await t.rejects(fakeFetcher.fetch(first), SPENT, "the same order")
  fakeFetcher.restart()
  await t.rejects(fakeFetcher.fetch(first), SPENT, "the same order after a restart")
  const key = target.open(bundleIn(fakeFetcher.messages.at(-1)!))
  const sign = [
    "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    acme.organizationId,
    signParams(fixture.address),
  ] as const
  t.equal(await client.refused(key, ...sign), "CREDENTIAL_UNKNOWN", "withheld: the key is nobody's")
  boundary.clock.pass(1)
  await boundary.restart()
  fakeFetcher.obey(boundary)
  boundary.clock.pass(1)
  t.match(
    await mail.send(await mail.ask()),
    { is: "outcome" },
    "ordered again, after a restart of the signer",
  )
  t.equal(fakeFetcher.messages.length, 1, "and no second mail")
  await client.submit(key, ...sign)
})

t.test("O8: an activity that mailed its key is remembered for as long as its body can be sent", async (t) => {
  const { fixture, target } = await setUp(t)
  const { boundary, fakeFetcher } = fixture
  const mail = relayed(fixture, "EMAIL_AUTH", mailTo(target))
  await mail.ask()
  boundary.clock.pass(55 * 60_000)
  fakeFetcher.codes.purge(boundary.clock.wallMs())
  t.match(await mail.send(await mail.ask()), { is: "outcome" })
  t.equal(fakeFetcher.messages.length, 1)
})

t.test(
  "O8: the API tier cannot change address, client or wording, nor make up that a mail was sent",
  async (t) => {
    const { fixture, target } = await setUp(t)
    const { client, acme, fakeFetcher } = fixture
    const mail = relayed(fixture, "EMAIL_AUTH", mailTo(target))
    const order = await mail.order()
    const text = Buffer.from(order.order).toString("latin1").replace(MAIL, "eve@example.com")
    const swapped = { ...order, order: Uint8Array.from(Buffer.from(text, "latin1")) }
    await t.rejects(fakeFetcher.fetch(swapped), { code: "FETCH_ORDER_FORGED" })
    const body = client.body("ACTIVITY_TYPE_EMAIL_AUTH", acme.organizationId, mailTo(target))
    const stamp = stampWith(acme.root, body)
    for (const [from, to] of [
      [target.targetPublicKey, new Target().targetPublicKey],
      [MAIL, "eve@example.com"],
    ] as const)
      await refused(t, fixture, "STAMP_INVALID", () => client.offer(body.replace(from, to), stamp))
    t.strictSame(fakeFetcher.messages, [])
    const other = await relayed(fixture, "EMAIL_AUTH", mailTo(new Target())).ask()
    const code = await relayed(fixture, "INIT_USER_EMAIL_RECOVERY", mailTo(target)).ask()
    const mine = await mail.ask()
    for (const [what, fetched] of Object.entries({
      "of another request": other,
      relabelled: { ...other, order: mine.order! },
      "of another activity": code,
      "made up": restated(mine, { stateSequence: 1n }),
    }))
      await refused(t, fixture, "STATEMENT_INVALID", () => mail.send(fetched), what)
    t.match(await mail.send(mine), { is: "outcome" }, "the unaltered twin")
  },
)

t.test("O8: another fetcher than the paired one opens no bundle", async (t) => {
  const { fixture, target } = await setUp(t)
  const order = await relayed(fixture, "EMAIL_AUTH", mailTo(target)).order()
  const { fakeFetcher } = fixture
  const { keySet } = fakeFetcher.identity
  Object.assign(fakeFetcher.identity, { keySet: { ...keySet, encrypt: newIdentity().keySet.encrypt } })
  fakeFetcher.restart()
  fixture.boundary.clock.pass(1)
  await t.rejects(fakeFetcher.fetch(order), { message: /does not open/ })
  t.strictSame(fakeFetcher.messages, [])
})

t.test(
  "A8: a user of the parent has a key mailed, by the parent's policies, and opens nothing without the mail",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme, boundary, fakeFetcher } = fixture
    const key = newKey()
    const user = { userName: "ann", userEmail: MAIL, authenticators: [], oauthProviders: [] }
    const ann = await child(client, acme, { key, rootUsers: [{ ...user, apiKeys: [apiKey(key)] }] })
    const server = await client.user(acme, "server")
    await client.submit(acme.root, "ACTIVITY_TYPE_CREATE_POLICY_V3", acme.organizationId, {
      policyName: "mails",
      effect: "EFFECT_ALLOW",
      consensus: `approvers.any(user, user.id == '${server.userId}')`,
      condition: "activity.resource == 'AUTH' || activity.resource == 'RECOVERY'",
      notes: "",
    })
    const attempt = (
      type: string,
      parameters: object,
      by: TestKey,
      { organizationId }: Pick<Tenant, "organizationId"> = ann,
    ) => {
      boundary.clock.pass(1)
      return client.send(client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters), by)
    }
    const { key: noRight } = await client.user(acme, "no right")
    for (const type of ["EMAIL_AUTH", "INIT_USER_EMAIL_RECOVERY"]) {
      const target = new Target()
      const mail = mailTo(target)
      t.match(await attempt(type, mail, noRight), { is: "refused", code: "PERMISSION_DENIED" }, type)
      for (const stranger of [newKey(), (await child(client, acme)).root])
        await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => attempt(type, mail, stranger), type)
      t.match(await attempt(type, mail, server.key), { is: "outcome" }, type)
      t.match(fakeFetcher.messages.at(-1), { to: MAIL }, "the bundle is in the end user's mail alone")
      const opened = target.open(bundleIn(fakeFetcher.messages.at(-1)!))
      const sign = signParams(ann.address)
      const signed = await attempt("SIGN_RAW_PAYLOAD_V2", sign, opened)
      t.match(signed, type === "EMAIL_AUTH" ? { is: "outcome" } : { code: "RECOVERY_KEY_CONFINED" })
    }
    const passkey = { userId: ann.rootUserId, authenticator: new Passkey().create() }
    await refused(t, fixture, "ORGANIZATION_MISMATCH", () => attempt("RECOVER_USER", passkey, server.key))
  },
)

t.test("O8: a recovery key does nothing but recover_user, whatever its user may do", async (t) => {
  const { fixture, recoveryKey } = await setUp(t)
  const { client, acme, address } = fixture
  const key = await recoveryKey()
  const waiting = client.body("ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, {
    walletName: "W",
    accounts: [],
  })
  const requests: { [type: string]: object } = {
    SIGN_RAW_PAYLOAD_V2: signParams(address),
    STAMP_LOGIN: { publicKey: newKey().publicKeyHex },
    CREATE_API_KEYS_V2: { userId: acme.rootUserId, apiKeys: [apiKey(newKey())] },
    CREATE_AUTHENTICATORS_V2: { userId: acme.rootUserId, authenticators: [new Passkey().create()] },
    CREATE_READ_ONLY_SESSION: {},
    CREATE_READ_WRITE_SESSION_V2: { targetPublicKey: new Target().targetPublicKey },
    APPROVE_ACTIVITY: { fingerprint: `sha256:${fingerprintOf(waiting)}` },
    REJECT_ACTIVITY: { fingerprint: `sha256:${fingerprintOf(waiting)}` },
    UPDATE_ROOT_QUORUM: { threshold: 1, userIds: [acme.rootUserId] },
    EMAIL_AUTH: mailTo(new Target()),
    DELETE_API_KEYS: { userId: acme.rootUserId, apiKeyIds: [acme.organizationId] },
  }
  for (const [type, parameters] of Object.entries(requests)) {
    t.ok(activityTypes.has(`ACTIVITY_TYPE_${type}`), type)
    const body = client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, parameters)
    await refused(t, fixture, "RECOVERY_KEY_CONFINED", () => client.offer(body, stampWith(key, body)), type)
  }
})

t.test("A4: a recovery that is sent again adds nothing", async (t) => {
  const { fixture, recoveryKey } = await setUp(t)
  const { client, acme, boundary } = fixture
  const key = await recoveryKey()
  const parameters = { userId: acme.rootUserId, authenticator: new Passkey().create() }
  const body = client.body("ACTIVITY_TYPE_RECOVER_USER", acme.organizationId, parameters)
  const xStamp = stampWith(key, body)
  t.match(await client.send(body, key), { is: "outcome" })
  const again = () => client.offer(body, xStamp)
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", again)
  await boundary.restart()
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", again, "after a restart")
})
