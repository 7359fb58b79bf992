// What the API tier can show instead of what the signer proved, and what the verifier says to it.
import t from "tap"
import { type Evidence, verifyProofs } from "../../signer/proof/verify/index.ts"
import { ApiSeat, ethereumAccount, outcomeOf, signParams, userParams } from "../harness/api-seat.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { Passkey } from "../harness/authenticator.ts"
import { fingerprintOf, newKey, type Stamper } from "../harness/stamper.ts"
import { asking, bootProofOf, pinsOf, shownActivity } from "../harness/proofs.ts"

type Test = { teardown: (end: () => Promise<void>) => void }
type Json = { [name: string]: unknown }

async function stage(t: Test) {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const seat = new ApiSeat(boundary)
  const tenant = await seat.tenant()
  const { organizationId, root } = tenant
  /** Submits, and shows the activity as an honest API tier does, with all that a verifier needs. */
  const prove = async (type: string, parameters: object, key: Stamper = root) => {
    const body = asking(seat, type, organizationId, parameters)
    const activity = shownActivity(body, await seat.send(body, key))
    return evidenceOf(activity, [await bootProofOf(boundary.signer)])
  }
  const evidenceOf = (activity: Json, bootProofs: Json[]): Evidence => ({
    proofs: activity["appProofs"] as Evidence["proofs"],
    bootProofs,
    pins: pinsOf(boundary.signer),
    activity,
  })
  return { boundary, seat, tenant, prove, evidenceOf }
}

function faultsOf(evidence: Evidence): string[] {
  const { verified, proofs, together } = verifyProofs(evidence)
  const faults = [...proofs.flatMap(({ findings }) => findings), ...together]
    .filter(({ verdict }) => verdict === "failed")
    .map(({ sentence }) => sentence)
  t.equal(verified, faults.length === 0)
  return faults
}

function createdWallet({ activity }: Evidence): Json {
  const result = activity?.["result"] as { createWalletResult: Json } | undefined
  return result?.createWalletResult ?? {}
}

/** The same evidence with the activity altered. */
function altered(evidence: Evidence, change: Json): Evidence {
  return { ...evidence, activity: { ...evidence.activity, ...change } }
}

const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"
const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"

function wallet(walletName = "First") {
  return { walletName, accounts: [ethereumAccount(0)] }
}

t.test("P1: honest proofs verify, and the report says what they do not prove", async (t) => {
  const { seat, tenant, prove } = await stage(t)
  const evidence = await prove(WALLET, wallet())
  t.strictSame(faultsOf(evidence), [])
  const { proofs } = verifyProofs(evidence)
  const said = (index: number, verdict: string) =>
    proofs[index]!.findings.filter((one) => one.verdict === verdict)
      .map(({ sentence }) => sentence)
      .join("\n")
  t.match(said(0, "proven"), /holds the key of address 0x/)
  t.match(said(1, "proven"), /decided OUTCOME_ALLOW on activity/)
  t.match(said(1, "proven"), new RegExp(`key ${tenant.root.publicKeyHex} approved it`))
  t.match(said(1, "not-proven"), /which code it ran[^]*gives no attestation/)
  t.match(said(1, "not-proven"), /whose keys these are/)
  const { address } = await seat.wallet(tenant, "Second")
  t.strictSame(faultsOf(await prove(SIGN, signParams(address))), [], "a signature")
  const accounts = [ethereumAccount(1)]
  const { walletId } = createdWallet(evidence)
  const computed = await prove("ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", { walletId, accounts, persist: false })
  t.strictSame(faultsOf(computed), [], "addresses that were only computed have no proof")
})

t.test("P1: what a passkey approved verifies again, and counts for its own body alone", async (t) => {
  const { seat, tenant, prove } = await stage(t)
  const { organizationId, root, rootUserId: userId } = tenant
  const passkey = new Passkey()
  const authenticators = [passkey.create()]
  const parameters = { userId, authenticators }
  await seat.submit(root, "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", organizationId, parameters)
  const evidence = await prove(WALLET, wallet(), passkey)
  t.strictSame(faultsOf(evidence), [])
  const [first] = verifyProofs(evidence).proofs.slice(-1)
  t.match(JSON.stringify(first), /SIGNATURE_SCHEME_TK_WEBAUTHN/)
  const other = await prove(WALLET, wallet("Other"), passkey)
  t.match(faultsOf({ ...evidence, proofs: other.proofs }).join(), /another request than the one shown/)
})

