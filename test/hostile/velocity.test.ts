// Velocity controls from the seat of who owns the API tier and the database, and of users who want more.
import { cpSync, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { Phase } from "../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { operatorHandlers } from "../../signer/enclave/rpc/index.ts"
import { keptOutcome, outcomeOf } from "../harness/api-client.ts"
import { fingerprintOf, stampWith } from "../harness/stamper.ts"
import { transfers } from "../harness/velocity.ts"
import { allow } from "./consensus-fixture.ts"
import { asRoot, ledgerDigest } from "./setup.ts"
import { createControl, DAY_MS, limited, pay, paymentBody, SLOT_MS } from "./velocity-fixture.ts"

const EXCEEDED = "VELOCITY_CONTROL_EXCEEDED"

t.test("V1: what fits is signed, what exceeds is refused, and time alone frees it", async (t) => {
  const fixture = await limited(t)
  t.equal(await pay(fixture, "1"), "signed")
  const before = ledgerDigest(fixture)
  t.equal(await pay(fixture, "0.500000000000000001"), EXCEEDED)
  t.equal(ledgerDigest(fixture), before, "a refused payment is not counted")
  t.equal(await pay(fixture, "0.5"), "signed")
  t.equal(await pay(fixture, "0.000000000000000001"), EXCEEDED)
  await fixture.boundary.pass(DAY_MS - 60_000)
  t.equal(await pay(fixture, "0.1"), EXCEEDED, "a minute before the window ends")
  await fixture.boundary.pass(60_000 + SLOT_MS)
  t.equal(await pay(fixture, "1.5"), "signed", "a window and a slot later")
})

t.test("V1: a restart, and a database without memory, free nothing", async (t) => {
  const fixture = await limited(t)
  const { boundary, client } = fixture
  const documents = new Map(client.documents)
  const records = new Map(client.records)
  t.equal(await pay(fixture, "1.5"), "signed")
  await boundary.restart()
  t.equal(await pay(fixture, "0.1"), EXCEEDED)
  for (const [id, document] of documents) client.documents.set(id, document)
  for (const [id, record] of records) client.records.set(id, record)
  t.equal(await pay(fixture, "0.1"), EXCEEDED, "with the database as it was before the payment")
})

t.test("V1: a ledger that is set back behind its witness signs nothing", async (t) => {
  const fixture = await limited(t)
  const { boundary } = fixture
  const ledger = join(boundary.directory, "signer", "ledger")
  const kept = `${ledger}.before`
  await boundary.restart(() => cpSync(ledger, kept, { recursive: true }))
  t.equal(await pay(fixture, "1.5"), "signed")
  await boundary.restart(() => {
    for (const file of readdirSync(kept).filter((name) => name !== "ledger.witness"))
      cpSync(join(kept, file), join(ledger, file), { recursive: true })
    t.ok(existsSync(join(ledger, "ledger.witness")))
  })
  t.match(await operatorHandlers.getStatus({}, boundary.signer), { phase: Phase.HALTED })
  t.equal(await pay(fixture, "0.1").catch((error: Error & { code: string }) => error.code), "LEDGER_DAMAGED")
})

t.test("V1: a body that was counted runs once and is counted once, however often it is sent", async (t) => {
  const fixture = await limited(t)
  const { boundary, client, acme, dan } = fixture
  const body = paymentBody(fixture, "1")
  const send = () => client.offer(body, stampWith(dan.key, body))
  const first = await send()
  t.match(first, { is: "outcome", outcome: { unacknowledged: true } })
  const before = ledgerDigest(fixture)
  await boundary.restart()
  t.match(await send(), { outcome: { decision: keptOutcome(outcomeOf(first)).decision! } })
  const { outcomes } = await boundary.recover(acme.organizationId)
  t.equal(outcomes.length > 0, true, "the signature is kept until it is acknowledged")
  await client.acknowledge(acme.organizationId, fingerprintOf(body), dan.key.publicKeyHex)
  t.match(await send(), { is: "refused", code: "ACTIVITY_REPLAYED" })
  t.not(ledgerDigest(fixture), before, "the acknowledgement alone changed the ledger")
  t.equal(await pay(fixture, "0.5"), "signed", "it was counted once")
})

t.test("V1: of orders at once, only those that fit together are signed", async (t) => {
  const fixture = await limited(t)
  const answers = await Promise.all(Array.from({ length: 8 }, () => pay(fixture, "0.4")))
  t.same(
    answers.toSorted(),
    [...Array<string>(5).fill(EXCEEDED), ...Array<string>(3).fill("signed")],
    "three times 0.4 of 1.5",
  )
})

t.test("V1: only requests that a control matches are written to the ledger", async (t) => {
  const fixture = await limited(t, transfers([{ caip19: "eip155:137/slip44:60", decimals: "18" }]))
  const before = ledgerDigest(fixture)
  t.equal(await pay(fixture, "1000"), "signed", "another chain")
  t.equal(ledgerDigest(fixture), before)
})

t.test(
  "V1: a control that a policy reads is not deleted, and a new one has nothing of the old",
  async (t) => {
    const fixture = await limited(t)
    const { client, acme, dan, velocityControlId, policyId } = fixture
    t.equal(await pay(fixture, "1.5"), "signed")
    const root = asRoot(fixture)
    const refused = await root.attempt("DELETE_VELOCITY_CONTROL", { velocityControlId })
    t.match(refused, { is: "refused", code: "VELOCITY_CONTROL_IN_USE", sentence: new RegExp(policyId) })
    const byDan = client.body("ACTIVITY_TYPE_DELETE_VELOCITY_CONTROL", acme.organizationId, {
      velocityControlId,
    })
    t.match(
      await client.send(byDan, dan.key),
      { is: "refused" },
      "nor by a user whom a policy allows everything",
    )
    await root.submit("DELETE_POLICY", { policyId })
    await root.submit("DELETE_VELOCITY_CONTROL", { velocityControlId })
    const { ledger } = fixture.boundary.signer.state()
    t.same(ledger.rows(acme.organizationId, "velocity"), [], "its counters are gone")
    const again = await createControl(fixture, transfers())
    t.not(again, velocityControlId)
    t.match(await root.attempt("DELETE_VELOCITY_CONTROL", { velocityControlId }), {
      code: "RESOURCE_UNKNOWN",
    })
    await allow(fixture, { condition: "controls.spent" })
    t.equal(await pay(fixture, "1.5"), "signed", "the root user has reset it")
  },
)

t.test("V1: a policy cannot read a control that the organization does not have", async (t) => {
  const fixture = await limited(t)
  const policy = { policyName: "other", effect: "EFFECT_ALLOW", notes: "" }
  const root = asRoot(fixture)
  const unknown = { ...policy, condition: "controls.spent && controls.other" }
  const sentence = /field does not exist: other/
  t.match(await root.attempt("CREATE_POLICY_V3", unknown), { code: "EXPRESSION_FIELD_UNKNOWN", sentence })
  const { policyId } = fixture
  const update = { policyId, policyCondition: "controls.other" }
  t.match(await root.attempt("UPDATE_POLICY_V2", update), { code: "EXPRESSION_FIELD_UNKNOWN", sentence })
  const scope = { sessionProfileName: "limited", scope: "controls.spent" }
  t.match(await root.attempt("CREATE_SESSION_PROFILE", scope), { code: "EXPRESSION_FIELD_UNKNOWN" })
})
