import { create } from "@bufbuild/protobuf"
import t from "tap"
import { ExpressionFaultSchema } from "../../../proto/gen/countersign/api/v1/errors_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { RefusedSchema } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { withExpressionAdvice } from "../../../services/policy-advice/refusal-advice.ts"

const refused = (field: string, sentence: string) =>
  create(RefusedSchema, {
    code: RefusalCode.EXPRESSION_INVALID,
    field,
    sentence,
    expression: create(ExpressionFaultSchema, { field, offset: 7, length: 8 }),
  })

t.test(
  "adds the suggestion to the sentence and beside the place, wherever the expression stands",
  async (t) => {
    const parameters = {
      condition: "eth.tx.gasPrice > 1",
      scope: "walet.id == 'a'",
      time: "wallet.id == 'a'",
      policyConsensus: "approvers.lenght == 1",
      policies: [{}, { consensus: "wallet.id == 'a'" }],
    }
    const rows = [
      ["condition", ". Did you mean gas_price?", "gas_price"],
      ["scope", ". Did you mean wallet?", "wallet"],
      ["time", "; wallet belongs in a condition expression", "wallet belongs in a condition expression"],
      ["policies[1].consensus", "; wallet belongs in a condition expression", /^wallet belongs/],
    ] as const
    for (const [member, told, suggestion] of rows) {
      const advised = withExpressionAdvice(refused(`parameters.${member}`, "invalid"), parameters)
      t.match(
        advised,
        { sentence: `invalid${told}`, expression: { suggestion, offset: 7, length: 8 } },
        member,
      )
    }
  },
)

t.test("leaves other refusals, and expressions without a suggestion, as they are", async (t) => {
  const plain = create(RefusedSchema, {
    code: RefusalCode.NAME_TAKEN,
    sentence: "taken",
    field: "parameters.name",
  })
  t.equal(withExpressionAdvice(plain, {}), plain)
  const unguessed = refused("parameters.condition", "invalid")
  for (const parameters of [
    {},
    undefined,
    { condition: 1 },
    { condition: "true" },
    { condition: "x == 1" },
  ]) {
    t.equal(withExpressionAdvice(unguessed, parameters), unguessed)
  }
  const told = refused("parameters.condition", "invalid; said")
  told.expression!.suggestion = "said"
  t.equal(withExpressionAdvice(told, { condition: "eth.tx.gasPrice > 1" }), told)
})
