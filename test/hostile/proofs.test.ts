// Forgeries of proofs that the API tier can return, and the verifier's findings.
import t from "tap"
import { subOrganization } from "../harness/sub-organization.ts"
import type { Evidence } from "../../signer/core/proof/verify/index.ts"
import { ethereumAccount, outcomeOf, signParams } from "../harness/api-client.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { Passkey } from "../harness/authenticator.ts"
import { fingerprintOf, newKey } from "../harness/stamper.ts"
import { asking, bootProofOf, pinsOf, sent, shownActivity } from "../harness/proofs.ts"
import { altered, createdWallet, faultsOf, SIGN, setup, WALLET, wallet, verifiers } from "./proof-setup.ts"

type Json = { [name: string]: unknown }

t.test("P1: honest proofs verify, and the report says what they do not prove", async (t) => {
  const { client, tenant, prove } = await setup(t)
  const evidence = await prove(WALLET, wallet())
  t.strictSame(faultsOf(evidence), [])
  const { proofs } = verifiers.verify(evidence)
  const said = (index: number, verdict: string) =>
    proofs[index]!.findings.filter((one) => one.verdict === verdict)
      .map(({ sentence }) => sentence)
      .join("\n")
  t.match(said(0, "proven"), /held the key of address 0x/)
  t.match(said(0, "not-proven"), /who else has this key: import and export are outside the proof/)
  t.match(said(1, "proven"), /decided OUTCOME_ALLOW on activity/)
  t.match(said(1, "proven"), new RegExp(`key ${tenant.root.publicKeyHex} approved it`))
  t.match(said(1, "not-proven"), /which code it ran[^]*gives no attestation/)
  t.match(said(1, "not-proven"), /whose keys these are/)
  const { address } = await client.wallet(tenant, "Second")
  t.strictSame(faultsOf(await prove(SIGN, signParams(address))), [], "a signature")
  const accounts = [ethereumAccount(1)]
  const { walletId } = createdWallet(evidence)
  const computed = await prove("ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", { walletId, accounts, persist: false })
  t.strictSame(faultsOf(computed), [], "addresses that were only computed have no proof")
})

t.test("P1: the creation of an organization is proven by its root user's stamp", async (t) => {
  const { boundary, client, evidenceOf } = await setup(t)
  const { root, body } = await client.organizationBody("Newborn")
  const creation = JSON.stringify({ ...(JSON.parse(body) as object), generateAppProofs: true })
  const activity = shownActivity(await sent(client, creation, root))
  const evidence = evidenceOf(activity, [await bootProofOf(boundary.signer)])
  t.strictSame(faultsOf(evidence), [])
  const intent = structuredClone(activity["intent"]) as { createOrganizationIntent: Json }
  intent.createOrganizationIntent["organizationName"] = "Another"
  t.match(faultsOf(altered(evidence, { intent })).join(), /another type or intent/)
})

t.test("P1: a passkey's approval verifies again, for its own body only", async (t) => {
  const { client, tenant, prove } = await setup(t)
  const { organizationId, root, rootUserId: userId } = tenant
  const passkey = new Passkey()
  const authenticators = [passkey.create()]
  const parameters = { userId, authenticators }
  await client.submit(root, "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", organizationId, parameters)
  const evidence = await prove(WALLET, wallet(), passkey)
  t.strictSame(faultsOf(evidence), [])
  const [first] = verifiers.verify(evidence).proofs.slice(-1)
  t.match(JSON.stringify(first), /SIGNATURE_SCHEME_TK_WEBAUTHN/)
  const other = await prove(WALLET, wallet("Other"), passkey)
  t.match(faultsOf({ ...evidence, proofs: other.proofs }).join(), /another request than the one shown/)
})

