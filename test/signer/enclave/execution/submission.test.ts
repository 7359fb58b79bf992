// A new activity: what its outcome says and proves, and what must hold before it waits.
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrderSchema, type Outcome } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { refuse } from "../../../../signer/core/refusal.ts"
import { memberRule } from "../../../../signer/core/request/unknown-members.ts"
import { readRequest } from "../../../../signer/enclave/execution/state/request.ts"
import { authenticate } from "../../../../signer/enclave/execution/steps/authenticate.ts"
import { isDenial } from "../../../../signer/enclave/execution/steps/outcome.ts"
import { decideSubmission, makePending } from "../../../../signer/enclave/execution/submission.ts"
import { signParams } from "../../../harness/api-client.ts"
import { stampWith, type TestKey } from "../../../harness/stamper.ts"
import { demand, PASSKEY, givePasskey } from "../../../hostile/mfa-fixture.ts"
import { quorumOfThree } from "../../../hostile/quorum.ts"
import { type Fixture, setup } from "../../../hostile/setup.ts"
import { allowed, allowedOutcome } from "./allowed.ts"

const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"
const { AUTHENTICATORS_NEEDED, COMPLETED, CONSENSUS_NEEDED, FAILED } = ActivityStatus

function bodyOf({ client, acme }: Fixture, type: string, parameters: object, generateAppProofs = false) {
  const body = JSON.parse(client.body(type, acme.organizationId, parameters)) as object
  return JSON.stringify({ ...body, ...(generateAppProofs && { generateAppProofs }) })
}

function orderOf({ client, acme }: Fixture, body: string, key: TestKey) {
  const documents = [client.documents.get(acme.organizationId)!]
  return create(OrderSchema, { body: Buffer.from(body), xStamp: stampWith(key, body), documents })
}

function decide(fixture: Fixture, body: string, key: TestKey) {
  return fixture.boundary.signer.state().executor.execute(orderOf(fixture, body, key))
}

function execute(fixture: Fixture, body: string, key: TestKey): Promise<Outcome> {
  return allowedOutcome(decide(fixture, body, key))
}

/** Number of approvals that the proof of the decision names. */
function provenApprovals({ appProofs }: Outcome): number {
  const { proofPayload = "{}" } = appProofs.at(-1) ?? {}
  return (JSON.parse(proofPayload).policyOutcomeProof.userRequestApprovals as unknown[]).length
}

t.test("what runs at once has proofs only where its body asks for them", async (t) => {
  const fixture = await setup(t)
  const { acme, address } = fixture
  await fixture.client.submit(acme.root, SIGN, acme.organizationId, signParams(address))
  for (const [type, parameters] of [
    [SIGN, signParams(address)],
    [WALLET, { walletName: "Second", accounts: [] }],
  ] as const) {
    const plain = await execute(fixture, bodyOf(fixture, type, parameters), acme.root)
    t.match(plain, { status: COMPLETED, opened: true, appProofs: [] })
    t.equal(plain.appProofs.length, 0)
    t.strictSame(plain.decision?.voterIds, [])
    const named = "walletName" in parameters ? { ...parameters, walletName: "Third" } : parameters
    const proven = await execute(fixture, bodyOf(fixture, type, named, true), acme.root)
    t.equal(provenApprovals(proven), 1)
  }
})

t.test("what is denied names no voter, and has a vote and a proof only where its body asks", async (t) => {
  const fixture = await setup(t)
  const eve = await fixture.client.user(fixture.acme, "eve")
  for (const wantsProofs of [false, true]) {
    const body = bodyOf(fixture, WALLET, { walletName: "Eve's", accounts: [] }, wantsProofs)
    const denial = await decide(fixture, body, eve.key)
    if (!isDenial(denial)) throw new Error("no policy allows it")
    const { status, opened, details, vote, appProofs } = denial.outcome
    t.match({ status, opened }, { status: FAILED, opened: true })
    t.strictSame(details, { policyOutcomes: [], voterIds: [], mfaProgress: [] })
    t.equal(vote?.userId, wantsProofs ? eve.userId : undefined)
    t.equal(appProofs.length, wantsProofs ? 1 : 0)
  }
})

t.test("an approval is proven once its user has satisfied their MFA policies", async (t) => {
  const fixture = await setup(t)
  const { acme, address } = fixture
  await givePasskey(fixture, acme.rootUserId)
  await demand(fixture, acme.rootUserId, [PASSKEY])
  const waiting = await execute(fixture, bodyOf(fixture, SIGN, signParams(address), true), acme.root)
  t.equal(waiting.status, AUTHENTICATORS_NEEDED)
  t.equal(provenApprovals(waiting), 0)
})

t.test("an activity waits only where there is room for it", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, acme } = fixture
  const state = boundary.signer.state()
  const body = bodyOf(fixture, WALLET, { walletName: "Waits", accounts: [] })
  const order = orderOf(fixture, body, acme.root)
  const request = authenticate(readRequest(order, memberRule(new Set())), order, state)
  const submission = allowed(decideSubmission(request, state))
  t.equal(submission.status, CONSENSUS_NEEDED)
  const asked: unknown[] = []
  const full = {
    requireRoom(...parameters: unknown[]) {
      asked.push(...parameters)
      throw refuse("LIMIT_EXCEEDED", "there is no room")
    },
  }
  await t.rejects(makePending(submission, full as never, state), { code: "LIMIT_EXCEEDED" })
  t.strictSame(asked, [acme.organizationId, body.length, true])
  t.strictSame(state.ledger.rows(acme.organizationId, "pending"), [])
})
