import { create } from "@bufbuild/protobuf"
import t from "tap"
import { CredentialType, VoteSelection } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  PendingActivitySchema,
  type Vote,
} from "../../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import { makeVote, PendingRequest } from "../../../../../signer/enclave/execution/voting/pending.ts"

const organizationId = "00000000-0000-4000-8000-000000000001"
const userId = "00000000-0000-4000-8000-000000000002"
const publicKey = `02${"11".repeat(32)}`
const nowMs = 1_700_000_000_000
const body = Buffer.from(
  JSON.stringify({
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    organizationId,
    timestampMs: String(nowMs),
    parameters: { userTagName: "tag", userIds: [] },
  }),
)

t.test("a vote counts once, whether or not the approvals were read before it is added", async (t) => {
  for (const readBefore of [false, true]) {
    const { pending, vote } = opened()
    if (readBefore) t.same(pending.approvals, [])
    pending.add(vote)
    const credentials = pending.approvals.map((approval) => approval.credentials.map(({ id }) => id))
    t.same(credentials, [["key"]])
    t.same(pending.approvingVotes(), [vote])
  }
})

t.test("an activity takes at most 500 votes, lapsed ones included", async (t) => {
  const { pending, vote } = opened()
  pending.stored.votes.push(...Array.from({ length: 499 }, () => ({ ...vote, lapsedAtMs: 1n })))
  pending.add(vote)
  const message = "an activity takes at most 500 votes, lapsed ones included: reject it and submit it again"
  t.throws(() => pending.add(vote), { code: "LIMIT_EXCEEDED", message })
})

t.test("a vote without a stamp, or of an activity without submitter, does not count", async (t) => {
  const { pending, vote } = opened()
  t.equal(pending.submitterId, "")
  t.equal(pending.submissionOwner(), undefined)
  const { stamp: _, ...unstamped } = vote
  pending.stored.votes.push(unstamped)
  t.equal(pending.submitterId, userId)
  t.equal(pending.submissionOwner(), undefined)
  t.notOk(pending.hasVoted(userId))
  t.same(pending.approvingVotes(), [])
})

t.test("a vote counts until the millisecond in which its key expires", async (t) => {
  for (const [expiresAtMs, counts] of [
    [nowMs, false],
    [nowMs + 1, true],
    [0, true],
  ] as const) {
    const { pending, vote } = opened(BigInt(expiresAtMs))
    pending.stored.votes.push(vote)
    t.equal(pending.hasVoted(userId), counts, String(expiresAtMs - nowMs))
  }
})

t.test("votes lapse a day after the first of them, and keep the time of an earlier lapse", async (t) => {
  const dayMs = 24 * 60 * 60 * 1000
  const lapses = (ageMs: number) => {
    const { reopened, vote } = opened()
    const createdAtMs = BigInt(nowMs - ageMs)
    const votes = [{ lapsedAtMs: 5n, createdAtMs: 1n }, { createdAtMs }, {}]
    return reopened(votes.map((one) => ({ ...vote, ...one }))).stored.votes.map(
      ({ lapsedAtMs }) => lapsedAtMs,
    )
  }
  t.same(lapses(dayMs - 1), [5n, 0n, 0n])
  t.same(lapses(dayMs), [5n, BigInt(nowMs), BigInt(nowMs)])
  t.same(lapses(dayMs + 7), [5n, BigInt(nowMs - 7), BigInt(nowMs - 7)])
})

/** An activity without votes, and a vote of its organization's only user, whose key expires then. */
function opened(expiresAtMs = 0n) {
  const apiKeys = [{ apiKeyId: "key", publicKey, type: CredentialType.API_KEY_P256, expiresAtMs }]
  const document = create(OrganizationDocumentSchema, { organizationId, users: [{ userId, apiKeys }] })
  const organization = new Organization(document, new Uint8Array(32), 0)
  const owner = organization.credentialOwner(publicKey)
  const current = { organization, owner, nowMs } as never
  const deps = { sessions: { find: () => undefined } } as never
  const stored = create(PendingActivitySchema, { activityId: "activity", organizationId, body })
  const cast = { voteId: "vote", userId, selection: VoteSelection.APPROVED }
  const stamp = { scheme: "SIGNATURE_SCHEME_TK_API_P256", publicKey, signature: "", credential: publicKey }
  const reopened = (votes: Vote[]) => new PendingRequest({ ...stored, votes }, current, deps)
  return { pending: reopened([]), reopened, vote: makeVote(cast, stamp, nowMs) }
}
