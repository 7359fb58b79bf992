import t from "tap"
import { Voters } from "../../../signer/core/policy/decision/voters.ts"
import { Budget } from "../../../signer/core/policy/language/frame.ts"
import { draftOf } from "../../signer/enclave/organization/drafts.ts"
import { lint } from "../../../services/policy-advice/lint.ts"
import type { OrganizationNames } from "../../../services/policy-advice/warning.ts"
import { compile } from "../../../signer/core/policy/expression.ts"
import { textAt } from "../../signer/core/policy/language/helpers.ts"

t.test("warns of a consensus that is costly, where it is", async (t) => {
  const pairs = "approvers.any(u, credentials.any(c, c.user_id == u.id && c.id == 'k'))"
  const letters = "approvers.any(u, u.email[0] == 'e') && approvers.count() >= 2"
  const named = "approvers.any(u, u.id == 'u-1') && approvers.filter(u, u.tags.contains('t-1')).count() >= 2"
  const costsIn = (text: string, users?: number, budget = 1_000_000) => {
    const { document } = draftOf({
      users: Array.from({ length: users ?? 0 }, (_, user) => ({
        userId: `u-${user}`,
        email: `e${user}@example.com`,
        tagIds: [`t-${user % 3}`],
        apiKeys: [{ apiKeyId: `k${user}` }],
      })),
    })
    const searches = { voters: new Voters(document, 0), budget: new Budget(budget) }
    const known: OrganizationNames = users === undefined ? { effect: "allow" } : { effect: "allow", searches }
    const warnings = lint(compile(text, "consensus"), known)
    return warnings.filter(({ sentence }) => sentence.startsWith("costly")).map((one) => textAt(text, one))
  }
  t.same(costsIn(pairs, 2), [], "with two users every set is tried at once")
  t.same(costsIn(pairs, 30), [pairs])
  t.same(costsIn(pairs), [pairs], "with users not known")
  t.same(costsIn(`approvers.count() > 1 && ${pairs}`), [pairs], "the part that compares approvals")
  t.same(costsIn(letters, 30), [])
  t.same(costsIn(letters, 1000), [letters])
  t.same(costsIn(letters), [])
  t.same(costsIn("approvers[0].id == 'u-1' && approvers.count() >= 2", 30), [], "a fixed place is no search")
  for (const users of [undefined, 30, 1000]) t.same(costsIn(named, users), [])
  t.same(costsIn(letters, 1000, 5000), [], "measured within one piece of advice's steps")
})
