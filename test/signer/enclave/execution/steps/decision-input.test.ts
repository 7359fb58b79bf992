import { create } from "@bufbuild/protobuf"
import t from "tap"
import { RequestParts } from "../../../../../signer/enclave/execution/state/request-parts.ts"
import { activityTypes } from "../../../../../proto/catalog.ts"
import { Authority } from "../../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { SessionScopeSchema } from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { MfaPolicySchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  makeDecisionInput,
  requireInScope,
} from "../../../../../signer/enclave/execution/steps/decision-input.ts"
import { allow, organizationWith, type PolicyInit, voteOf } from "../../../core/policy/decision/fixture.ts"

const NOW_MS = 1_700_000_000_000
const activity = activityTypes.get("ACTIVITY_TYPE_CREATE_USER_TAG")!
const parameters = { userTagName: "tag", userIds: [] }

/** The input of an activity; dan has an MFA policy whose condition reads the activity. */
function inputOf(submitterId: string, approvers: readonly string[], policies: readonly PolicyInit[] = []) {
  const organization = organizationWith(policies)
  const mfaPolicy = create(MfaPolicySchema, { condition: "activity.action == 'CREATE'" })
  organization.user("dan")!.mfaPolicies.push(mfaPolicy)
  const approvals = approvers.flatMap((name) => voteOf(organization, name) ?? [])
  const request = { activity, parameters: parameters as never, fingerprint: "" }
  const input = makeDecisionInput(
    request,
    {
      deciding: organization,
      nowMs: NOW_MS,
      order: { records: [], fetched: [] },
      parts: new RequestParts(),
    },
    submitterId,
    approvals,
    {} as never,
  )
  return { input, organization, approvals }
}

/** True if conditions can read this root. */
const reads = (root: string, ...parts: Parameters<typeof inputOf>) =>
  inputOf(...parts).input.facts.items.map((item) => item(root) !== undefined)

t.test("a decision depends on the request, its users and the time", async (t) => {
  const { input, organization, approvals } = inputOf("eva", ["eva"])
  t.match(input, { submitterId: "eva", nowMs: NOW_MS })
  t.equal(input.organization, organization)
  t.equal(input.activity, activity)
  t.equal(input.parameters, parameters)
  t.equal(input.approvals, approvals)
})

t.test("facts are what policies, and the MFA policies of submitter and approvers, read", async (t) => {
  t.same(reads("activity", "eva", ["eva"]), [false], "nothing reads it")
  t.same(reads("activity", "dan", []), [true], "the submitter's MFA policy, without their approval")
  t.same(reads("activity", "eva", ["eva", "dan"]), [true], "an approver's")
  t.same(reads("activity", "gone", ["eva"]), [false], "of a submitter who was removed")
  const policies = [allow({ condition: "activity.type == 'X'" })]
  t.same(reads("activity", "eva", ["eva"], policies), [true], "a policy")
  t.same(reads("activity", "dan", ["dan"], [allow({ condition: "wallets.count() == 0" })]), [true], "both")
})

/** Checks a request of a session with this scope. */
function scoped(
  condition: string,
  { type = activity.type, authority }: { type?: string; authority: Authority },
) {
  const scope = create(SessionScopeSchema, { name: "scope", condition })
  const request = { activity: { ...activity, type, authority }, parameters }
  const owner = { user: {}, apiKey: { scope } }
  const current = {
    request,
    owner,
    organization: organizationWith([]),
    order: { records: [], fetched: [] },
    parts: new RequestParts(),
  }
  return () => requireInScope(current as never, {} as never)
}

t.test("a session scope reads nothing of an activity that is the root quorum's alone", async (t) => {
  const condition = "activity.action == 'CREATE'"
  t.doesNotThrow(scoped(condition, { authority: Authority.POLICIES }))
  t.throws(scoped(condition, { authority: Authority.ROOT_QUORUM }), { code: "SESSION_SCOPE_UNDECIDED" })
})

t.test("a session scope reads the type of a vote, and nothing else", async (t) => {
  const vote = { type: "ACTIVITY_TYPE_APPROVE_ACTIVITY", authority: Authority.VOTE }
  t.doesNotThrow(scoped("activity.type == 'ACTIVITY_TYPE_APPROVE_ACTIVITY'", vote))
  for (const condition of ["activity.action == 'CREATE'", "eth.tx.type != 'LEGACY'"])
    t.throws(scoped(condition, vote), { code: "SESSION_SCOPE_UNDECIDED" }, condition)
})
