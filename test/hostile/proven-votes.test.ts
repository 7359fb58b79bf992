// Votes that the API tier can return beside a proof, and the verifier's findings.
import t from "tap"
import { asking, bootProofOf, sent, shownActivity } from "../harness/proofs.ts"
import { newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { altered, faultsOf, sentencesOf, setup, wallet, WALLET } from "./proof-setup.ts"
import { type Json, quorumOfTwo } from "./proven-fixture.ts"

t.test("P1: a vote left out, added or altered fails verification", async (t) => {
  const { boundary, client, tenant, evidenceOf } = await setup(t)
  const { alice, bob, vote } = await quorumOfTwo(client, tenant)
  const body = asking(client, WALLET, tenant.organizationId, wallet())
  const submission = await sent(client, body, tenant.root)
  const approval = await vote("APPROVE", body, bob.key)
  const activity = shownActivity(submission, approval)
  const evidence = evidenceOf(activity, [await bootProofOf(boundary.signer)])
  t.strictSame(faultsOf(evidence), [])
  t.notMatch(sentencesOf(evidence, "not-proven").join("\n"), /counted/)
  const votes = activity["votes"] as [Json, Json]
  const [first, second] = votes
  const swapped = votes.map((vote, index) => ({ ...vote, userId: votes[1 - index]?.["userId"] }))
  const stranger = newKey()
  const strangers = { publicKey: stranger.publicKeyHex, signature: signatureOf(stranger, approval.body) }
  const lies: [string, unknown, RegExp][] = [
    ["left out", [first], /lacks a vote/],
    ["users swapped", swapped, /about another id/],
    ["another key", [first, { ...second, publicKey: alice.key.publicKeyHex }], /lacks a vote/],
    ["another scheme", [first, { ...second, scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1" }], /lacks a vote/],
    [
      "another user's record",
      [first, { ...second, user: { userId: alice.userId } }],
      /another user's record/,
    ],
    [
      "shown as a rejection",
      [first, { ...second, selection: "VOTE_SELECTION_REJECTED" }],
      /it was VOTE_SELECTION_APPROVED/,
    ],
    ["selection of no kind", [first, { ...second, selection: undefined }], /is shown as/],
    ["one that is no vote", [...votes, "approved by alice"], /an id in the activity shown is no UUID/],
    ["a stamp that is none", [...votes, { ...second, signature: "30" }], /does not cover its message/],
    ["a stamp of other words", [...votes, { ...second, signature: first["signature"] }], /does not cover/],
    [
      "of another activity",
      [...votes, { ...second, message: elsewhere() }],
      /is not about the activity shown/,
    ],
    ["no list", { 0: first, 1: second }, /what was asked for is not shown/],
  ]
  for (const [name, shown, expected] of lies) {
    t.match(faultsOf(altered(evidence, { votes: shown })).join("\n"), expected, name)
  }
  const claims: [string, Json][] = [
    ["by a key of the API tier's own", { ...second, ...strangers }],
    ["a stamp that counted, once more", { ...second }],
  ]
  for (const [name, claim] of claims) {
    const added = { ...claim, userId: alice.userId, user: { userId: alice.userId } }
    const said = sentencesOf(altered(evidence, { votes: [...votes, added] }), "not-proven").join("\n")
    t.match(
      said,
      new RegExp(`that user ${alice.userId} approved it with key ${String(claim["publicKey"])}`),
      name,
    )
  }

  function elsewhere(): string {
    const fingerprint = `sha256:${"00".repeat(32)}`
    return client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", tenant.organizationId, { fingerprint })
  }
})

t.test("P1: a rejection is proven; who rejected is not", async (t) => {
  const { boundary, client, tenant, evidenceOf } = await setup(t)
  const { bob, vote } = await quorumOfTwo(client, tenant)
  const body = asking(client, WALLET, tenant.organizationId, wallet())
  const submission = await sent(client, body, tenant.root)
  const activity = shownActivity(submission, await vote("REJECT", body, bob.key))
  t.equal(activity["status"], "ACTIVITY_STATUS_REJECTED")
  const evidence = evidenceOf(activity, [await bootProofOf(boundary.signer)])
  t.strictSame(faultsOf(evidence), [])
  t.match(sentencesOf(evidence, "proven").join("\n"), /decided OUTCOME_REJECTED/)
  t.match(sentencesOf(evidence, "not-proven").join("\n"), new RegExp(`user ${bob.userId} rejected it`))
  const [first, second] = activity["votes"] as [Json, Json]
  const votes = [first, { ...second, selection: "VOTE_SELECTION_APPROVED" }]
  t.match(faultsOf(altered(evidence, { votes })).join(), /it was VOTE_SELECTION_REJECTED/)
  t.match(faultsOf(altered(evidence, { votes: [first] })).join(), /lacks the vote that rejected it/, "hidden")
})

function signatureOf(key: TestKey, body: string): string {
  const stamp = JSON.parse(Buffer.from(stampWith(key, body), "base64url").toString()) as { signature: string }
  return stamp.signature
}
