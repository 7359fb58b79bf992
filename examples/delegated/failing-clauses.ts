import type { Client } from "../users.ts"

type Clause = { text: string; result: string }
type Simulation = { policies: { expressions: { result: string; deciding: Clause[] }[] }[] }

/**
 * The parts of the policies' expressions that were not true of a transaction, as `simulate_policies` names them. The client
 * has no method for this query.
 */
export async function failingClauses(
  customer: Client,
  submitter: { userId: string },
  parameters: object,
): Promise<string> {
  const activity = { type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", parameters }
  const { organizationId } = await customer.getWhoami()
  const body = { organizationId, activity, submitter }
  const { policies } = (await customer.request("/public/v1/query/simulate_policies", body)) as Simulation
  return policies
    .flatMap(({ expressions }) => expressions)
    .filter(({ result }) => result !== "true")
    .flatMap(({ deciding }) => deciding.map(({ text, result }) => `${text} is ${result}`))
    .join("; ")
}
