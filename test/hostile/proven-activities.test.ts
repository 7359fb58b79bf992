// Activities that the API tier can return beside a proof, and the verifier's findings.
import t from "tap"
import type { Evidence } from "../../signer/core/proof/verify/index.ts"
import { signParams } from "../harness/api-client.ts"
import { asking, bootProofOf, sent, shownActivity } from "../harness/proofs.ts"
import { altered, createdWallet, faultsOf, sentencesOf, setup, SIGN, wallet, WALLET } from "./proof-setup.ts"
import { type Json, quorumOfTwo } from "./proven-fixture.ts"

const POLICY = "ACTIVITY_TYPE_CREATE_POLICY_V3"

const PRIVATE_KEYS = "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2"

const STRANGER = "00000000-0000-4000-8000-000000000000"

const DAY_MS = 24 * 60 * 60 * 1000

type CreatedKey = { privateKeyId: string; addresses: Json[] }

t.test("P1: an activity with any shown member altered fails verification", async (t) => {
  const { client, tenant, prove } = await setup(t)
  const evidence = await prove(WALLET, wallet())
  const { address } = await client.wallet(tenant, "Second")
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
      /about another id/,
    ],
    [
      "signature",
      altered(signature, { result: { signRawPayloadResult: { r: "00", s: "01", v: "00" } } }),
      /about another id/,
    ],
    ["no result", altered(signature, { result: {} }), /about another id/],
    ["nonsense as result", altered(signature, { result: { nonsense: 1 } }), /an unreadable result/],
    ["text as result", altered(signature, { result: attackers }), /an unreadable result/],
    ["id", altered(evidence, { id: tenant.rootUserId }), /about another id/],
    [
      "id in a vote",
      altered(evidence, { votes: votes.map((vote) => ({ ...vote, activityId: tenant.rootUserId })) }),
      /with another activity/,
    ],
    ["type", altered(evidence, { type: "ACTIVITY_TYPE_DELETE_WALLETS" }), /another type or intent/],
    [
      "fingerprint",
      altered(evidence, { fingerprint: `sha256:${"00".repeat(32)}` }),
      /what was asked for is not shown/,
    ],
    ["organization", altered(evidence, { organizationId: tenant.rootUserId }), /another organization/],
    [
      "voter",
      altered(evidence, { votes: votes.map((vote) => ({ ...vote, userId: STRANGER })) }),
      /about another id/,
    ],
    ["no votes", altered(evidence, { votes: [] }), /what was asked for is not shown/],
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

t.test("P1: a result or fingerprint spelled differently from the API's fails verification", async (t) => {
  const { prove } = await setup(t)
  const evidence = await prove(WALLET, wallet())
  const { walletId, addresses } = createdWallet(evidence)
  const result = { walletId, addresses }
  const keys = await prove(PRIVATE_KEYS, { privateKeys: [privateKey()] })
  const [key] = createdKeys(keys)
  const fingerprint = String(evidence.activity?.["fingerprint"])
  const keysWith = (parts: object) =>
    altered(keys, { result: { createPrivateKeysResultV2: { privateKeys: [{ ...key, ...parts }] } } })
  t.strictSame(faultsOf(keysWith({})), [], "the same once more")
  const results: [string, Evidence][] = [
    ["a member by its protobuf name", walletWith({ createWalletResult: { wallet_id: walletId, addresses } })],
    ["the result by its protobuf name", walletWith({ create_wallet_result: result })],
    ["a member that is null", walletWith({ createWalletResult: result, signRawPayloadResult: null })],
    [
      "an empty member left out",
      altered(keys, {
        result: { createPrivateKeysResultV2: { privateKeys: [{ privateKeyId: key?.privateKeyId }] } },
      }),
    ],
    [
      "a list by its protobuf name",
      altered(keys, { result: { createPrivateKeysResultV2: { private_keys: [key] } } }),
    ],
    ["an enum as a number", keysWith({ addresses: key?.addresses.map((one) => ({ ...one, format: 3 })) })],
  ]
  for (const [name, lie] of results) t.match(faultsOf(lie).join("\n"), /an unreadable result/, name)
  const digest = fingerprint.replace("sha256:", "")
  const fingerprints = [
    digest,
    `sha256:${digest.toUpperCase()}`,
    `sha256:${fingerprint}`,
    `sha1:${digest}`,
    "",
  ]
  for (const other of fingerprints) {
    t.match(faultsOf(altered(evidence, { fingerprint: other })).join("\n"), /whose SHA-256 is the/, other)
  }

  function walletWith(shown: Json): Evidence {
    return altered(evidence, { result: shown })
  }
})

t.test("P1: the report names vote ids as not proven", async (t) => {
  const { prove } = await setup(t)
  const evidence = await prove(WALLET, wallet())
  const honest = evidence.activity?.["votes"] as Json[]
  const votes = honest.map((vote) => ({ ...vote, id: "another" }))
  const shown = altered(evidence, { votes })
  t.strictSame(faultsOf(shown), [])
  t.match(sentencesOf(shown, "not-proven").join("\n"), /beside it: times, ids of votes,/)
})

t.test("P1: an intent altered, shortened or extended fails verification", async (t) => {
  const { prove } = await setup(t)
  const evidence = await prove(POLICY, policy())
  t.strictSame(faultsOf(evidence), [])
  const { consensus, ...open } = policy()
  t.ok(consensus)
  const own = { createPolicyIntentV3: policy() }
  const lies: [string, unknown][] = [
    ["another effect", { createPolicyIntentV3: policy({ effect: "EFFECT_DENY" }) }],
    ["no consensus", { createPolicyIntentV3: open }],
    ["nothing", { createPolicyIntentV3: {} }],
    ["a member that was not submitted", { createPolicyIntentV3: policy({ time: "true" }) }],
    ["a second intent behind it", { ...own, deleteWalletsIntent: { walletIds: ["x"] } }],
    ["a second intent before it", { deleteWalletsIntent: { walletIds: ["x"] }, ...own }],
    ["the intent of another type", { createPolicyIntentV2: policy() }],
    ["no intent", {}],
    ["text", "create a policy"],
    ["a list", [own]],
    ["not there", undefined],
  ]
  for (const [name, intent] of lies) {
    t.match(faultsOf(altered(evidence, { intent })).join("\n"), /another type or intent than the one/, name)
  }
})

t.test(
  "P1: an intent is shown as the signer parsed it, whatever spelling or extra members its body has",
  async (t) => {
    const { boundary, client, tenant, evidenceOf } = await setup(t)
    const parameters = {
      policy_name: "p",
      effect: "EFFECT_ALLOW",
      notes: "",
      consensus: null,
      generateAppProofs: true,
    }
    const body = asking(client, POLICY, tenant.organizationId, { ...parameters, condition: "true" })
    const activity = shownActivity(await sent(client, body, tenant.root))
    t.strictSame(activity["intent"], {
      createPolicyIntentV3: { policyName: "p", effect: "EFFECT_ALLOW", notes: "", condition: "true" },
    })
    const evidence = evidenceOf(activity, [await bootProofOf(boundary.signer)])
    t.strictSame(faultsOf(evidence), [])
    const intent = { createPolicyIntentV3: { ...parameters, condition: "true" } }
    t.match(faultsOf(altered(evidence, { intent })).join(), /another type or intent/)
  },
)

t.test("P1: the intent is verified also when only approvals by fingerprint count", async (t) => {
  const { boundary, client, tenant, evidenceOf } = await setup(t)
  const { alice, bob, vote } = await quorumOfTwo(client, tenant)
  const body = asking(client, POLICY, tenant.organizationId, policy())
  const submission = await sent(client, body, tenant.root)
  boundary.clock.pass(DAY_MS)
  const votes = [await vote("APPROVE", body, alice.key), await vote("APPROVE", body, bob.key)]
  const activity = shownActivity(submission, ...votes)
  t.equal(activity["status"], "ACTIVITY_STATUS_COMPLETED")
  const evidence = evidenceOf(activity, [await bootProofOf(boundary.signer)])
  t.strictSame(faultsOf(evidence), [])
  const uncounted = new RegExp(
    `user ${tenant.rootUserId} approved it with key .* none of those that were counted`,
  )
  t.match(sentencesOf(evidence, "not-proven").join("\n"), uncounted, "the submission had lapsed")
  const intent = { createPolicyIntentV3: policy({ effect: "EFFECT_DENY" }) }
  t.match(faultsOf(altered(evidence, { intent })).join(), /another type or intent than the one shown/)
  const shown = activity["votes"] as [Json, Json, Json]
  const stripped = altered(evidence, { intent, votes: shown.slice(1) })
  t.match(faultsOf(stripped).join(), /what was asked for is not shown/, "the submission left out")
  const other = asking(client, POLICY, tenant.organizationId, policy({ effect: "EFFECT_DENY" }))
  const replaced = altered(evidence, { intent, votes: [{ ...shown[0], message: other }, ...shown.slice(1)] })
  t.match(faultsOf(replaced).join(), /what was asked for is not shown/, "another body in its place")
})

t.test("P1: the intent is verified also when no approval counts yet", async (t) => {
  const { client, tenant, prove } = await setup(t)
  const { organizationId, root, rootUserId: userId } = tenant
  const { address } = await client.wallet(tenant)
  await client.submit(root, "ACTIVITY_TYPE_CREATE_MFA_POLICY", organizationId, {
    userId,
    mfaPolicyName: "session",
    condition: "activity.action == 'SIGN'",
    requiredAuthenticationMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_SESSION" }] }],
    order: 0,
  })
  const evidence = await prove(SIGN, signParams(address))
  t.equal(evidence.activity?.["status"], "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED")
  t.strictSame(faultsOf(evidence), [])
  t.match(sentencesOf(evidence, "not-proven").join("\n"), /none of those that were counted/)
  const intent = { signRawPayloadIntentV2: signParams(address, "11".repeat(32)) }
  t.match(faultsOf(altered(evidence, { intent })).join(), /another type or intent than the one shown/)
})

function policy(parts: object = {}) {
  return {
    policyName: "three of them",
    effect: "EFFECT_ALLOW",
    condition: "activity.action == 'SIGN'",
    consensus: "approvers.count() >= 3",
    notes: "",
    ...parts,
  }
}

function privateKey() {
  return {
    privateKeyName: "k",
    curve: "CURVE_SECP256K1",
    addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
    privateKeyTags: [],
  }
}

function createdKeys({ activity }: Evidence): CreatedKey[] {
  const result = activity?.["result"] as { createPrivateKeysResultV2: { privateKeys: CreatedKey[] } }
  return result.createPrivateKeysResultV2.privateKeys
}
