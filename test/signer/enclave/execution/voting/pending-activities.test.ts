import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { PendingActivitySchema } from "../../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import {
  PendingActivities,
  readEnding,
} from "../../../../../signer/enclave/execution/voting/pending-activities.ts"
import { DEFAULT_LIMITS } from "../../../../../signer/enclave/organization/limits.ts"

const { FAILED } = ActivityStatus
const ORGANIZATION = "00000000-0000-4000-8000-000000000001"
const MAX_BYTES = 32 * 1024 * 1024
const MAX_BYTES_OF_OTHERS = Math.floor(MAX_BYTES * 0.9)

/** Pending activities of one organization with these rows. */
function activitiesOf(rows: readonly Uint8Array[]) {
  const named = rows.map((value, index) => ({ key: String(index), value }))
  const find = (kind: string, key: string) =>
    kind === "pending" ? named.find((row) => row.key === key)?.value : undefined
  const ledger = {
    rows: (_: string, kind: string) => (kind === "pending" ? named : []),
    row: (_: string, kind: string, key: string) => find(kind, key),
  }
  return new PendingActivities({ ledger, limits: DEFAULT_LIMITS } as never)
}

const sized = (...sizes: number[]) => sizes.map((size) => new Uint8Array(size))
const repeated = (times: number) => sized(...Array.from({ length: times }, () => 1))

t.test(
  "an organization has at most 1000 pending activities, 100 of them only for the root quorum",
  async (t) => {
    const cases: [number, boolean, string | undefined][] = [
      [899, false, undefined],
      [900, false, "at most 900 activities of an organization wait for votes at once"],
      [999, true, undefined],
      [1000, true, "at most 1000 activities of an organization wait for votes at once"],
    ]
    for (const [stored, isOfRoot, message] of cases) {
      const attempt = () => activitiesOf(repeated(stored)).requireRoom(ORGANIZATION, 1, isOfRoot)
      if (message === undefined) t.doesNotThrow(attempt, `${stored}, root: ${isOfRoot}`)
      else t.throws(attempt, { code: "LIMIT_EXCEEDED", message }, `${stored}, root: ${isOfRoot}`)
    }
  },
)

t.test("pending bodies have at most 32 MiB together, a tenth of them only for the root quorum", async (t) => {
  const most = (bytes: number) =>
    `activities of an organization that wait for votes have at most ${bytes} bytes together`
  const limits: [boolean, number][] = [
    [true, MAX_BYTES],
    [false, MAX_BYTES_OF_OTHERS],
  ]
  for (const [isOfRoot, limit] of limits) {
    const activities = activitiesOf(sized(limit - 20, 7))
    t.doesNotThrow(() => activities.requireRoom(ORGANIZATION, 13, isOfRoot))
    const message = most(limit)
    t.throws(() => activities.requireRoom(ORGANIZATION, 14, isOfRoot), { code: "LIMIT_EXCEEDED", message })
  }
})

t.test("an activity takes its place when it is put, and gives it back when it is removed", async (t) => {
  const activities = activitiesOf(repeated(999))
  t.notOk(activities.hasHadPending(ORGANIZATION))
  activities.put(ORGANIZATION, "new", { size: MAX_BYTES, createdAtMs: 0 })
  t.ok(activities.hasHadPending(ORGANIZATION))
  t.ok(activities.has(ORGANIZATION, "new"))
  t.throws(() => activities.requireRoom(ORGANIZATION, 1, true), { code: "LIMIT_EXCEEDED" })
  activities.remove(ORGANIZATION, "new")
  t.notOk(activities.has(ORGANIZATION, "new"))
  t.doesNotThrow(() => activities.requireRoom(ORGANIZATION, 1, true))
})