t.test(
  "P1: what waits for another credential of its user is proven to wait, then with all his stamps",
  async (t) => {
    const { boundary, seat, tenant, evidenceOf } = await stage(t)
    const { organizationId, root, rootUserId: userId } = tenant
    const passkey = new Passkey()
    const parameters = { userId, authenticators: [passkey.create()] }
    await seat.submit(root, "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", organizationId, parameters)
    await seat.submit(root, "ACTIVITY_TYPE_CREATE_MFA_POLICY", organizationId, {
      userId,
      mfaPolicyName: "passkey",
      condition: "activity.resource == 'WALLET'",
      requiredAuthenticationMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_PASSKEY" }] }],
      order: 0,
    })
    const body = asking(seat, WALLET, organizationId, wallet())
    const opened = await seat.send(body, root)
    const waiting = JSON.parse(outcomeOf(opened).appProofs[0]!.proofPayload) as { policyOutcomeProof: Json }
    t.match(waiting.policyOutcomeProof, {
      outcome: "OUTCOME_REQUIRES_AUTHENTICATORS",
      userRequestApprovals: [],
    })
    const fingerprint = `sha256:${fingerprintOf(body)}`
    const approval = seat.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, { fingerprint })
    const answer = await seat.send(approval, passkey)
    const activity = shownActivity(body, opened, [{ body: approval, answer }])
    t.equal(activity["status"], "ACTIVITY_STATUS_COMPLETED")
    const evidence = evidenceOf(activity, [await bootProofOf(boundary.signer)])
    t.strictSame(faultsOf(evidence), [])
    t.equal((activity["votes"] as Json[]).length, 2)
  },
)

t.test("P1: a login that names the parent is proven for the organization that it is for", async (t) => {
  const { boundary, seat, tenant, evidenceOf } = await stage(t)
  const { organizationId, root } = tenant
  const child = newKey()
  const founding = {
    subOrganizationName: "Child",
    rootUsers: [userParams("c", child)],
    rootQuorumThreshold: 1,
  }
  await seat.submit(root, "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7", organizationId, founding)
  const parameters = { publicKey: newKey().publicKeyHex }
  const body = asking(seat, "ACTIVITY_TYPE_STAMP_LOGIN", organizationId, parameters)
  const activity = shownActivity(body, await seat.send(body, child))
  t.not(activity["organizationId"], organizationId)
  const evidence = evidenceOf(activity, [await bootProofOf(boundary.signer)])
  t.strictSame(faultsOf(evidence), [])
  t.match(faultsOf(altered(evidence, { organizationId })).join(), /another organization/)
})

t.test("P1: an altered text, key or signature is noticed", async (t) => {
  const { prove } = await stage(t)
  const evidence = await prove(WALLET, wallet())
  const [address, decision] = evidence.proofs as [Evidence["proofs"][0], Evidence["proofs"][0]]
  const other = `0x${"11".repeat(20)}`
  const lies: [string, Partial<typeof address>, RegExp][] = [
    [
      "another address",
      { proofPayload: address.proofPayload.replace(/0x[0-9a-fA-F]{40}/, other) },
      /does not fit/,
    ],
    ["written anew", { proofPayload: `${address.proofPayload} ` }, /does not fit/],
    ["the signature of another proof", { signature: decision.signature }, /does not fit/],
    ["another scheme", { scheme: "SIGNATURE_SCHEME_TK_QUORUM_P256" }, /its scheme is/],
    ["half a key", { publicKey: address.publicKey.slice(130) }, /no key set/],
    [
      "halves swapped",
      { publicKey: address.publicKey.slice(130) + address.publicKey.slice(0, 130) },
      /does not fit/,
    ],
  ]
  for (const [name, lie, expected] of lies) {
    t.match(faultsOf({ ...evidence, proofs: [{ ...address, ...lie }, decision] }).join("\n"), expected, name)
  }
})

