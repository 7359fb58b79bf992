import t from "tap"
import { foretold, type Tried } from "../../../../services/dashboard/words/foretold.ts"

const tried = (policy: string, before = "DENY_IMPLICIT", after = before): Tried => ({
  before: `OUTCOME_${before}`,
  after: `OUTCOME_${after}`,
  policy: `OUTCOME_${policy}`,
})

t.test("C-1827: sentences count what a draft allows, refuses and leaves alone", async (t) => {
  const replays = [
    tried("ALLOW", "DENY_IMPLICIT", "ALLOW"),
    tried("ALLOW", "ALLOW"),
    tried("REQUIRES_CONSENSUS", "DENY_IMPLICIT", "REQUIRES_CONSENSUS"),
    tried("DENY_IMPLICIT"),
    { fault: "the wallet is deleted" },
  ]
  t.same(foretold("EFFECT_ALLOW", replays), [
    "Of the last 4 activities, this policy allows 2, would ask for more votes on 1 and does not apply to 1.",
    "Decided again today, 1 changes from “No policy allows it” to “Allowed” and 1 changes from “No policy allows it” to “Needs more votes”.",
    "1 more cannot be decided today, whatever the policy says.",
  ])
})

t.test("a draft that applies to nothing says so, and an ALLOW in error allows nothing", async (t) => {
  t.same(foretold("EFFECT_ALLOW", [tried("DENY_IMPLICIT"), tried("ERROR")]), [
    "Of the last 2 activities, this policy does not apply to any.",
    "Decided again today, each of them ends as it would without this policy.",
    "1 of them lacks what the policy's expressions name: the policy allows nothing there.",
  ])
})

t.test("a DENY in error does not refuse, and the sentence says it", async (t) => {
  const sentences = foretold("EFFECT_DENY", [
    tried("DENY_EXPLICIT", "ALLOW", "DENY_EXPLICIT"),
    tried("ERROR", "ALLOW"),
  ])
  t.match(sentences, [
    /this policy refuses 1 and does not apply to 1/,
    /1 changes from “Allowed” to “Denied by a policy”/,
    /refuses those only with FEATURE_NAME_STRICT_DENY/,
  ])
  t.same(foretold("EFFECT_DENY", []), ["There is no activity yet to try it on."])
})
