import t from "tap"
import { editDistance } from "../../proto/edit-distance.ts"

t.test("the edit distance counts an exchange of neighbours as one edit", async (t) => {
  for (const [left, right, edits] of [
    ["condition", "condition", 0],
    ["", "abc", 3],
    ["conditions", "condition", 1],
    ["conditoin", "condition", 1],
    ["kitten", "sitting", 3],
    ["ab", "ba", 1],
    // No text is edited twice: optimal string alignment gives 3, the unrestricted distance 2.
    ["ca", "abc", 3],
    ["expirationSecond", "expiration_seconds", 3],
  ] as const) {
    t.equal(editDistance(left, right), edits, `${left} ${right}`)
    t.equal(editDistance(right, left), edits, `${right} ${left}`)
  }
})

t.test("a limit changes no distance up to it, and makes the others infinite", async (t) => {
  const letters = ["", "a", "b", "ab", "ba", "abc", "acb", "bca", "aabb", "abab", "baba", "abcabc", "acbacb"]
  for (const left of letters)
    for (const right of letters) {
      const whole = editDistance(left, right)
      for (const limit of [0, 1, 2, 3, 6])
        t.equal(editDistance(left, right, limit), whole <= limit ? whole : Number.POSITIVE_INFINITY)
    }
})
