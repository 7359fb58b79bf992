import t from "tap"
import { linesOfSimulation } from "../../../../services/cli/commands/activity.ts"
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

t.test(
  "a policy whose search for approvers is too costly says so, in the dashboard and in the terminal",
  (t) => {
    const expressions = [
      {
        field: "consensus",
        result: "false",
        deciding: [{ text: "approvers.any(u, u.id == 'x')", result: "false" }],
      },
    ]
    t.match(evaluationFaults(expressions), [
      /^consensus: finding who may approve takes more steps .* simplify/,
    ])
    t.strictSame(evaluationFaults([]), [], "nothing is known of the policy")
    const policy = {
      policyId: "p",
      policyName: "pairs",
      effect: "EFFECT_ALLOW",
      outcome: "OUTCOME_ERROR",
      expressions,
    }
    const simulated = { outcome: "OUTCOME_DENY_IMPLICIT", reason: "No policy.", policies: [policy] }
    t.match(linesOfSimulation(simulated), [
      "policies now: no policy allows it",
      "  policy [pairs]  cannot be evaluated",
      /^    consensus: finding who may approve takes more steps/,
      "    consensus false: approvers.any",
    ])
    t.end()
  },
)
