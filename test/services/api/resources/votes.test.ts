import t from "tap"
import { VOTE_LIFETIME_MS } from "../../../../signer/core/freshness.ts"
import { liveVotes } from "../../../../services/api/resources/votes.ts"
import type { StoredVote } from "../../../../services/api/store/stored-vote.ts"

const vote = (userId: string, createdMs: number) => ({ userId, createdMs }) as StoredVote
const ids = (votes: StoredVote[]) => votes.map(({ userId }) => userId)

t.test("votes expire together, a day after the first of them", async (t) => {
  const votes = [vote("a", 0), vote("b", 1000)]
  t.same(ids(liveVotes(votes, VOTE_LIFETIME_MS - 1)), ["a", "b"])
  t.same(ids(liveVotes(votes, VOTE_LIFETIME_MS)), [])
})

t.test("the next vote starts a new day", async (t) => {
  const votes = [vote("a", 0), vote("b", 1000), vote("a", VOTE_LIFETIME_MS + 5)]
  t.same(ids(liveVotes(votes, VOTE_LIFETIME_MS + 10)), ["a"])
})
