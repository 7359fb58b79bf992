import t from "tap"
import { compile, members } from "../../../../signer/core/policy/expression.ts"
import { evaluateScope } from "../../../../signer/core/policy/scope.ts"

const scope = compile("activity.action != 'SIGN'", "condition")
const part = (action: string) => {
  const activity = members({ action })
  return (root: string) => (root === "activity" ? activity : undefined)
}
const nothing = () => undefined

t.test("a scope must allow every item of a request", async (t) => {
  t.equal(evaluateScope(scope, [part("CREATE")]), "allowed")
  t.equal(evaluateScope(scope, [part("SIGN")]), "denied")
  t.equal(evaluateScope(scope, [part("CREATE"), part("SIGN")]), "denied")
  t.equal(evaluateScope(scope, []), "denied", "a request without parts has none that is allowed")
})

t.test(
  "a scope that cannot be evaluated for some part is undecided, whatever it says of others",
  async (t) => {
    t.equal(evaluateScope(scope, [nothing]), "undecided")
    t.equal(evaluateScope(scope, [part("CREATE"), nothing]), "undecided")
    t.equal(evaluateScope(scope, [part("SIGN"), nothing]), "undecided")
    const either = compile("activity.action == 'CREATE' || wallet.label == 'x'", "condition")
    t.equal(evaluateScope(either, [part("CREATE")]), "undecided", "there is no short circuit")
  },
)