t.test("an activity is read from the ledger's row", async (t) => {
  const stored = create(PendingActivitySchema, { activityId: "activity", organizationId: ORGANIZATION })
  const activities = activitiesOf([toBinary(PendingActivitySchema, stored)])
  t.same(activities.get(ORGANIZATION, "0"), stored)
  t.equal(activities.get(ORGANIZATION, "1"), undefined)
})

const HOUR_MS = 60 * 60 * 1000

/** Pending activities that expire after an hour; `commit` fails while `isBroken`. */
function expiringActivities() {
  const commits: { put: unknown[]; remove: unknown[] }[] = []
  const states = { isBroken: false, isHalted: false, isKnown: true }
  const ledger = {
    rows: () => [],
    row: (_: string, kind: string) => (kind === "pending" ? new Uint8Array(0) : undefined),
    head: () => (states.isKnown ? { version: 1n } : undefined),
    commit: async ([change]: typeof commits) => {
      if (states.isBroken) throw new Error("disk full")
      commits.push(change!)
    },
  }
  const rollback = {
    requireNone: () => {
      if (states.isHalted) throw new Error("halted")
    },
  }
  const limits = { ...DEFAULT_LIMITS, pendingHours: 1 }
  const activities = new PendingActivities({ ledger, rollback, limits } as never)
  for (const [fingerprint, createdAtMs] of [
    ["old", 0],
    ["young", 1],
  ] as const)
    activities.put(ORGANIZATION, fingerprint, { size: 1, createdAtMs })
  return { activities, commits, states, isPending: () => activities.has(ORGANIZATION, "old") }
}

t.test("an activity that has expired leaves its place to the fingerprint of a failed one", async (t) => {
  const { activities, commits, isPending } = expiringActivities()
  await activities.endExpired(ORGANIZATION, HOUR_MS)
  const kept = [{ kind: "fingerprint", key: "old", value: Buffer.from(`${FAILED} ACTIVITY_EXPIRED`) }]
  t.match(commits, [{ put: kept, remove: [{ kind: "pending", key: "old" }] }])
  t.equal(commits[0]?.put.length, 1)
  t.notOk(isPending())
  t.ok(activities.has(ORGANIZATION, "young"))
})

t.test("an activity is found no more from the moment in which its end begins", async (t) => {
  const { activities } = expiringActivities()
  t.ok(activities.get(ORGANIZATION, "old"))
  const ending = activities.endExpired(ORGANIZATION, HOUR_MS)
  t.equal(activities.get(ORGANIZATION, "old"), undefined, "though the ledger still has its row")
  await ending
})

t.test("an end that the ledger did not store is tried again", async (t) => {
  const { activities, commits, states, isPending } = expiringActivities()
  states.isBroken = true
  await t.rejects(activities.endExpired(ORGANIZATION, HOUR_MS), { message: "disk full" })
  t.ok(isPending())
  states.isBroken = false
  await activities.endExpired(ORGANIZATION, HOUR_MS)
  t.equal(commits.length, 1)
})

t.test("a signer that halts, or knows no such organization, ends nothing", async (t) => {
  const { activities, commits, states, isPending } = expiringActivities()
  states.isHalted = true
  await t.rejects(activities.endExpired(ORGANIZATION, HOUR_MS), { message: "halted" })
  Object.assign(states, { isHalted: false, isKnown: false })
  await activities.endExpired(ORGANIZATION, HOUR_MS)
  t.same(commits, [])
  t.ok(isPending())
})

t.test("where nothing has expired the ledger stores nothing", async (t) => {
  const { activities, commits, isPending } = expiringActivities()
  await activities.endExpired(ORGANIZATION, HOUR_MS - 1)
  t.same(commits, [])
  t.ok(isPending())
})

t.test("the end of an activity is read from its fingerprint's row", async (t) => {
  t.same(readEnding(Buffer.from(`${FAILED} ACTIVITY_EXPIRED`)), { status: FAILED, hasExpired: true })
  t.same(readEnding(Buffer.from(String(FAILED))), { status: FAILED, hasExpired: false })
})
