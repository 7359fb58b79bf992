import t from "tap"
import { subOrganization } from "../../../../harness/sub-organization.ts"
import type { Outcome } from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { ethereumAccount, outcomeOf, signParams, valueOf } from "../../../../harness/api-client.ts"
import { fingerprintOf, stampWith } from "../../../../harness/stamper.ts"
import {
  asking,
  contextOf,
  decisionOf,
  documentDigest,
  payloadsOf,
  proven,
  seatOf,
  wallet,
} from "./proven-fixture.ts"

t.test("a request that asks for no proofs gets none", async (t) => {
  const { client, tenant } = await seatOf(t)
  const { organizationId, root } = tenant
  const type = "ACTIVITY_TYPE_CREATE_WALLET"
  for (const given of [{}, { generateAppProofs: false }, { generateAppProofs: null }]) {
    const plain = JSON.parse(client.body(type, organizationId, wallet(JSON.stringify(given)))) as object
    t.strictSame(outcomeOf(await client.send(JSON.stringify({ ...plain, ...given }), root)).appProofs, [])
  }
  const inside = { ...wallet("Inside"), generateAppProofs: true }
  const outcome = await client.submit(root, type, organizationId, inside)
  t.strictSame(outcome.appProofs, [], "among the parameters it says nothing")
})

t.test("generateAppProofs is read from the body and must be true or false", async (t) => {
  const { client, tenant } = await seatOf(t)
  const { organizationId, root } = tenant
  const body = JSON.parse(client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, wallet())) as object
  for (const generateAppProofs of ["true", 1, []]) {
    const answer = await client.send(JSON.stringify({ ...body, generateAppProofs }), root)
    t.match(answer, { is: "refused", code: "REQUEST_INVALID", field: "generateAppProofs" })
  }
})

t.test("a new wallet comes with a proof for each account and one of the decision", async (t) => {
  const { client, tenant } = await seatOf(t)
  const { organizationId, root, rootUserId } = tenant
  const accounts = [ethereumAccount(0), ethereumAccount(1)]
  const before = documentDigest(client, organizationId)
  const parameters = { walletName: "First", accounts }
  const { body, outcome } = await proven(client, root, "ACTIVITY_TYPE_CREATE_WALLET", tenant, parameters)
  const { walletId, addresses } = valueOf(outcome, "createWalletResult")
  const payloads = payloadsOf(outcome)
  t.strictSame(
    payloads.map(({ addressDerivationProof }) => addressDerivationProof),
    [
      ...addresses.map((address, index) => ({
        organizationId,
        walletId,
        derivationPath: `m/44'/60'/0'/0/${index}`,
        address,
      })),
      undefined,
    ],
  )
  const time = String(outcome.decision!.decidedAtMs)
  t.ok(payloads.every(({ timestampMs }) => timestampMs === time))
  const decision = decisionOf(outcome)
  t.match(decision, { organizationId, outcome: "OUTCOME_ALLOW", parentOrganizationDataDigest: "" })
  t.equal(decision.organizationDataDigest, before)
  const type = "ACTIVITY_TYPE_CREATE_WALLET"
  t.equal(decision.decisionContextDigest, contextOf(outcome, body, type, organizationId, [rootUserId]))
  t.match(decision.userRequestApprovals, [{ scheme: "SIGNATURE_SCHEME_TK_API_P256", message: body }])
  t.equal(decision.userRequestApprovals[0]?.publicKey, root.publicKeyHex)
})

