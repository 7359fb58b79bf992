// The entrance of orders: what is checked before an order waits for its organization, and again when its turn has come.
import { create } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrderSchema } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Deadline } from "../../../../signer/core/turns/deadline.ts"
import { ethereumAccount, outcomeOf, signParams } from "../../../harness/api-client.ts"
import { newKey, stampWith, type TestKey } from "../../../harness/stamper.ts"
import { child, subOrganization } from "../../../harness/sub-organization.ts"
import { allow } from "../../../hostile/consensus-fixture.ts"
import { observeTurns } from "../../../hostile/observed-turns.ts"
import { type Fixture, setup } from "../../../hostile/setup.ts"
import { limited, paymentBody } from "../../../hostile/velocity-fixture.ts"
import { allowedOutcome } from "./allowed.ts"

const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"
const LOGIN = "ACTIVITY_TYPE_STAMP_LOGIN"
const { COMPLETED } = ActivityStatus
const HOUR_MS = 60 * 60 * 1000
/** More changes than turns that one order takes. */
const MANY = 50

const NOWHERE = "00000000-0000-4000-8000-00000000000f"

/** An order with the first two documents that the client has. */
function orderOf({ client }: Fixture, body: string, key: TestKey) {
  const documents = [...client.documents.values()].slice(0, 2)
  return create(OrderSchema, { body: Buffer.from(body), xStamp: stampWith(key, body), documents })
}

/** Hands an order to the executor: everything before the first wait is done when this returns. */
function execute(fixture: Fixture, body: string, key: TestKey, deadline?: Deadline) {
  return allowedOutcome(
    fixture.boundary.signer.state().executor.execute(orderOf(fixture, body, key), deadline),
  )
}

t.test("an order is not run when its time is over, neither at once nor after it waited", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  let nowMs = 0
  const exceeded = { code: "DEADLINE_EXCEEDED" }
  const bodies = [
    client.body(WALLET, acme.organizationId, { walletName: "Late", accounts: [] }),
    client.body(LOGIN, acme.organizationId, { publicKey: newKey().publicKeyHex }),
    client.body(
      "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
      acme.organizationId,
      subOrganization([{ name: "root", key: newKey() }]),
    ),
  ]
  for (const body of bodies) {
    nowMs = 0
    const deadline = new Deadline(1000, () => nowMs)
    const waiting = execute(fixture, body, acme.root, deadline)
    nowMs = 1000
    await t.rejects(waiting, exceeded)
    await t.rejects(execute(fixture, "{", acme.root, deadline), exceeded, "before the body is read")
  }
  for (const body of bodies) t.match(await client.send(body, acme.root), { is: "outcome" })
})

t.test("a large body whose time ended while it was hashed is not signed", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address } = fixture
  const payloads = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(64, "0"))
  const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOADS", acme.organizationId, {
    signWith: address,
    payloads,
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  })
  t.ok(body.length > 16 * 1024)
  t.match(await execute(fixture, body, acme.root), { status: COMPLETED })
  let nowMs = 0
  const waiting = execute(fixture, body, acme.root, new Deadline(1000, () => nowMs))
  nowMs = 1000
  await t.rejects(waiting, { code: "DEADLINE_EXCEEDED" })
})

t.test("a stale body opens no organization", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const old = client.body(LOGIN, NOWHERE, { publicKey: newKey().publicKeyHex })
  await t.rejects(execute(fixture, old, acme.root), { code: "ORGANIZATION_UNKNOWN" })
  boundary.clock.pass(HOUR_MS)
  await t.rejects(execute(fixture, old, acme.root), { code: "REQUEST_STALE" })
})

t.test("a body with a setup code that became stale while it waited creates nothing", async (t) => {
  const fixture = await setup(t)
  const { client, boundary } = fixture
  const { body, root, organizationId } = await client.organizationBody("Late")
  const waiting = execute(fixture, body, root)
  boundary.clock.pass(HOUR_MS)
  await t.rejects(waiting, { code: "REQUEST_STALE" })
  t.equal(boundary.signer.state().ledger.head(organizationId), undefined)
})

t.test("a login that waited for one organization does not enter another", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const key = newKey()
  const [first, second] = [await child(client, acme, { key }), await child(client, acme, { key })]
  const login = client.body(LOGIN, acme.organizationId, { publicKey: newKey().publicKeyHex })
  const wallet = { walletName: "Many", accounts: [3, 4, 5, 6].map((index) => ethereumAccount(index)) }
  const slow = client.body(WALLET, first.organizationId, wallet)
  const turns = observeTurns(t, fixture)
  turns.isHolding = true
  const running = client.offer(slow, stampWith(key, slow))
  while (turns.of(first.organizationId) === 0) await new Promise((resolve) => setImmediate(resolve))
  turns.isHolding = false
  const waiting = execute(fixture, login, key)
  await client.submit(key, LOGIN, second.organizationId, { publicKey: newKey().publicKeyHex })
  turns.release()
  t.match(await running, { is: "outcome" })
  await t.rejects(waiting, { code: "ORGANIZATION_BUSY" })
  t.equal(outcomeOf(await client.send(login, key)).organizationId, second.organizationId)
})

