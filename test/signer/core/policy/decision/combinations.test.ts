// Sets of votes that are tried for a consensus that compares votes with each other.
import t from "tap"
import { create } from "@bufbuild/protobuf"
import { UserSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { contributesInSomeSet } from "../../../../../signer/core/policy/decision/consensus-search.ts"
import type { Approval } from "../../../../../signer/core/policy/decision/decision-input.ts"

const voteOf = (userId: string): Approval => ({ user: create(UserSchema, { userId }), credentials: [] })
const vote = voteOf("voter")
const earlier = voteOf("earlier")

/** Three users, the second with two ways to vote. */
const possible = [["a"], ["b", "B"], ["c"]].map((names) => names.map(voteOf))

function tried(isMetBy: (names: string) => boolean = () => false) {
  const sets: string[] = []
  const result = contributesInSomeSet({
    vote,
    cast: [earlier, vote],
    possible,
    isMetBy: (votes) => {
      const names = votes.map(({ user }) => user.userId).join(" ")
      sets.push(names)
      return isMetBy(names)
    },
  })
  return { result, sets }
}

t.test("every set of votes is tried once, few votes first, each user with one vote", async (t) => {
  const { result, sets } = tried()
  t.notOk(result)
  const added = sets.map((names) => names.replace(/^earlier voter ?/, ""))
  t.same(added, ["", "a", "b", "B", "c", "a b", "a B", "a c", "b c", "B c", "a b c", "a B c"])
})

t.test("a vote contributes if a set completes the consensus with it and not without it", async (t) => {
  const { result, sets } = tried((names) => names.split(" ").length >= 4)
  t.ok(result)
  t.same(sets.slice(-2), ["earlier voter a b", "earlier a b"], "the first such set ends the search")
  t.notOk(tried((names) => names.includes("c")).result)
})
