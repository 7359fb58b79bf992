import t from "tap"
import { lint } from "../../../../../services/policy-advice/lint.ts"
import { compile } from "../../../../../signer/core/policy/expression.ts"
import { corpus } from "./corpus.ts"
import { faultOf, textAt } from "./helpers.ts"

t.test(
  "accepts every expression in use, and refuses those that never worked where they go wrong",
  async (t) => {
    t.equal(corpus.length, 273)
    for (const { id, field, expression, expect, fault, at } of corpus) {
      const found = faultOf(expression, field)
      if (expect !== "refused") {
        t.equal(found?.message, undefined, `${id} is accepted: ${expression}`)
        continue
      }
      t.equal(found?.kind, fault, `${id} is refused: ${expression}`)
      t.equal(textAt(expression, found?.place), at, `${id} points at what is wrong`)
    }
  },
)

t.test("warns of expressions that are accepted and cannot work as written", async (t) => {
  const existing = new Map([["action", new Set(["CREATE", "DELETE", "EXPORT", "SIGN", "UPDATE", "VERIFY"])]])
  const warned = corpus.filter(({ expect }) => expect === "warned")
  t.equal(warned.length, 6)
  for (const { id, field, expression } of warned) {
    t.ok(lint(compile(expression, field), { existing }).length > 0, `${id} is warned of: ${expression}`)
  }
})