t.test("P1: proofs swapped between activities are noticed", async (t) => {
  const { prove } = await stage(t)
  const first = await prove(WALLET, wallet("One"))
  const second = await prove(WALLET, wallet("Two"))
  const swapped = faultsOf({ ...first, proofs: second.proofs })
  t.match(swapped.join("\n"), /is not in the result of the activity shown: the proof belongs to another/)
  t.match(swapped.join("\n"), /another request than the one shown: the proof belongs to another activity/)
  t.match(swapped.join("\n"), /of the result has no proof: do not trust it/)
})

t.test("P1: an activity that is shown other than it was is noticed", async (t) => {
  const { seat, tenant, prove } = await stage(t)
  const evidence = await prove(WALLET, wallet())
  const { address } = await seat.wallet(tenant, "Second")
  const signature = await prove(SIGN, signParams(address))
  const result = createdWallet(evidence)
  const attackers = `0x${"22".repeat(20)}`
  const votes = evidence.activity?.["votes"] as Json[]
  const lies: [string, Evidence, RegExp][] = [
    [
      "address",
      altered(evidence, { result: { createWalletResult: { ...result, addresses: [attackers] } } }),
      /not in the result/,
    ],
    [
      "further address",
      altered(evidence, {
        result: {
          createWalletResult: { ...result, addresses: [...(result["addresses"] as string[]), attackers] },
        },
      }),
      /has no proof/,
    ],
    [
      "wallet id",
      altered(evidence, { result: { createWalletResult: { ...result, walletId: "x" } } }),
      /something else than/,
    ],
    [
      "signature",
      altered(signature, { result: { signRawPayloadResult: { r: "00", s: "01", v: "00" } } }),
      /something else than/,
    ],
    ["no result", altered(signature, { result: {} }), /something else than/],
    ["nonsense as result", altered(signature, { result: { nonsense: 1 } }), /a result that is none/],
    ["id", altered(evidence, { id: tenant.rootUserId }), /something else than/],
    ["type", altered(evidence, { type: "ACTIVITY_TYPE_DELETE_WALLETS" }), /another request/],
    [
      "intent",
      altered(evidence, { intent: { createWalletIntent: { walletName: "Else", accounts: [] } } }),
      /another request/,
    ],
    ["fingerprint", altered(evidence, { fingerprint: `sha256:${"00".repeat(32)}` }), /another request/],
    ["organization", altered(evidence, { organizationId: tenant.rootUserId }), /another organization/],
    [
      "voter",
      altered(evidence, { votes: votes.map((vote) => ({ ...vote, userId: "x" })) }),
      /something else than/,
    ],
    ["no votes", altered(evidence, { votes: [] }), /lacks a vote/],
    ...["REJECTED", "FAILED", "CONSENSUS_NEEDED", "PENDING"].map((status): [string, Evidence, RegExp] => [
      status,
      altered(evidence, { status: `ACTIVITY_STATUS_${status}` }),
      /does not lead to the status shown/,
    ]),
    [
      "no proof of the decision",
      { ...evidence, proofs: evidence.proofs.slice(0, 1) },
      /proof of the decision is missing/,
    ],
    ["no proofs", { ...evidence, proofs: [] }, /there are no app proofs/],
  ]
  for (const [name, lie, expected] of lies) t.match(faultsOf(lie).join("\n"), expected, name)
})

t.test("P1: a vote left out or added is noticed", async (t) => {
  const { boundary, seat, tenant, evidenceOf } = await stage(t)
  const { organizationId, root, rootUserId } = tenant
  const bob = await seat.user(tenant, "bob")
  const quorum = { threshold: 2, userIds: [rootUserId, bob.userId] }
  await seat.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, quorum)
  const body = asking(seat, WALLET, organizationId, wallet())
  const opened = await seat.send(body, root)
  const approval = seat.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, {
    fingerprint: `sha256:${fingerprintOf(body)}`,
  })
  const activity = shownActivity(body, opened, [
    { body: approval, answer: await seat.send(approval, bob.key) },
  ])
  const evidence = evidenceOf(activity, [await bootProofOf(boundary.signer)])
  t.strictSame(faultsOf(evidence), [])
  const votes = activity["votes"] as Json[]
  t.equal(votes.length, 2)
  t.match(faultsOf(altered(evidence, { votes: votes.slice(0, 1) })).join(), /lacks a vote/)
  const swapped = votes.map((vote, index) => ({ ...vote, userId: votes[1 - index]?.["userId"] }))
  t.match(faultsOf(altered(evidence, { votes: swapped })).join(), /something else than/)
})

