import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { activityTypes } from "../../../../../proto/catalog.ts"
import {
  ActivityStatus,
  Outcome as PolicyOutcome,
} from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ResultSchema } from "../../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import {
  PrivateKeyRecordSchema,
  RecordKind,
  RecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { VoteSchema } from "../../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { refuse } from "../../../../../signer/core/refusal.ts"
import { runAtOnce } from "../../../../../signer/core/turns/steps.ts"
import { proofsOf } from "../../../../../signer/enclave/execution/steps/app-proofs.ts"
import { type ActivityOutcome, NO_DETAILS } from "../../../../../signer/enclave/execution/steps/outcome.ts"

const BODY = Buffer.from("the activity's body")

type Stated = {
  outcome: string
  userRequestApprovals: object[]
  organizationDataDigest: string
  parentOrganizationDataDigest: string
}

/** Payloads of an outcome's proofs. */
function payloadsOf(
  outcome: Partial<ActivityOutcome>,
  votes: Parameters<typeof create<typeof VoteSchema>>[1][] = [],
  { organization, ledger = {} }: { organization?: object; ledger?: object } = {},
): string[] {
  const payloads: string[] = []
  const sign = (proofPayload: string) => {
    payloads.push(proofPayload)
    return { proofPayload }
  }
  const id = "00000000-0000-4000-8000-000000000001"
  const decided = {
    activity: activityTypes.get("ACTIVITY_TYPE_CREATE_WALLET")!,
    body: BODY,
    organization: organization as never,
    submitterId: id,
    approvals: votes.map((vote) => create(VoteSchema, vote)),
  }
  const made = { organizationId: id, activityId: id, activityFingerprint: "ab".repeat(32), decidedAtMs: 1 }
  const whole = { ...made, details: NO_DETAILS, ...outcome } as ActivityOutcome
  runAtOnce(proofsOf(whole, decided, { identity: { prover: { sign } }, ledger } as never))
  return payloads
}

/** The policy outcome that the proof of a decision states. */
function statementOf(...parts: Parameters<typeof payloadsOf>): Stated {
  const payloads = payloadsOf(...parts)
  t.equal(payloads.length, 1)
  return (JSON.parse(payloads[0]!) as { policyOutcomeProof: Stated }).policyOutcomeProof
}

t.test("each end of an activity has its own name in the proof", async (t) => {
  const { COMPLETED, CONSENSUS_NEEDED, AUTHENTICATORS_NEEDED, FAILED, REJECTED } = ActivityStatus
  const failure = (wasAllowed: boolean) => ({
    status: FAILED,
    failure: { refusal: refuse("INTERNAL", ""), wasAllowed },
  })
  const denied = (outcome: PolicyOutcome) => ({
    status: FAILED,
    details: { ...NO_DETAILS, policyOutcomes: [{ policyId: "policy", outcome }] },
  })
  const cases: [Partial<ActivityOutcome>, string][] = [
    [{ status: COMPLETED }, "OUTCOME_ALLOW"],
    [{ status: CONSENSUS_NEEDED }, "OUTCOME_REQUIRES_CONSENSUS"],
    [{ status: AUTHENTICATORS_NEEDED }, "OUTCOME_REQUIRES_AUTHENTICATORS"],
    [{ status: REJECTED }, "OUTCOME_REJECTED"],
    [failure(true), "OUTCOME_ALLOW"],
    [failure(false), "OUTCOME_DENY_IMPLICIT"],
    [{ status: FAILED }, "OUTCOME_DENY_IMPLICIT"],
    [denied(PolicyOutcome.DENY_EXPLICIT), "OUTCOME_DENY_EXPLICIT"],
    [denied(PolicyOutcome.DENY_IMPLICIT), "OUTCOME_DENY_IMPLICIT"],
  ]
  for (const [outcome, name] of cases) t.equal(statementOf(outcome).outcome, name)
})

t.test("an approval is stated with its stamp, over its own message or the activity's body", async (t) => {
  const stamp = { scheme: "scheme", publicKey: "key", signature: "signature", credential: "credential" }
  const stated = { scheme: "scheme", publicKey: "key", signature: "signature" }
  const approvals = statementOf({ status: ActivityStatus.COMPLETED }, [
    { stamp },
    { stamp, message: Buffer.from("a vote") },
    {},
  ])
  t.strictSame(approvals.userRequestApprovals, [
    { ...stated, message: BODY.toString() },
    { ...stated, message: "a vote" },
    { scheme: "", publicKey: "", signature: "", message: BODY.toString() },
  ])
})

t.test("the parent's digest is the one of the ledger, and empty where it has none", async (t) => {
  const completed = { status: ActivityStatus.COMPLETED }
  const organization = { digest: Buffer.of(0xab), document: { parentId: "parent" } }
  const digest = Buffer.of(0xcd)
  const ledger = { head: (id: string) => (id === "parent" ? { digest } : undefined) }
  t.match(statementOf(completed, [], { organization, ledger }), {
    organizationDataDigest: "ab",
    parentOrganizationDataDigest: "cd",
  })
  const empty = { head: () => undefined }
  t.equal(statementOf(completed, [], { organization, ledger: empty }).parentOrganizationDataDigest, "")
  t.equal(statementOf(completed).parentOrganizationDataDigest, "")
})

t.test("only accounts and private keys have addresses to prove", async (t) => {
  const payload = toBinary(
    PrivateKeyRecordSchema,
    create(PrivateKeyRecordSchema, { addresses: [{ address: "0x1" }] }),
  )
  for (const [kind, proofs] of [
    [RecordKind.PRIVATE_KEY, 2],
    [RecordKind.WALLET, 1],
  ] as const) {
    const added = [create(RecordSchema, { kind, organizationId: "organization", payload })]
    const effects = { result: create(ResultSchema), changes: { added }, created: [] }
    t.equal(payloadsOf({ status: ActivityStatus.COMPLETED, effects: effects as never }).length, proofs)
  }
})