t.test("members of a payload have the order of published proofs", async (t) => {
  const { client, tenant } = await seatOf(t)
  const { outcome } = await proven(client, tenant.root, "ACTIVITY_TYPE_CREATE_WALLET", tenant, wallet())
  const [address, decision] = outcome.appProofs.map(({ proofPayload }) => proofPayload)
  t.match(
    address,
    /^\{"type":"[A-Z_]+","timestampMs":"\d+","addressDerivationProof":\{"organizationId":"[^"]+","walletId":"[^"]+","derivationPath":"[^"]+","address":"[^"]+"\}\}$/,
  )
  t.match(
    decision,
    /^\{"type":"[A-Z_]+","timestampMs":"\d+","policyOutcomeProof":\{"organizationId":"[^"]+","outcome":"OUTCOME_ALLOW","decisionContextDigest":"[0-9a-f]{64}","organizationDataDigest":"[0-9a-f]{64}","parentOrganizationDataDigest":"","userRequestApprovals":\[\{"scheme":"/,
  )
})

t.test("a private key comes with a proof for each of its addresses", async (t) => {
  const { client, tenant } = await seatOf(t)
  const key = {
    privateKeyName: "Key",
    curve: "CURVE_SECP256K1",
    addressFormats: ["ADDRESS_FORMAT_ETHEREUM", "ADDRESS_FORMAT_TRON"],
    privateKeyTags: [],
  }
  const type = "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2"
  const { outcome } = await proven(client, tenant.root, type, tenant, { privateKeys: [key] })
  const [{ addresses } = { addresses: [] }] = valueOf(outcome, "createPrivateKeysResultV2").privateKeys
  t.strictSame(
    payloadsOf(outcome).flatMap(({ addressDerivationProof }) => addressDerivationProof ?? []),
    addresses.map(({ address }) => ({ organizationId: tenant.organizationId, address })),
  )
})

t.test("accounts of a new sub-organization are proven with its id", async (t) => {
  const { client, tenant } = await seatOf(t)
  const { organizationId, root } = tenant
  const type = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"
  const { outcome } = await proven(client, root, type, tenant, {
    subOrganizationName: "Child",
    rootUsers: subOrganization([{ name: "child", key: root }]).rootUsers,
    rootQuorumThreshold: 1,
    wallet: wallet(),
  })
  const child = valueOf(outcome, "createSubOrganizationResultV7")
  const [address] = payloadsOf(outcome)
  t.match(address?.addressDerivationProof, {
    organizationId: child.subOrganizationId,
    address: child.wallet!.addresses[0],
  })
  t.equal(decisionOf(outcome).organizationId, organizationId, "the parent decided")
  const below = { ...tenant, organizationId: child.subOrganizationId }
  const own = await proven(client, root, "ACTIVITY_TYPE_CREATE_WALLET", below, {
    ...wallet(),
    walletName: "Own",
  })
  t.equal(decisionOf(own.outcome).parentOrganizationDataDigest, documentDigest(client, organizationId))
})

t.test("a signature comes with a proof of its decision, over the signature itself", async (t) => {
  const { client, tenant } = await seatOf(t)
  const { address } = await client.wallet(tenant)
  const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
  const { body, outcome } = await proven(client, tenant.root, type, tenant, signParams(address))
  t.equal(outcome.appProofs.length, 1)
  const expected = contextOf(outcome, body, type, tenant.organizationId, [tenant.rootUserId])
  t.equal(decisionOf(outcome).decisionContextDigest, expected)
  t.equal(outcome.organizationId, "", "still the short answer of signatures")
})

t.test("an activity that waited for votes is proven with all approvals that counted", async (t) => {
  const { client, tenant } = await seatOf(t)
  const { organizationId, root, rootUserId } = tenant
  const bob = await client.user(tenant, "bob")
  await client.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, {
    threshold: 2,
    userIds: [rootUserId, bob.userId],
  })
  const type = "ACTIVITY_TYPE_CREATE_WALLET"
  const { body, outcome: waiting } = await proven(client, root, type, tenant, wallet())
  t.equal(decisionOf(waiting).outcome, "OUTCOME_REQUIRES_CONSENSUS")
  t.equal(waiting.appProofs.length, 1, "nothing was made yet")
  const fingerprint = `sha256:${fingerprintOf(body)}`
  const approval = client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, { fingerprint })
  const outcome = outcomeOf(await client.send(approval, bob.key))
  const decision = decisionOf(outcome)
  t.equal(decision.outcome, "OUTCOME_ALLOW")
  t.strictSame(
    decision.userRequestApprovals.map(({ publicKey, message }) => ({ publicKey, message })),
    [
      { publicKey: root.publicKeyHex, message: body },
      { publicKey: bob.key.publicKeyHex, message: approval },
    ],
  )
  t.equal(
    payloadsOf(outcome)[0]?.addressDerivationProof?.address,
    valueOf(outcome, "createWalletResult").addresses[0],
  )
  const approvers = [rootUserId, bob.userId]
  t.equal(decision.decisionContextDigest, contextOf(outcome, body, type, organizationId, approvers))

  const other = await proven(client, root, type, tenant, wallet("Second"))
  const rejected = await client.submit(bob.key, "ACTIVITY_TYPE_REJECT_ACTIVITY", organizationId, {
    fingerprint: `sha256:${fingerprintOf(other.body)}`,
  })
  t.match(decisionOf(rejected), { outcome: "OUTCOME_REJECTED", userRequestApprovals: { length: 1 } })
})

