import t from "tap"
import { votesLapseMs } from "../../../../services/dashboard/words/votes.ts"

const HOUR_MS = 3_600_000
const vote = (hour: number) => ({ createdAt: new Date(hour * HOUR_MS).toISOString() })

t.test("votes lapse together, a day after the first that counts", async (t) => {
  t.equal(votesLapseMs([vote(0), vote(20)], 23 * HOUR_MS), 24 * HOUR_MS)
  t.equal(votesLapseMs([vote(20), vote(0)], 23 * HOUR_MS), 24 * HOUR_MS, "in any order")
  t.equal(votesLapseMs([{ createdAt: { seconds: "3600", nanos: "0" } }], 0), 25 * HOUR_MS)
})

t.test("a vote after the lapse starts a new day", async (t) => {
  t.equal(votesLapseMs([vote(0), vote(20), vote(30)], 31 * HOUR_MS), 54 * HOUR_MS)
  t.equal(votesLapseMs([vote(0), vote(24)], 25 * HOUR_MS), 48 * HOUR_MS)
})

t.test("where no vote counts, none lapses", async (t) => {
  t.equal(votesLapseMs([], 0), undefined)
  t.equal(votesLapseMs([vote(0), vote(20)], 24 * HOUR_MS), undefined)
  t.equal(votesLapseMs([{ createdAt: "" }], 0), undefined)
})
