import t from "tap"
import { voteRights } from "../../../../services/api/resources/vote-rights.ts"
import type { ActivityRow } from "../../../../services/api/store/activities.ts"
import type { StoredVote } from "../../../../services/api/store/stored-vote.ts"

const NOW = Date.UTC(2026, 0, 5)
const DAY_MS = 24 * 60 * 60 * 1000
const WAITS = "ACTIVITY_STATUS_CONSENSUS_NEEDED"
const PROVING = "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED"

/** Root quorum: ann and ben. */
const organization = {
  isRoot: (userId: string) => ["ann", "ben"].includes(userId),
  user: (userId: string) => (userId === "gus" ? undefined : { userId }),
}

const cast = (userId: string, more: Partial<StoredVote> = {}) =>
  ({ userId, createdMs: NOW, ...more }) as StoredVote
const open = (userId: string) => ({ userId, satisfied: false })

function rights(viewer: string, status: string, votes: StoredVote[], nowMs = NOW): string {
  const row = { status, userId: votes[0]?.userId } as ActivityRow
  const { canApprove, canReject } = voteRights(row, votes, {
    organization: organization as never,
    userId: viewer,
    nowMs,
  })
  return `${canApprove ? "approve" : ""}${canReject ? "reject" : ""}`
}

t.test("root members and voters that the signer named may vote once", async (t) => {
  const votes = [cast("dan", { voterIds: ["eva"] })]
  t.equal(rights("ann", WAITS, votes), "approvereject")
  t.equal(rights("eva", WAITS, votes), "approvereject")
  t.equal(rights("fay", WAITS, votes), "")
  t.equal(rights("dan", WAITS, votes), "", "has voted")
  t.equal(rights("gus", WAITS, [cast("dan", { voterIds: ["gus"] })]), "", "has left")
})

t.test("the submitter votes again once their vote has lapsed", async (t) => {
  const votes = [cast("dan", { voterIds: ["eva"] })]
  t.equal(rights("dan", WAITS, votes, NOW + DAY_MS), "approvereject")
  t.equal(rights("fay", WAITS, votes, NOW + DAY_MS), "")
})

t.test("the latest vote names the voters", async (t) => {
  const votes = [cast("dan", { voterIds: ["eva"] }), cast("eva", { voterIds: ["fay"] })]
  t.equal(rights("fay", WAITS, votes), "approvereject")
  t.equal(rights("eva", WAITS, votes), "")
})

t.test("a final activity accepts no votes", async (t) => {
  for (const status of ["COMPLETED", "FAILED", "REJECTED", "PENDING", "CREATED"])
    t.equal(rights("ann", `ACTIVITY_STATUS_${status}`, [cast("dan")]), "")
})

t.test(
  "a user with incomplete MFA approves again; while the submitter's is incomplete, others only reject",
  async (t) => {
    const own = [cast("dan", { voterIds: ["eva"], mfaStatuses: [open("dan")] })]
    t.equal(rights("dan", PROVING, own), "approve")
    t.equal(rights("ann", PROVING, own), "reject")
    t.equal(rights("eva", PROVING, own), "reject")
    const others = [cast("dan"), cast("ann", { voterIds: ["eva"], mfaStatuses: [open("ann")] })]
    t.equal(rights("ann", PROVING, others), "approve")
    t.equal(rights("ben", PROVING, others), "approvereject")
    t.equal(rights("dan", PROVING, others), "")
  },
)

t.test("a day later votes have expired, and users vote again", async (t) => {
  const votes = [cast("ann", { voterIds: ["eva"], mfaStatuses: [open("ann")] })]
  t.equal(rights("ann", PROVING, votes, NOW + DAY_MS), "approvereject")
  t.equal(rights("ben", WAITS, [cast("ann")], NOW + DAY_MS), "approvereject")
  for (const satisfied of [true, false]) {
    const proven = [cast("ann", { voterIds: ["eva"], mfaStatuses: [{ userId: "ann", satisfied }] })]
    t.equal(
      rights("ben", PROVING, proven, NOW + DAY_MS),
      "reject",
      "ann proves herself anew, then others approve",
    )
  }
})

t.test("an activity of a deleted user can only be rejected", async (t) => {
  t.equal(rights("ann", WAITS, [cast("gus")]), "reject")
})
