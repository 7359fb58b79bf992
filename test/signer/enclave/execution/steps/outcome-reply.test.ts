import { createHash } from "node:crypto"
import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { ResultSchema } from "../../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import {
  ActivityStatus,
  AuthenticationType,
  Outcome as PolicyOutcome,
  VoteSelection,
} from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  OutcomeSchema,
  ReceiptSchema,
  ReceiptStatementSchema,
} from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { MfaPolicySchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../../../../signer/core/refusal.ts"
import {
  type ActivityOutcome,
  denialOf,
  isPending,
  makeReceipt,
  NO_DETAILS,
  requireFinal,
  writeOutcome,
} from "../../../../../signer/enclave/execution/steps/outcome.ts"

const FINGERPRINT = "ab".repeat(32)
const bytes = (text: string) => Uint8Array.from(Buffer.from(text))

const plain: ActivityOutcome = {
  organizationId: "organization",
  activityId: "activity",
  activityFingerprint: FINGERPRINT,
  decidedAtMs: 7,
  voteId: "vote",
  userId: "user",
  selection: VoteSelection.APPROVED,
  status: ActivityStatus.CONSENSUS_NEEDED,
  details: NO_DETAILS,
  heldPolicyList: new Uint8Array(),
  effects: undefined,
  failure: undefined,
  opened: true,
  vote: undefined,
  appProofs: [],
}

const result = create(ResultSchema, { result: { case: "createWalletResult", value: { walletId: "wallet" } } })

/** Only the members that a reply reads. */
const effects = {
  signed: [],
  result,
  version: { notarized: bytes("document") },
  changes: { records: [bytes("record")] },
  created: [
    { organization: { id: "child" }, notarized: bytes("child"), changes: { records: [bytes("account")] } },
    { organization: { id: "empty" }, notarized: bytes("empty"), changes: undefined },
  ],
} as unknown as ActivityOutcome["effects"]

/** The reply as the protobuf library reads it back. */
const readBack = (...parts: Parameters<typeof writeOutcome>) =>
  fromBinary(OutcomeSchema, toBinary(OutcomeSchema, writeOutcome(...parts)))

t.test("the reply to a signature names neither its organization nor its body", async (t) => {
  t.strictSame(
    readBack(plain, bytes("opens it")),
    create(OutcomeSchema, {
      decision: {
        activityId: "activity",
        voteId: "vote",
        userId: "user",
        decidedAtMs: 7n,
        logReceipt: bytes("opens it"),
      },
      selection: VoteSelection.APPROVED,
      status: ActivityStatus.CONSENSUS_NEEDED,
      opened: true,
    }),
  )
  t.strictSame(writeOutcome(plain, bytes("")).records, [])
})

t.test("a reply has the decision, the effects and the receipt", async (t) => {
  const [key, passkey] = [
    { type: AuthenticationType.API_KEY, id: "" },
    { type: AuthenticationType.PASSKEY, id: "passkey" },
  ]
  const policy = create(MfaPolicySchema, {
    mfaPolicyId: "mfa",
    steps: [{ any: [key, passkey] }, { any: [key] }],
  })
  const progress = { userId: "user", policy, usedMethods: [passkey], metSteps: 1, isMet: false }
  const details = {
    policyOutcomes: [{ policyId: "policy", outcome: PolicyOutcome.ALLOW }],
    voterIds: ["other"],
    mfaProgress: [progress],
  }
  const receipt = create(ReceiptSchema, { statement: bytes("statement"), signature: bytes("signature") })
  const reply = readBack({ ...plain, details, effects, opened: false }, bytes(""), receipt)
  t.strictSame(
    reply,
    create(OutcomeSchema, {
      decision: {
        activityId: "activity",
        voteId: "vote",
        userId: "user",
        decidedAtMs: 7n,
        policyOutcomes: [{ policyId: "policy", outcome: PolicyOutcome.ALLOW }],
        voterIds: ["other"],
        mfaStatuses: [
          {
            userId: "user",
            mfaPolicyId: "mfa",
            satisfied: false,
            satisfiedMethods: [{ type: AuthenticationType.PASSKEY, id: "passkey" }],
            requiredMethods: [
              {
                any: [
                  { type: AuthenticationType.API_KEY },
                  { type: AuthenticationType.PASSKEY, id: "passkey" },
                ],
              },
              { any: [{ type: AuthenticationType.API_KEY }] },
            ],
          },
        ],
      },
      organizationId: "organization",
      activityFingerprint: Uint8Array.from(Buffer.from(FINGERPRINT, "hex")),
      selection: VoteSelection.APPROVED,
      status: ActivityStatus.CONSENSUS_NEEDED,
      document: bytes("document"),
      records: [bytes("record")],
      createdOrganizations: [
        { organizationId: "child", document: bytes("child"), records: [bytes("account")] },
        { organizationId: "empty", document: bytes("empty") },
      ],
      unacknowledged: true,
      result,
      receipt,
    }),
  )
})

t.test("a receipt states the document and the result, signed under its own tag", async (t) => {
  const signed: [string, Uint8Array][] = []
  const notary = {
    sign: (tag: string, statement: Uint8Array) => {
      signed.push([tag, statement])
      return bytes("signature")
    },
  }
  const head = { version: 3n, digest: bytes("digest") }
  const ledger = { term: (id: string) => ({ lane: id === "organization" ? 1 : 0, fence: 1, epoch: 2 }) }
  const deps = { keyring: { notary, pins: { deploymentId: "deployment" } }, ledger } as never
  const stated = (outcome: ActivityOutcome) => {
    const { statement, signature } = makeReceipt(outcome, head, deps)
    t.strictSame(signed.at(-1), ["countersign/v1/receipt", statement])
    t.strictSame(signature, bytes("signature"))
    return fromBinary(ReceiptStatementSchema, statement)
  }
  const expected = {
    organizationId: "organization",
    activityFingerprint: Uint8Array.from(Buffer.from(FINGERPRINT, "hex")),
    status: ActivityStatus.CONSENSUS_NEEDED,
    documentVersion: 3n,
    documentDigest: bytes("digest"),
    decidedAtMs: 7n,
    deploymentId: "deployment",
    lane: 1,
    ledgerEpoch: 2n,
  }
  t.match(stated(plain), { ...expected, resultDigest: { length: 0 } })
  const resultDigest = createHash("sha256").update(toBinary(ResultSchema, result)).digest()
  t.strictSame(
    stated({ ...plain, effects }),
    create(ReceiptStatementSchema, { ...expected, resultDigest: Uint8Array.from(resultDigest) }),
  )
})

t.test("only a refusal that is final ends an activity; any other error is thrown on", async (t) => {
  const final = refuse("RECORD_DELETED", "gone")
  t.equal(requireFinal(final), final)
  for (const error of [
    refuse("ORGANIZATION_BUSY", "later"),
    Object.assign(new Error("a fault"), { code: "RECORD_DELETED" }),
  ])
    t.throws(() => requireFinal(error), error)
})

t.test("a denial is refused as PERMISSION_DENIED, with its outcome", async (t) => {
  const denied = denialOf("no policy allows it", plain, [])
  t.match(denied.refusal, { code: "PERMISSION_DENIED", message: "no policy allows it" })
  t.equal(denied.outcome, plain)
})

t.test("an activity waits while consensus or authentication is needed", async (t) => {
  const { CONSENSUS_NEEDED, AUTHENTICATORS_NEEDED, COMPLETED, FAILED, REJECTED } = ActivityStatus
  for (const status of [CONSENSUS_NEEDED, AUTHENTICATORS_NEEDED]) t.ok(isPending(status))
  for (const status of [COMPLETED, FAILED, REJECTED]) t.notOk(isPending(status))
})
