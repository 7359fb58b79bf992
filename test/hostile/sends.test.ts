// The values of a chain that the API tier hands in with a send, and what it can do with the signed bytes.
import { cpSync } from "node:fs"
import t from "tap"
import { ApiClient, type Fill, keptOutcome, outcomeOf } from "../harness/api-client.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { CHAIN, FILL, OTHER, readSent, sentBy, setupSends, TO, transferOf } from "../harness/sends.ts"
import { fingerprintOf, stampWith } from "../harness/stamper.ts"
import { allow, deny, setupMembers } from "./consensus-fixture.ts"
import { quorumOfTwo } from "./proven-fixture.ts"
import { asRoot, type Fixture, refused } from "./setup.ts"

const TYPE = "ACTIVITY_TYPE_ETH_SEND_TRANSACTION"

/** A stamped send, and the order that a hostile API tier makes of it. */
function stampedSend(fixture: Fixture, more: object = {}) {
  const { client, acme } = fixture
  const body = client.body(TYPE, acme.organizationId, transferOf(fixture, more))
  const xStamp = stampWith(acme.root, body)
  const document = client.documents.get(acme.organizationId)!
  const order = (fill?: Fill) => client.order(body, xStamp, { document, ...(fill && { fill }) })
  return { body, xStamp, order }
}

t.test("B5: fees above the operator's caps are refused, from the body and from the API tier", async (t) => {
  const COUNTERSIGN_SIGNER_FEE_CAPS = `${CHAIN}=3/0.001, eip155:1=1/1`
  const fixture = await setupSends(t, { COUNTERSIGN_SIGNER_FEE_CAPS })
  const { order } = stampedSend(fixture)
  const code = "SEND_FEE_OVER_CAP"
  await refused(t, fixture, code, () => order({ ...FILL, maxFeePerGas: 3_000_000_001n }), "for each unit")
  await refused(t, fixture, code, () => order({ ...FILL, gasLimit: 500_001n }), "in total")
  await refused(t, fixture, code, () => order({ ...FILL, gasLimit: 2n ** 64n - 1n }), "most gas")
  const own = stampedSend(fixture, { maxFeePerGas: "3000000001" })
  const answer = await own.order(FILL)
  t.match(answer, {
    is: "refused",
    code,
    sentence: /3000000001 wei, above the cap of 3000000000 wei on eip155:8453/,
  })
  const outcome = outcomeOf(await order({ ...FILL, gasLimit: 500_000n }))
  t.match(await readSent(sentBy(outcome)), { gas: 500_000n }, "the caps themselves are within")
})

t.test("B5: a fee cap that a policy sets holds for values that the API tier names", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  await allow(fixture, {
    condition: "eth.tx.max_fee_per_gas <= 10 && eth.tx.gas <= 30000 && eth.tx.nonce == 4",
  })
  const body = client.body(TYPE, acme.organizationId, transferOf(fixture))
  const order = (fill: Fill) => {
    client.chain = () => fill
    return client.offer(body, stampWith(dan.key, body))
  }
  const low = { ...FILL, maxFeePerGas: 10n, maxPriorityFeePerGas: 0n, gasLimit: 30_000n, nonce: 4n }
  for (const raised of [{ maxFeePerGas: 11n }, { gasLimit: 30_001n }, { nonce: 5n }])
    await refused(t, fixture, "PERMISSION_DENIED", () => order({ ...low, ...raised }))
  t.match(await order(low), { is: "outcome" })
})

t.test("B5: policies see the chain, call and arguments that are signed", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  client.chain = () => FILL
  await allow(fixture)
  const attempt = (more: object = {}) => {
    const body = client.body(TYPE, acme.organizationId, transferOf(fixture, more))
    return client.offer(body, stampWith(dan.key, body))
  }
  const conditions = [
    `eth.tx.to == '${TO.toLowerCase()}'`,
    "eth.tx.chain_id == 8453",
    "eth.tx.value == 5",
    "eth.tx.data == '0x'",
    "eth.tx.type == 'TYPE_2'",
    `eth.tx.from == '${fixture.address}'`,
    `wallet_account.address == '${fixture.address}'`,
    "activity.kind == 'ETH_SEND_TRANSACTION'",
  ]
  for (const condition of conditions) {
    const policyId = await deny(fixture, { condition })
    await refused(t, fixture, "PERMISSION_DENIED", () => attempt(), condition)
    await asRoot(fixture).submit("DELETE_POLICY", { policyId })
  }
  t.match(await attempt(), { is: "outcome" })
})

t.test("B5: values of another chain are not used", async (t) => {
  const fixture = await setupSends(t)
  const { order } = stampedSend(fixture)
  t.match(await order({ ...FILL, caip2: "eip155:1" }), { is: "needed" }, "asked for again")
  const outcome = outcomeOf(await order(FILL))
  t.match(await readSent(sentBy(outcome)), { chainId: 8453 })
})

