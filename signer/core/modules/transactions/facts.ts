// Transactions and typed payloads as conditions of policies read them.
import { transactionRefusal, payloadRefusal } from "../../fault-refusals.ts"
import { isFault } from "../../fault.ts"
import { PayloadEncoding } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { HashBudget } from "../../payload/typed-data/budget.ts"
import type { FactsInput, FactsItem, RootBuilder, RootBuilders } from "../../policy/facts/item.ts"
import type { Value } from "../../policy/expression.ts"
import { bitcoinTransactionRoot } from "./facts/bitcoin-transaction.ts"
import { ethereumTransactionRoot } from "./facts/ethereum-transaction.ts"
import { solanaTransactionRoot } from "./facts/solana-transaction.ts"
import { tronTransactionRoot } from "./facts/tron-transaction.ts"
import { userOperationRoot } from "./facts/user-operation.ts"
import { authorizationValue, signedAuthorizationValue, typedDataValue } from "./facts/typed-payloads.ts"

export const facts: RootBuilders = {
  "eth.tx": refusing(ethereumTransactionRoot),
  "solana.tx": refusing(solanaTransactionRoot),
  "tron.tx": refusing(tronTransactionRoot),
  "bitcoin.tx": refusing(bitcoinTransactionRoot),
  "eth.eip_712": refusing((item, input) => typedData(item, input)),
  "eth.user_op": refusing(({ payload }, input) =>
    payload === undefined ? undefined : userOperationRoot(payload, input.interfaces, () => budgetOf(input)),
  ),
  "eth.eip_7702_authorization": refusing((item) => authorization(item)),
}

/** Steps of typed data that are left to a request: all payloads of a batch share them. */
const budgets = new WeakMap<FactsInput, HashBudget>()

function budgetOf(input: FactsInput): HashBudget {
  const budget = budgets.get(input) ?? new HashBudget()
  budgets.set(input, budget)
  return budget
}

function typedData({ payload }: FactsItem, input: FactsInput): Value | undefined {
  if (payload?.encoding !== PayloadEncoding.EIP712) return undefined
  return typedDataValue(payload.text, budgetOf(input))
}

function authorization({ payload, sent }: FactsItem): Value | undefined {
  if (sent?.undelegation !== undefined) return signedAuthorizationValue(sent.undelegation)
  if (payload?.encoding !== PayloadEncoding.EIP7702_AUTHORIZATION) return undefined
  return authorizationValue(payload.text)
}

/** Refuses what cannot be read. @throws PAYLOAD_INVALID, TRANSACTION_INVALID */
function refusing(build: RootBuilder): RootBuilder {
  return (item, input) => {
    try {
      return build(item, input)
    } catch (cause) {
      if (isFault(cause, "transaction")) throw transactionRefusal(cause)
      if (!isFault(cause, "payload")) throw cause
      throw payloadRefusal(cause, item.payload?.field ?? "parameters.payload")
    }
  }
}
