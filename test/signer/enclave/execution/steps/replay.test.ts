import { create, fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { ResultSchema } from "../../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { Authority, Consequence } from "../../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { ActivityStatus } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  OutcomeSchema,
  RecoveredOutcomeSchema,
} from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  PendingActivitySchema,
  VoteSchema,
} from "../../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { refuse } from "../../../../../signer/core/refusal.ts"
import { readFinished, writeFinished } from "../../../../../signer/enclave/execution/steps/finished.ts"
import {
  fingerprintShard,
  recordFingerprints,
  recoverOutcome,
  recoveryRow,
  findReplayed,
} from "../../../../../signer/enclave/execution/steps/replay.ts"

const HOUR_MS = 60 * 60 * 1000
const MAX_OUTCOME_BYTES = 8 * 1024 * 1024 - 64 * 1024
const [fingerprint, other] = ["ab".repeat(32), "cd".repeat(32)]
const stamp = { credential: "key" }
const request = {
  organizationId: "parent",
  fingerprint,
  stamp,
  timestampMs: 5,
  body: new Uint8Array(3),
} as never
const made = { organizationId: "parent", activityId: "activity", voteId: "vote", userId: "user" }
const keyring = { identity: new Uint8Array(32) } as never

t.test(
  "frequent bodies have their fingerprints in index shards, all others in their organization",
  async (t) => {
    const shardOf = (authority: Authority, consequence: Consequence, id: string, parentId: string) =>
      fingerprintShard(
        { ...(request as object), activity: { authority, consequence } } as never,
        { id, document: { parentId } } as never,
        keyring,
      )
    const shard = /^parent#[0-9a-f]{4}$/
    const { LOGIN, POLICIES } = Authority
    const { CHANGES, CREATES_ORGANIZATION } = Consequence
    t.match(shardOf(LOGIN, CHANGES, "child", "parent"), shard, "a login that named the parent")
    t.match(shardOf(LOGIN, CHANGES, "parent", ""), shard, "a login at the parent")
    t.match(shardOf(POLICIES, CREATES_ORGANIZATION, "parent", ""), shard)
    t.equal(
      shardOf(LOGIN, CHANGES, "parent", "grandparent"),
      "parent",
      "a login that named its sub-organization",
    )
    t.equal(shardOf(POLICIES, CHANGES, "parent", ""), "parent")
  },
)

t.test("a body is new when neither the shard nor the organization has its fingerprint", async (t) => {
  const knownIn = (...shards: string[]) => ({
    row: (shard: string, kind: string, key: string) =>
      shards.includes(shard) && kind === "fingerprint" && key === fingerprint ? new Uint8Array(1) : undefined,
  })
  const found = (...shards: string[]) =>
    findReplayed(request, "parent#0000", knownIn(...shards) as never, "user")
  t.equal(found(), undefined)
  t.equal(found("parent#0001"), undefined)
  for (const shard of ["parent", "parent#0000"])
    t.match(found(shard), { refusal: { code: "ACTIVITY_REPLAYED" }, replayed: undefined })
})

t.test(
  "the fingerprint of a submission must be new; it expires an hour after its body was stamped",
  async (t) => {
    const outcome = (status: ActivityStatus, opened = true) =>
      ({ ...made, activityFingerprint: fingerprint, opened, status, decidedAtMs: 70 }) as never
    const finished = (expiresMs: number, ids = { voteId: "vote", userId: "user" }) => ({
      ...key,
      value: writeFinished({ ...(outcome(COMPLETED) as object), ...ids } as never, undefined),
      expiresMs,
    })
    const { COMPLETED, CONSENSUS_NEEDED } = ActivityStatus
    const key = { kind: "fingerprint", key: fingerprint }
    const row = (status: ActivityStatus, expiresMs?: number) => ({
      ...key,
      value: Buffer.from(String(status)),
      ...(expiresMs && { expiresMs }),
    })
    t.strictSame(recordFingerprints(request, outcome(COMPLETED), undefined), {
      put: [finished(5 + HOUR_MS)],
      mustBeAbsent: [key],
    })
    const pending = { stored: create(PendingActivitySchema), timestampMs: 50 }
    t.strictSame(recordFingerprints(request, outcome(CONSENSUS_NEEDED), pending), {
      put: [row(CONSENSUS_NEEDED)],
      mustBeAbsent: [key],
    })
    const votes = [{ voteId: "first", userId: "submitter" }]
    const decided = { stored: create(PendingActivitySchema, { votes }), timestampMs: 50 }
    t.strictSame(recordFingerprints(request, outcome(COMPLETED, false), decided), {
      put: [finished(70 + HOUR_MS, votes[0])],
      mustBeAbsent: [],
    })
  },
)

