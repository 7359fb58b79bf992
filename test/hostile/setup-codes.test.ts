import t from "tap"
import { SetupCodeSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { apiKey, keptOutcome, outcomeOf, readSetupCode } from "../harness/api-client.ts"
import { fingerprintOf, newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import {
  allRefused,
  bitFlips,
  ledgerDigest,
  refused,
  decodesDifferently,
  type Fixture,
  setup,
} from "./setup.ts"

const BIRTH = "ACTIVITY_TYPE_CREATE_ORGANIZATION"

/** Creation of an organization with this code; `holder` stamps, `owner` becomes the root user's key. */
function creation({ client }: Pick<Fixture, "client">, setupCode: string, holder: TestKey, owner = holder) {
  const { organizationId } = readSetupCode(setupCode)
  const rootUser = { userName: "root", apiKeys: [apiKey(owner)] }
  const body = client.body(BIRTH, organizationId, { setupCode, organizationName: "New", rootUser })
  return { body, xStamp: stampWith(holder, body), organizationId }
}

async function issued(fixture: Fixture) {
  const key = newKey()
  return { key, setupCode: await fixture.boundary.createSetupCode(key.publicKeyHex) }
}

t.test("A4: refuses a stolen setup code", async (t) => {
  const fixture = await setup(t)
  const { client } = fixture
  const { key, setupCode } = await issued(fixture)
  const thief = newKey()
  const stolen = creation(fixture, setupCode, thief)
  await refused(t, fixture, "SETUP_CODE_OF_ANOTHER_KEY", () => client.offer(stolen.body, stolen.xStamp))
  const honest = creation(fixture, setupCode, key)
  const withThief = honest.body.replace(key.publicKeyHex, thief.publicKeyHex)
  await refused(
    t,
    fixture,
    "STAMP_INVALID",
    () => client.offer(withThief, honest.xStamp),
    "root key exchanged",
  )
  const renamed = honest.body.replace('"New"', '"Old"')
  await refused(t, fixture, "STAMP_INVALID", () => client.offer(renamed, honest.xStamp), "name exchanged")
  const posing = stampWith({ ...thief, publicKeyHex: key.publicKeyHex }, honest.body)
  await refused(t, fixture, "STAMP_INVALID", () => client.offer(honest.body, posing), "stamped by the thief")
  t.match(await client.send(honest.body, key), { is: "outcome" })
})

t.test("A4: refuses a setup code of which any byte was altered", async (t) => {
  const fixture = await setup(t)
  const { client } = fixture
  const { key, setupCode } = await issued(fixture)
  const honest = creation(fixture, setupCode, key)
  const issuedBytes = Buffer.from(setupCode, "base64url")
  const codes = decodesDifferently(SetupCodeSchema, issuedBytes, bitFlips(issuedBytes)).map((bytes) =>
    Buffer.from(bytes).toString("base64url"),
  )
  const attempt = (code: string) => {
    const body = honest.body.replace(setupCode, code)
    return client.offer(body, stampWith(key, body))
  }
  await allRefused(t, fixture, "SETUP_CODE_INVALID", [...codes, "AAAA", "no code"], attempt)
  t.match(await client.send(honest.body, key), { is: "outcome" })
})

t.test("A4: refuses a setup code for another organization id, and one of another deployment", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { key, setupCode } = await issued(fixture)
  const honest = creation(fixture, setupCode, key)
  const over = honest.body.replace(honest.organizationId, acme.organizationId)
  await refused(
    t,
    fixture,
    "SETUP_CODE_INVALID",
    () => client.offer(over, stampWith(key, over)),
    "one that is there",
  )
  const elsewhere = await setup(t)
  const foreign = creation(fixture, await elsewhere.boundary.createSetupCode(key.publicKeyHex), key)
  await refused(t, fixture, "SETUP_CODE_INVALID", () => client.offer(foreign.body, foreign.xStamp))
  t.match(await client.send(honest.body, key), { is: "outcome" })
})

t.test("A4: refuses a setup code when its time has passed, also after a restart", async (t) => {
  const fixture = await setup(t)
  const { boundary, client } = fixture
  const key = newKey()
  const setupCode = await boundary.createSetupCode(key.publicKeyHex, 60)
  boundary.clock.pass(60_000)
  const late = creation(fixture, setupCode, key)
  await refused(t, fixture, "SETUP_CODE_EXPIRED", () => client.offer(late.body, late.xStamp))
  boundary.clock.setWall(boundary.clock.wallMs() - 120_000)
  await boundary.restart()
  await refused(
    t,
    fixture,
    "SETUP_CODE_EXPIRED",
    () => client.offer(late.body, late.xStamp),
    "with a clock set back",
  )
})

t.test("A1: one setup code creates one organization, whatever is sent at once or later", async (t) => {
  const fixture = await setup(t)
  const { boundary, client } = fixture
  const { key, setupCode } = await issued(fixture)
  const creations = Array.from({ length: 20 }, () => creation(fixture, setupCode, key, newKey()))
  const answers = await Promise.all(creations.map(({ body, xStamp }) => client.offer(body, xStamp)))
  const born = answers.flatMap((answer, index) => (answer.is === "outcome" ? [index] : []))
  t.equal(born.length, 1, "of twenty different births at once")
  const others = answers.filter((answer) => answer.is !== "outcome")
  t.ok(others.every((answer) => answer.is === "refused" && answer.code === "SETUP_CODE_SPENT"))
  const first = creations[born[0]!]!
  const remembered = ledgerDigest(fixture)
  const again = outcomeOf(await client.offer(first.body, first.xStamp))
  t.same(again, keptOutcome(outcomeOf(answers[born[0]!]!)), "the same body: the same organization")
  t.equal(ledgerDigest(fixture), remembered)
  await client.acknowledge(first.organizationId, fingerprintOf(first.body), key.publicKeyHex)
  for (const when of ["once acknowledged", "after a restart"]) {
    await refused(t, fixture, "SETUP_CODE_SPENT", () => client.offer(first.body, first.xStamp), when)
    const second = creation(fixture, setupCode, key)
    await refused(
      t,
      fixture,
      "SETUP_CODE_SPENT",
      () => client.offer(second.body, second.xStamp),
      `${when}, anew`,
    )
    await boundary.restart()
  }
})

t.test("A1: no organization is created without a setup code", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const rootUser = { userName: "root", apiKeys: [apiKey(acme.root)] }
  const parameters = { setupCode: "none", organizationName: "New", rootUser }
  const body = client.body(BIRTH, acme.rootUserId, parameters)
  await refused(t, fixture, "SETUP_CODE_INVALID", () => client.offer(body, stampWith(acme.root, body)))
  t.equal(fixture.boundary.signer.state().ledger.head(acme.rootUserId), undefined)
})
