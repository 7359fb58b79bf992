// The policies of an organization are compiled for its first order after a start or a change: up to 256 KiB of them.
import t from "tap"
import { stampWith, type TestKey } from "../harness/stamper.ts"
import { type Tenant, valueOf } from "../harness/api-client.ts"
import { observeTurns } from "./observed-turns.ts"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"

const POLICIES = 20

/** Condition, consensus and time of each policy are compiled, one a step, also where one is absent. */
const STEPS = 3 * POLICIES

/** Policies of texts that were never compiled before. */
const policies = (name: string) =>
  Array.from({ length: POLICIES }, (_, index) => ({
    policyName: `${name} ${index}`,
    effect: "EFFECT_ALLOW",
    notes: "",
    condition: `wallet.id == '${name} ${index}'`,
    consensus: `approvers.any(u, u.id == '${name} ${index}')`,
  }))

/** A signature with a wallet's address, which the signer can make without further context. */
async function prepareSignature({ client }: Fixture, { organizationId, root }: Tenant, signWith: string) {
  const parameters = {
    signWith,
    payload: "11".repeat(32),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  }
  const order = (by: TestKey) => {
    const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, parameters)
    return () => client.order(body, stampWith(by, body), {})
  }
  const first = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, parameters)
  await client.send(first, root)
  return order
}

t.test(
  "B3: while the policies of one organization are compiled, a neighbour's order is answered",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme, address } = fixture
    const globex = await client.createOrganization("Globex")
    const own = await prepareSignature(fixture, acme, address)
    const neighbour = await prepareSignature(fixture, globex, (await client.wallet(globex)).address)
    const turns = observeTurns(t, fixture)
    await asRoot(fixture).submit("CREATE_POLICIES", { policies: policies("slow") })
    t.equal(turns.of(acme.organizationId), STEPS, "new policies are checked one expression a turn")

    let isAnswered = false
    const before = turns.of(acme.organizationId)
    const slow = turns.run(acme.organizationId, own(acme.root)).then((answer) => {
      isAnswered = true
      return answer
    })
    t.match(await turns.run(globex.organizationId, neighbour(globex.root)), { is: "outcome" })
    t.notOk(isAnswered, "the neighbour's signature is there first")
    t.ok(turns.of(acme.organizationId) - before < STEPS, "after a few turns of the other organization")
    t.match(await slow, { is: "outcome" })
    t.equal(turns.of(acme.organizationId) - before, STEPS, "each expression has a turn")
    t.match(await own(acme.root)(), { is: "outcome" })
    t.equal(turns.of(acme.organizationId) - before, STEPS, "compiled policies are kept")
  },
)

t.test("A8: a credential that is removed while policies are compiled signs nothing", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address } = fixture
  const { submit } = asRoot(fixture)
  const alice = await client.user(acme, "alice")
  const order = await prepareSignature(fixture, acme, address)
  await submit("CREATE_POLICY_V3", { policyName: "all", effect: "EFFECT_ALLOW", notes: "" })
  const turns = observeTurns(t, fixture)
  const compiling = async (name: string) => {
    await submit("CREATE_POLICIES", { policies: policies(name) })
    turns.isHolding = true
    const before = turns.of(acme.organizationId)
    const answer = order(alice.key)()
    t.equal(turns.of(acme.organizationId) - before, 1, "the order waits for a turn")
    turns.isHolding = false
    return () => {
      turns.release()
      return answer
    }
  }
  t.match(await (await compiling("kept"))(), { is: "outcome" }, "its unaltered twin")
  const finish = await compiling("removed")
  await submit("DELETE_USERS", { userIds: [alice.userId] })
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", finish)
})

t.test(
  "B3: policies that change while the former ones are compiled are compiled in slices too",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme, address } = fixture
    const { submit } = asRoot(fixture)
    const alice = await client.user(acme, "alice")
    const order = await prepareSignature(fixture, acme, address)
    await submit("CREATE_POLICY_V3", { policyName: "all", effect: "EFFECT_ALLOW", notes: "" })
    const turns = observeTurns(t, fixture)
    await submit("CREATE_POLICIES", { policies: policies("former") })
    turns.isHolding = true
    const answer = order(alice.key)()
    turns.isHolding = false
    await submit("CREATE_POLICIES", { policies: policies("latter") })
    const before = turns.of(acme.organizationId)
    turns.release()
    t.match(await answer, { is: "outcome" })
    t.ok(
      turns.of(acme.organizationId) - before >= STEPS + 2 * STEPS,
      "each expression of both versions has a turn",
    )
  },
)

t.test("B3: a faulty expression behind many others is refused", async (t) => {
  const fixture = await setup(t)
  const { attempt, submit } = asRoot(fixture)
  const many = policies("many")
  const faulty = many.with(POLICIES - 1, { ...many[0]!, consensus: "approvers.any(" })
  observeTurns(t, fixture)
  await refused(t, fixture, "EXPRESSION_INVALID", () => attempt("CREATE_POLICIES", { policies: faulty }))
  const made = await submit("CREATE_POLICIES", { policies: many })
  t.equal(valueOf(made, "createPoliciesResult").policyIds.length, POLICIES)
})