t.test("an activity that is not served is refused as that, for every caller", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const eve = await client.user(acme, "eve")
  const body = client.body("ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2", acme.organizationId, {
    subOrganizationName: "Sub",
    rootUsers: [{ userName: "root", apiKeys: [], authenticators: [] }],
    rootQuorumThreshold: 1,
  })
  await t.rejects(execute(fixture, body, eve.key), { code: "ACTIVITY_TYPE_NOT_SERVED" })
})

/** Begins an order that computes in slices, and holds its organization's turns until they are released. */
async function hold(t: Test, fixture: Fixture, body: string, key: TestKey) {
  const turns = observeTurns(t, fixture)
  const { organizationId } = fixture.acme
  turns.isHolding = true
  const running = execute(fixture, body, key)
  while (turns.of(organizationId) === 0) await new Promise((resolve) => setImmediate(resolve))
  turns.isHolding = false
  return { running, release: turns.release }
}

t.test("sub-organizations are created beside one another, and signatures beside a change", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address } = fixture
  const { organizationId, root } = acme
  const creation = () => {
    const parameters = subOrganization([{ name: "root", key: newKey() }])
    return client.body("ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7", organizationId, parameters)
  }
  const sign = () => client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
  await client.send(sign(), root)
  const body = creation()
  const first = await hold(t, fixture, body, root)
  const again = execute(fixture, body, root)
  t.equal((await execute(fixture, creation(), root)).status, COMPLETED)
  t.equal((await execute(fixture, sign(), root)).status, COMPLETED)
  first.release()
  const { decision } = await first.running
  t.equal((await again).decision?.activityId, decision?.activityId, "the same body waits for itself")
  const accounts = [ethereumAccount(7), ethereumAccount(8)]
  const wallet = client.body(WALLET, organizationId, { walletName: "Second", accounts })
  const second = await hold(t, fixture, wallet, root)
  t.equal((await execute(fixture, sign(), root)).status, COMPLETED)
  second.release()
  t.equal((await second.running).status, COMPLETED)
})

t.test("policies are compiled in slices for the first change too", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const { organizationId, root } = acme
  const policies = Array.from({ length: 20 }, (_, index) => ({
    policyName: `${index}`,
    effect: "EFFECT_ALLOW",
    notes: "",
    condition: `wallet.id == 'of the change, ${index}'`,
  }))
  await client.submit(root, "ACTIVITY_TYPE_CREATE_POLICIES", organizationId, { policies })
  await boundary.restart()
  const tag = { userTagName: "tag", userIds: [] }
  const turns = observeTurns(t, fixture)
  await client.submit(root, "ACTIVITY_TYPE_CREATE_USER_TAG", organizationId, tag)
  const taken = turns.of(organizationId)
  // Condition, consensus and time of each policy have a turn.
  const steps = 3 * policies.length
  t.ok(taken >= steps && taken < 2 * steps, `${taken} turns: each expression is compiled once`)
})

t.test("an organization that changes with every turn keeps no order from its decision", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address, boundary } = fixture
  const { organizationId, root } = acme
  const policy = { policyName: "one", effect: "EFFECT_ALLOW", notes: "", condition: "true" }
  await client.submit(root, "ACTIVITY_TYPE_CREATE_POLICY_V3", organizationId, policy)
  const order = (type: string, parameters: object) => {
    const body = client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters)
    return client.order(body, stampWith(root, body))
  }
  await client.submit(root, "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
  await order("CREATE_USER_TAG", { userTagName: "before", userIds: [] })
  observeTurns(t, fixture)
  const { turns } = boundary.signer
  const { run } = turns
  let changes = 0
  let isChanging = false
  turns.run = async (owner, task) => {
    if (!isChanging && changes < MANY) {
      isChanging = true
      changes += 1
      t.match(await order("CREATE_USER_TAG", { userTagName: `${changes}`, userIds: [] }), { is: "outcome" })
      isChanging = false
    }
    return run(owner, task)
  }
  t.match(await order("SIGN_RAW_PAYLOAD_V2", signParams(address)), { is: "outcome" })
  t.ok(changes > 0 && changes < MANY, `${changes} changes`)
})

t.test("a signature that was counted is made anew once no control counts it", async (t) => {
  const fixture = await limited(t)
  const { client, acme, dan, velocityControlId, policyId } = fixture
  const body = paymentBody(fixture, "1")
  const send = async () => outcomeOf(await client.send(body, dan.key)).decision?.activityId
  const first = await send()
  t.equal(await send(), first, "while it does, the outcome is given again")
  const end = (type: string, parameters: object) =>
    client.submit(acme.root, type, acme.organizationId, parameters)
  await allow(fixture)
  await end("ACTIVITY_TYPE_DELETE_POLICY", { policyId })
  await end("ACTIVITY_TYPE_DELETE_VELOCITY_CONTROL", { velocityControlId })
  t.not(await send(), first)
})
