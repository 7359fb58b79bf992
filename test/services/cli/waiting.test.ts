import t from "tap"
import { approvalLines } from "../../../services/terminal-client/changes/waiting.ts"

const voters = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ userId: `u-${index}`, userName: `user ${index}` }))

t.test("of many users who may approve the first are named, and the number of the others", async (t) => {
  const lines = (count: number) =>
    approvalLines("12ab34cd", "ACTIVITY_STATUS_CONSENSUS_NEEDED", voters(count))
  t.strictSame(lines(2), [
    "may approve: user 0, user 1",
    "approve: npx countersign approve 12ab34cd --as 'user 0'",
  ])
  t.match(lines(8)[0], /user 6, user 7$/)
  t.match(lines(300)[0], /^may approve: user 0, .*user 7 and 292 more$/)
})