t.test("P2: a key is nobody's without a boot proof that the pinned notarizer signed", async (t) => {
  const { boundary, prove } = await stage(t)
  const evidence = await prove(WALLET, wallet())
  const [own] = evidence.bootProofs as [Json]
  await boundary.restart()
  const next = await bootProofOf(boundary.signer)
  const foreign = new InProcessBoundary()
  t.teardown(() => foreign.close())
  const theirs = await bootProofOf(foreign.signer)
  const key = evidence.proofs[0]!.publicKey
  const renamed = (bootProof: Json) => ({ ...bootProof, ephemeralPublicKeyHex: key })
  const lies: [string, Partial<Evidence>, RegExp][] = [
    ["none", { bootProofs: [] }, /there is no boot proof/],
    ["of another process", { bootProofs: [next] }, /of another process/],
    ["of another process, renamed", { bootProofs: [renamed(next)] }, /of another process/],
    ["of another deployment, renamed", { bootProofs: [renamed(theirs)] }, /not signed by the notarizer/],
    ["no pins", { pins: undefined }, /there are no pins/],
    [
      "pins of another deployment",
      { pins: pinsOf(foreign.signer) },
      /not signed by the notarizer of your pins/,
    ],
    [
      "another envelope",
      { bootProofs: [{ ...own, qosManifestEnvelopeB64: next["qosManifestEnvelopeB64"] }] },
      /of another manifest/,
    ],
    ["no manifest", { bootProofs: [{ ...own, qosManifestB64: "" }] }, /no manifest/],
    [
      "a look-alike of AWS",
      { bootProofs: [{ ...own, awsAttestationDocB64: "hEShATgi" }] },
      /awsAttestationDocB64 is not what/,
    ],
    ["another owner", { bootProofs: [{ ...own, owner: "somebody" }] }, /owner is not what/],
    [
      "another release",
      { bootProofs: [{ ...own, deploymentLabel: "countersign 9" }] },
      /deploymentLabel is not what/,
    ],
    ["other code than expected", { codeDigest: "00".repeat(32) }, /and you expect 0000/],
  ]
  for (const [name, lie, expected] of lies)
    t.match(faultsOf({ ...evidence, ...lie }).join("\n"), expected, name)
  const { codeDigest } = JSON.parse(Buffer.from(String(own["qosManifestB64"]), "base64").toString()) as Json
  t.strictSame(faultsOf({ ...evidence, codeDigest: String(codeDigest) }), [])
})

t.test("P2: a manifest altered in any member is not the notarizer's", async (t) => {
  const { prove } = await stage(t)
  const evidence = await prove(WALLET, wallet())
  const [own] = evidence.bootProofs as [Json]
  const manifest = JSON.parse(Buffer.from(String(own["qosManifestB64"]), "base64").toString()) as Json
  const envelope = JSON.parse(Buffer.from(String(own["qosManifestEnvelopeB64"]), "base64").toString()) as Json
  for (const member of ["codeDigest", "configurationDigest", "bootedAtMs", "attestation", "release"]) {
    const forged = Buffer.from(JSON.stringify({ ...manifest, [member]: "forged" })).toString("base64")
    const bootProof = {
      ...own,
      qosManifestB64: forged,
      qosManifestEnvelopeB64: Buffer.from(JSON.stringify({ ...envelope, manifest: forged })).toString(
        "base64",
      ),
    }
    t.match(faultsOf({ ...evidence, bootProofs: [bootProof] }).join(), /not signed by the notarizer/, member)
  }
})