t.test("a vote may ask for proofs of an activity whose body did not ask for them", async (t) => {
  const { client, tenant } = await seatOf(t)
  const { organizationId, root, rootUserId } = tenant
  const bob = await client.user(tenant, "bob")
  await client.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, {
    threshold: 2,
    userIds: [rootUserId, bob.userId],
  })
  const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, wallet())
  t.strictSame(outcomeOf(await client.send(body, root)).appProofs, [])
  const fingerprint = `sha256:${fingerprintOf(body)}`
  const { outcome } = await proven(client, bob.key, "ACTIVITY_TYPE_APPROVE_ACTIVITY", tenant, { fingerprint })
  t.match(decisionOf(outcome), { outcome: "OUTCOME_ALLOW", userRequestApprovals: { length: 2 } })
})

t.test("a denial comes with a proof of the denial, and nothing is written", async (t) => {
  const { boundary, client, tenant } = await seatOf(t)
  const { organizationId } = tenant
  const bob = await client.user(tenant, "bob")
  const type = "ACTIVITY_TYPE_CREATE_WALLET"
  const refusedOrder = async (body: string) => {
    const { answer } = await boundary.execute({ body: Buffer.from(body), xStamp: stampWith(bob.key, body) })
    if (answer.case !== "refused") throw new Error("it was not refused")
    return answer.value
  }
  const plain = await refusedOrder(client.body(type, organizationId, wallet()))
  t.match(plain, { organizationId, appProofs: [] })
  const body = asking(client, type, organizationId, wallet())
  const refused = await refusedOrder(body)
  t.equal(refused.appProofs.length, 1)
  const [{ policyOutcomeProof: decision } = {}] = payloadsOf({ appProofs: refused.appProofs } as Outcome)
  t.match(decision, {
    organizationId,
    outcome: "OUTCOME_DENY_IMPLICIT",
    organizationDataDigest: documentDigest(client, organizationId),
    userRequestApprovals: [{ publicKey: bob.key.publicKeyHex, message: body }],
  })
  const denied = { decision: refused.denial, result: undefined } as unknown as Outcome
  t.equal(decision?.decisionContextDigest, contextOf(denied, body, type, organizationId, [bob.userId]))
  const policy = {
    policyName: "Never",
    effect: "EFFECT_DENY",
    condition: "activity.resource == 'WALLET'",
    notes: "",
  }
  await client.submit(tenant.root, "ACTIVITY_TYPE_CREATE_POLICY_V3", organizationId, policy)
  const explicit = await refusedOrder(asking(client, type, organizationId, wallet("Other")))
  const [{ policyOutcomeProof: denial } = {}] = payloadsOf({ appProofs: explicit.appProofs } as Outcome)
  t.equal(denial?.outcome, "OUTCOME_DENY_EXPLICIT")
})

t.test("the same body gets the same proofs again, also from a process with another key", async (t) => {
  const { boundary, client, tenant } = await seatOf(t)
  const { body, outcome } = await proven(client, tenant.root, "ACTIVITY_TYPE_CREATE_WALLET", tenant, wallet())
  t.strictSame(outcomeOf(await client.send(body, tenant.root)).appProofs, outcome.appProofs)
  await boundary.restart()
  t.strictSame(outcomeOf(await client.send(body, tenant.root)).appProofs, outcome.appProofs)
  const { outcomes } = await boundary.recover(tenant.organizationId)
  const recovered = outcomes.find((one) => one.outcome?.decision?.activityId === outcome.decision?.activityId)
  t.strictSame(recovered?.outcome?.appProofs, outcome.appProofs)
  const next = await proven(client, tenant.root, "ACTIVITY_TYPE_CREATE_WALLET", tenant, wallet("Next"))
  t.not(next.outcome.appProofs[0]?.publicKey, outcome.appProofs[0]?.publicKey, "a key lives with its process")
})

t.test("the creation of a top-level organization is proven without organization data", async (t) => {
  const { client } = await seatOf(t)
  const setup = await client.organizationBody()
  const body = JSON.stringify({ ...(JSON.parse(setup.body) as object), generateAppProofs: true })
  const outcome = outcomeOf(await client.send(body, setup.root))
  t.match(decisionOf(outcome), { outcome: "OUTCOME_ALLOW", organizationDataDigest: "" })
})