t.test(
  "P1: an activity pending MFA is proven pending, then completed with all its user's stamps",
  async (t) => {
    const { boundary, client, tenant, evidenceOf } = await setup(t)
    const { organizationId, root, rootUserId: userId } = tenant
    const passkey = new Passkey()
    const parameters = { userId, authenticators: [passkey.create()] }
    await client.submit(root, "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", organizationId, parameters)
    await client.submit(root, "ACTIVITY_TYPE_CREATE_MFA_POLICY", organizationId, {
      userId,
      mfaPolicyName: "passkey",
      condition: "activity.resource == 'WALLET'",
      requiredAuthenticationMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_PASSKEY" }] }],
      order: 0,
    })
    const body = asking(client, WALLET, organizationId, wallet())
    const opened = await sent(client, body, root)
    const waiting = JSON.parse(outcomeOf(opened.answer).appProofs[0]!.proofPayload) as {
      policyOutcomeProof: Json
    }
    t.match(waiting.policyOutcomeProof, {
      outcome: "OUTCOME_REQUIRES_AUTHENTICATORS",
      userRequestApprovals: [],
    })
    const fingerprint = `sha256:${fingerprintOf(body)}`
    const approval = client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, { fingerprint })
    const bootProofs = [await bootProofOf(boundary.signer)]
    t.strictSame(faultsOf(evidenceOf(shownActivity(opened), bootProofs)), [])
    const activity = shownActivity(opened, await sent(client, approval, passkey))
    t.equal(activity["status"], "ACTIVITY_STATUS_COMPLETED")
    t.strictSame(faultsOf(evidenceOf(activity, bootProofs)), [])
    t.equal((activity["votes"] as Json[]).length, 2)
  },
)

t.test("P1: a login that names the parent is proven for the organization that it is for", async (t) => {
  const { boundary, client, tenant, evidenceOf } = await setup(t)
  const { organizationId, root } = tenant
  const child = newKey()
  const creation = {
    subOrganizationName: "Child",
    rootUsers: subOrganization([{ name: "c", key: child }]).rootUsers,
    rootQuorumThreshold: 1,
  }
  await client.submit(root, "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7", organizationId, creation)
  const parameters = { publicKey: newKey().publicKeyHex }
  const body = asking(client, "ACTIVITY_TYPE_STAMP_LOGIN", organizationId, parameters)
  const activity = shownActivity(await sent(client, body, child))
  t.not(activity["organizationId"], organizationId)
  const evidence = evidenceOf(activity, [await bootProofOf(boundary.signer)])
  t.strictSame(faultsOf(evidence), [])
  t.match(faultsOf(altered(evidence, { organizationId })).join(), /another organization/)
})

t.test("P1: an altered text, key or signature fails verification", async (t) => {
  const { prove } = await setup(t)
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

t.test("P1: proofs swapped between activities fail verification", async (t) => {
  const { prove } = await setup(t)
  const first = await prove(WALLET, wallet("One"))
  const second = await prove(WALLET, wallet("Two"))
  const swapped = faultsOf({ ...first, proofs: second.proofs })
  t.match(swapped.join("\n"), /is not in the result of the activity shown: the proof belongs to another/)
  t.match(swapped.join("\n"), /another request than the one shown: the proof belongs to another activity/)
  t.match(swapped.join("\n"), /of the result has no proof: do not trust it/)
})

t.test("P2: a proof key without a boot proof by the pinned notarizer is not trusted", async (t) => {
  const { boundary, prove } = await setup(t)
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
      /awsAttestationDocB64 differs from/,
    ],
    ["another owner", { bootProofs: [{ ...own, owner: "somebody" }] }, /owner differs from/],
    [
      "another release",
      { bootProofs: [{ ...own, deploymentLabel: "countersign 9" }] },
      /deploymentLabel differs from/,
    ],
    ["other code than expected", { codeDigest: "00".repeat(32) }, /and you expect 0000/],
  ]
  for (const [name, lie, expected] of lies)
    t.match(faultsOf({ ...evidence, ...lie }).join("\n"), expected, name)
  const { codeDigest } = JSON.parse(Buffer.from(String(own["qosManifestB64"]), "base64").toString()) as Json
  t.strictSame(faultsOf({ ...evidence, codeDigest: String(codeDigest) }), [])
})

t.test("P2: a manifest altered in any member fails verification", async (t) => {
  const { prove } = await setup(t)
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

verifiers.compare(t)