t.test("A6: one stamped send is one transaction, whichever nonce comes with it again", async (t) => {
  const fixture = await setupSends(t)
  const { client, boundary, acme } = fixture
  const { body, order } = stampedSend(fixture)
  const kept = keptOutcome(outcomeOf(await order(FILL)))
  for (const other of [{ nonce: 8n }, { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n }, { gasLimit: 21_000n }])
    t.same(outcomeOf(await order({ ...FILL, ...other })), kept, "the same bytes")
  await boundary.restart()
  const { outcomes } = await boundary.recover(acme.organizationId)
  t.same(outcomes.at(-1)?.outcome?.signedTransactions, kept.signedTransactions, "kept over a restart")
  await client.acknowledge(acme.organizationId, fingerprintOf(body), acme.root.publicKeyHex)
  await refused(t, fixture, "ACTIVITY_REPLAYED", () => order({ ...FILL, nonce: 8n }), "once acknowledged")
})

t.test("A6: orders of one stamped send at the same time sign one transaction", async (t) => {
  const fixture = await setupSends(t)
  const { order } = stampedSend(fixture)
  const nonces = Array.from({ length: 8 }, (_, index) => BigInt(index))
  const outcomes = (await Promise.all(nonces.map((nonce) => order({ ...FILL, nonce })))).map(outcomeOf)
  const raw = outcomes.map((outcome) => Buffer.from(sentBy(outcome).raw).toString("hex"))
  t.equal(new Set(raw).size, 1)
})

t.test("A6: a vote completes a send with the values that come with the vote", async (t) => {
  const fixture = await setupSends(t)
  const { client, acme } = fixture
  const { alice } = await quorumOfTwo(client, acme)
  const { body, order } = stampedSend(fixture)
  const waiting = outcomeOf(await order({ ...FILL, nonce: 1n }))
  t.strictSame(waiting.signedTransactions, [], "nothing is signed before its votes")
  const fingerprint = `sha256:${fingerprintOf(body)}`
  const vote = client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", acme.organizationId, { fingerprint })
  const asked: unknown[] = []
  client.chain = (needed) => {
    asked.push(needed)
    return { ...FILL, nonce: 2n }
  }
  const outcome = outcomeOf(await client.send(vote, alice.key))
  t.match(asked, [
    {
      activityFingerprint: Uint8Array.from(Buffer.from(fingerprintOf(body), "hex")),
      caip2: CHAIN,
      from: fixture.address.toLowerCase(),
      calls: [{ to: TO.toLowerCase(), value: "5" }],
      sponsor: false,
    },
  ])
  t.match(await readSent(sentBy(outcome)), { nonce: 2, from: fixture.address })
})

t.test("A6: a send that a vote completes is judged with the values that come with the vote", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, eva } = fixture
  await allow(fixture, { consensus: "approvers.count() == 2", condition: "eth.tx.max_fee_per_gas <= 10" })
  const body = client.body(TYPE, acme.organizationId, transferOf(fixture))
  const cheap = { ...FILL, maxFeePerGas: 10n, maxPriorityFeePerGas: 0n }
  client.chain = () => cheap
  t.match(outcomeOf(await client.send(body, dan.key)).signedTransactions, [])
  const fingerprint = `sha256:${fingerprintOf(body)}`
  const vote = () => {
    const text = client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", acme.organizationId, { fingerprint })
    return client.offer(text, stampWith(eva.key, text))
  }
  client.chain = () => ({ ...cheap, maxFeePerGas: 11n })
  await refused(t, fixture, "VOTE_NOT_COUNTED", vote, "raised for the vote")
  client.chain = () => cheap
  t.match(await readSent(sentBy(outcomeOf(await vote()))), { maxFeePerGas: 10n })
})

// Named in THREAT_MODEL and not prevented: ledgers that know nothing of each other.
t.test(
  "A6: a second signer with a copy of the ledger signs the stamped send with a second nonce",
  async (t) => {
    const fixture = await setupSends(t)
    const { boundary, client } = fixture
    const { body, xStamp, order } = stampedSend(fixture, { nonce: "4" })
    const twin = stampedSend(fixture, { to: OTHER })
    const second = new InProcessBoundary(boundary.clock, boundary.settings)
    t.teardown(() => second.close())
    await second.restart(() => cpSync(boundary.directory, second.directory, { recursive: true, force: true }))
    const other = new ApiClient(second)
    const document = client.documents.get(fixture.acme.organizationId)!
    const onBoth = async (one: {
      body: string
      xStamp: string
      order: (fill: Fill) => ReturnType<typeof order>
    }) => {
      const there = await other.order(one.body, one.xStamp, { document, fill: { ...FILL, nonce: 8n } })
      return Promise.all([await one.order(FILL), there].map((answer) => readSent(sentBy(outcomeOf(answer)))))
    }
    t.match(await onBoth(twin), [{ nonce: 7 }, { nonce: 8 }], "two transactions, which a chain takes both")
    const stamped = await onBoth({ body, xStamp, order })
    t.match(stamped, [{ nonce: 4 }, { nonce: 4 }], "with a stamped nonce a chain takes one")
  },
)
