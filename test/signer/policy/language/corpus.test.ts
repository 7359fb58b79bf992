import t from "tap"
import { compile, ExpressionFault } from "../../../../signer/policy/expression.ts"
import { corpus } from "./corpus.ts"

t.test(
  "accepts every expression in use, and refuses those that never worked where they go wrong",
  async (t) => {
    t.equal(corpus.length, 273)
    for (const { id, field, expression, expect, fault, at } of corpus) {
      const found = faultOf(() => compile(expression, field))
      if (expect !== "refused") {
        t.equal(found?.message, undefined, `${id} is accepted: ${expression}`)
        continue
      }
      t.equal(found?.kind, fault, `${id} is refused: ${expression}`)
      t.equal(
        expression.slice(found?.offset, (found?.offset ?? 0) + (found?.length ?? 0)),
        at,
        `${id} points`,
      )
    }
  },
)

function faultOf(act: () => unknown): ExpressionFault | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (error instanceof ExpressionFault) return error
    throw error
  }
}