t.test("ids, status, failure and a short result of a finished activity are kept", async (t) => {
  const result = (characters: number) =>
    create(ResultSchema, {
      result: { case: "createWalletResult", value: { walletId: "x".repeat(characters) } },
    })
  const outcomeWith = (more: object) =>
    ({
      ...made,
      activityFingerprint: fingerprint,
      decidedAtMs: 70,
      status: ActivityStatus.COMPLETED,
      ...more,
    }) as never
  const kept = (more: object) => readFinished(writeFinished(outcomeWith(more), undefined))
  t.match(kept({}), {
    decision: { activityId: "activity", voteId: "vote", userId: "user", decidedAtMs: 70n },
    organizationId: "parent",
    opened: true,
    result: undefined,
  })
  t.same(kept({ effects: { result: result(4000) } })?.result, result(4000))
  t.equal(kept({ effects: { result: result(4096) } })?.result, undefined, "longer ones are left out")
  const refusal = refuse("RESOURCE_UNKNOWN", "gone")
  t.match(kept({ status: ActivityStatus.FAILED, failure: { refusal, wasAllowed: true } }), {
    status: ActivityStatus.FAILED,
    failure: { sentence: "gone" },
  })
  for (const text of ["1", "3 ACTIVITY_EXPIRED", "VOTE"]) t.equal(readFinished(Buffer.from(text)), undefined)
  t.equal(readFinished(new Uint8Array(0)), undefined)
})

t.test("a vote with a body of its own is stored with its credential", async (t) => {
  const outcome = {
    ...made,
    activityFingerprint: other,
    opened: false,
    status: ActivityStatus.COMPLETED,
    decidedAtMs: 70,
  }
  const vote = { kind: "fingerprint", key: `${fingerprint}/key` }
  const pending = { stored: create(PendingActivitySchema), timestampMs: 50 }
  const { put, mustBeAbsent } = recordFingerprints(request, outcome as never, pending)
  t.strictSame(put.at(-1), { ...vote, value: Buffer.from("VOTE"), expiresMs: 5 + HOUR_MS })
  t.equal(put.length, 2)
  t.strictSame(mustBeAbsent, [vote])
})

t.test(
  "a stored outcome is found by its organization, body and credential, with the vote's stamp",
  async (t) => {
    const outcome = create(OutcomeSchema, { organizationId: "parent" })
    const stampOfVote = { scheme: "scheme", publicKey: "key", signature: "signature", credential: "key" }
    const vote = create(VoteSchema, { stamp: stampOfVote })
    const row = recoveryRow(outcome, vote, request)
    t.match(row, { kind: "outcome", key: `parent/${fingerprint}/key` })
    const stored = fromBinary(RecoveredOutcomeSchema, row.value)
    t.match(stored, { outcome: { organizationId: "parent" }, body: { length: 3 }, stamp: stampOfVote })
    for (const unstamped of [undefined, create(VoteSchema)])
      t.equal(
        fromBinary(RecoveredOutcomeSchema, recoveryRow(outcome, unstamped, request).value).stamp,
        undefined,
      )
    const ledger = {
      row: (shard: string, kind: string, key: string) =>
        shard === "#outcomes" && kind === "outcome" && key === row.key ? row.value : undefined,
    }
    const deps = { ledger, log: { receiptOf: () => undefined } } as never
    t.same(recoverOutcome(request, deps), outcome)
    t.equal(recoverOutcome({ ...(request as object), fingerprint: other } as never, deps), undefined)
  },
)

t.test("an outcome fits one message with its body", async (t) => {
  const outcome = create(OutcomeSchema)
  const sized = (bytes: number) => ({ ...(request as object), body: new Uint8Array(bytes) }) as never
  const overhead =
    recoveryRow(outcome, undefined, sized(MAX_OUTCOME_BYTES - 100)).value.length - (MAX_OUTCOME_BYTES - 100)
  const most = MAX_OUTCOME_BYTES - overhead
  t.equal(recoveryRow(outcome, undefined, sized(most)).value.length, MAX_OUTCOME_BYTES)
  t.throws(() => recoveryRow(outcome, undefined, sized(most + 1)), { code: "OUTCOME_TOO_LARGE" })
})
