// A thousand policies: they add the decision to a signature, and no thousand ids with every answer.
import { toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { Outcome as PolicyResult } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type OrderAnswer, OutcomeSchema } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { policyListDigest, unpackOutcomes } from "../../signer/core/policy/outcome-list.ts"
import { recover } from "../../signer/enclave/rpc/reads.ts"
import { outcomeOf, valueOf } from "../harness/api-client.ts"
import { allow, request, setupMembers } from "./consensus-fixture.ts"
import { asRoot } from "./setup.ts"

const POLICIES = 200

t.test(
  "B6: outcomes of policies whose ids the API tier has are sent without ids, and are the same",
  async (t) => {
    const fixture = await setupMembers(t)
    const { client, dan } = fixture
    const consensus = `approvers.any(u, u.id == '${dan.userId}')`
    await allow(fixture, { consensus, condition: "activity.action == 'SIGN'" })
    const policies = Array.from({ length: POLICIES - 1 }, (_, index) => ({
      policyName: `policy ${index}`,
      effect: index % 3 === 0 ? "EFFECT_DENY" : "EFFECT_ALLOW",
      condition: index % 2 === 0 ? `eth.tx.chain_id == ${index}` : `activity.action == 'X${index}'`,
      consensus,
      notes: "",
    }))
    for (let at = 0; at < policies.length; at += 50)
      await asRoot(fixture).submit("CREATE_POLICIES", { policies: policies.slice(at, at + 50) })
    let number = 0
    const sign = async (policyList: Uint8Array = new Uint8Array(0)) => {
      client.policyList = policyList
      return outcomeOf(await client.send(request(fixture, String((number += 1)).padStart(64, "0")), dan.key))
    }
    const full = await sign()
    const ids = full.decision!.policyOutcomes.map(({ policyId }) => policyId)
    t.equal(ids.length, POLICIES)
    const digest = policyListDigest(ids)
    const short = await sign(digest)
    const { policyOutcomes, policyList, packedOutcomes } = short.decision!
    t.same([policyOutcomes, Buffer.from(policyList)], [[], digest])
    t.same(
      unpackOutcomes(packedOutcomes, ids.length),
      full.decision!.policyOutcomes.map(({ outcome }) => outcome),
    )
    const bytesOf = (outcome: typeof full) => toBinary(OutcomeSchema, outcome).length
    t.ok(bytesOf(full) > 40 * POLICIES, `${bytesOf(full)} bytes with ids`)
    t.ok(bytesOf(short) < 500 + POLICIES / 2, `${bytesOf(short)} bytes without`)
    t.ok(valueOf(short, "signRawPayloadResult").r)

    t.comment("any other digest, and a list that has changed, get the ids")
    for (const other of [Buffer.alloc(16), digest.subarray(0, 15), policyListDigest(ids.slice(1))])
      t.equal((await sign(other)).decision?.policyOutcomes.length, POLICIES)
    await allow(fixture, { consensus, condition: "activity.action == 'EXPORT'" })
    t.equal((await sign(digest)).decision?.policyOutcomes.length, POLICIES + 1)
  },
)

t.test("B6: the ledger keeps a change without ids only of the list that decided", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, boundary } = fixture
  const policyId = await allow(fixture, { consensus: `approvers.any(u, u.id == '${dan.userId}')` })
  const digest = policyListDigest([policyId])
  const create = (walletName: string) =>
    client.body("ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, { walletName, accounts: [] })
  const kept = async (vote: string | undefined) => {
    const { outcomes } = await recover({ organizationId: "", after: "" } as never, boundary.signer)
    return outcomes.map(({ outcome }) => outcome?.decision).find((decision) => decision?.voteId === vote)
  }
  for (const other of [Buffer.alloc(16), policyListDigest([]), new Uint8Array(0)]) {
    client.policyList = other
    const { decision } = outcomeOf(await client.send(create(`wallet ${hexOf(other)}`), dan.key))
    t.match(
      [decision, await kept(decision?.voteId)],
      [{ policyOutcomes: [{ policyId }] }, { policyOutcomes: [{ policyId }] }],
    )
  }
  client.policyList = digest
  const { decision } = outcomeOf(await client.send(create("wallet"), dan.key))
  for (const one of [decision, await kept(decision?.voteId)]) {
    t.same([one?.policyOutcomes, Buffer.from(one?.policyList ?? [])], [[], digest])
    t.same(unpackOutcomes(one?.packedOutcomes ?? new Uint8Array(0), 1), [PolicyResult.ALLOW])
  }
})

t.test("B6: a denial names the list of the policies that denied, and has the same outcomes", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan, boundary } = fixture
  const policyId = await allow(fixture, { consensus: "approvers.any(u, u.id == 'somebody')" })
  const execute = boundary.execute.bind(boundary)
  let last: OrderAnswer | undefined
  boundary.execute = async (order) => (last = await execute(order))
  const denied = async (policyList: Uint8Array, digits: string) => {
    client.policyList = policyList
    await client.send(request(fixture, digits.repeat(64)), dan.key)
    return last?.answer.case === "refused" ? last.answer.value.denial : undefined
  }
  const full = await denied(new Uint8Array(0), "1")
  t.match(full, { policyOutcomes: [{ policyId, outcome: PolicyResult.DENY_IMPLICIT }] })
  const short = await denied(policyListDigest([policyId]), "2")
  t.match(short, { policyOutcomes: [], userId: dan.userId })
  t.same(unpackOutcomes(short!.packedOutcomes, 1), [PolicyResult.DENY_IMPLICIT])
  t.match(await denied(Buffer.alloc(16), "3"), {
    policyOutcomes: [{ policyId }],
    packedOutcomes: { length: 0 },
  })
})

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
