import t from "tap"
import { evaluationFaults } from "../../../../services/dashboard/words/outcomes.ts"

t.test(
  "a policy that cannot be evaluated says why: the expression, its part at fault, and the reason",
  (t) => {
    const text = `eth.tx.value < ${"9".repeat(80)}`
    t.strictSame(
      evaluationFaults([
        {
          field: "condition",
          result: "error",
          deciding: [
            { text: "activity.kind == 'A'", result: "true" },
            { text, result: "error", sentence: "the request has no eth.tx" },
          ],
        },
        { field: "consensus", result: "true", deciding: [{ text: "true", result: "true" }] },
        { field: "time", result: "invalid", fault: { sentence: "unknown function: nwo" }, deciding: [] },
      ]),
      [`condition, ${text.slice(0, 60)}…: the request has no eth.tx`, "time: unknown function: nwo"],
    )
    t.end()
  },
)
