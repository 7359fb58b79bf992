import { create } from "@bufbuild/protobuf"
import t from "tap"
import { AuthenticationType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type Vote, VoteSchema } from "../../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { MfaPolicySchema, UserSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { allow, decisionInput, type DecisionSetup } from "../../../core/policy/decision/fixture.ts"
import { keyCredential } from "../../../../../signer/core/policy/decision/credentials.ts"
import { type MfaProgress, mfaProgress } from "../../../../../signer/core/policy/decision/mfa.ts"
import {
  countableApprovals,
  countableVotes,
  mfaProgressOf,
} from "../../../../../signer/enclave/execution/voting/mfa-progress.ts"

const policy = create(MfaPolicySchema, {
  mfaPolicyId: "policy",
  steps: ["one", "two"].map((id) => ({ any: [{ type: AuthenticationType.API_KEY, id }] })),
})
const credential = (id: string) => keyCredential({ id, type: 1, publicKey: id })
const user = (userId: string) => create(UserSchema, { userId, mfaPolicies: [policy] })
const [alice, bob, carol] = [user("alice"), user("bob"), user("carol")] as const

const vote = (userId: string, voteId: string): Vote => create(VoteSchema, { userId, voteId })
const votes = [
  vote("alice", "alice 0"),
  vote("alice", "alice 1"),
  vote("bob", "bob 1"),
  vote("alice", "alice 2"),
  vote("carol", "carol 1"),
  vote("carol", "carol 2"),
  vote("alice", "alice 3"),
  vote("alice", "alice 4"),
]

/** Alice has met her policy, bob has not; no policy is about carol. */
const progress: MfaProgress[] = [
  mfaProgress(alice, policy, [credential("one"), credential("two")]),
  mfaProgress(bob, policy, [credential("one")]),
]

t.test(
  "a vote counts if its user has met the policy, with one credential more than it has steps",
  async (t) => {
    t.same(
      countableVotes(votes, progress).map(({ voteId }) => voteId),
      ["alice 2", "carol 2", "alice 3", "alice 4"],
    )
  },
)

t.test("an approval counts if its user has met the policy, with as many credentials", async (t) => {
  const credentials = ["one", "two", "three", "four", "five"].map(credential)
  const approvals = [
    { user: alice, credentials },
    { user: bob, credentials },
    { user: carol, credentials: credentials.slice(0, 1) },
  ]
  const input = countableApprovals({ approvals } as never, progress)
  t.same(input.approvals, [{ user: alice, credentials: credentials.slice(2) }, approvals[2]])
  t.equal(input.approvals[1], approvals[2])
})

/** Ids of the users who must meet MFA policies, none of which is about the activity. */
function subjectsOf(setup: DecisionSetup): string[] {
  const input = decisionInput({
    type: "CREATE_API_KEYS_V2",
    parameters: { userId: "dan" },
    submitter: "dan",
    ...setup,
  })
  const unrelated = create(MfaPolicySchema, { ...policy, condition: "activity.action == 'SIGN'" })
  for (const userId of ["dan", "eva"]) input.organization.user(userId)!.mfaPolicies.push(unrelated)
  return mfaProgressOf(input).map(({ userId }) => userId)
}

t.test(
  "a user who adds a credential by their own right meets all of their policies, and nobody else does",
  async (t) => {
    const ownKey = [allow({ consensus: "credentials.any(c, c.id == 'dan-key')" })]
    const anyKey = [allow({ consensus: "credentials.count() >= 1" })]
    t.same(subjectsOf({ approvers: ["dan"] }), ["dan"])
    t.same(subjectsOf({ approvers: ["eva", "dan"] }), ["dan"], "other approvers have no such duty")
    t.same(subjectsOf({ approvers: ["eva", "dan"], policies: ownKey }), [], "a policy allows it")
    t.same(subjectsOf({ approvers: ["eva"], policies: anyKey }), ["dan"], "their approval has lapsed")
    t.same(subjectsOf({ approvers: ["dan"], type: "DELETE_API_KEYS" }), [])
    t.same(subjectsOf({ approvers: ["dan"], parameters: { userId: "eva" } }), [])
    t.same(
      subjectsOf({ approvers: ["dan", "ann", "ben"] }),
      ["dan"],
      "the root quorum's approval does not lift it",
    )
  },
)
