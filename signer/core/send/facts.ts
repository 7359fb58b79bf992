import type { ActivityEntry } from "../../../proto/catalog.ts"
import { Fact } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { SendFacts } from "../policy/facts/send.ts"
import type { EthereumPlan } from "./ethereum-plan.ts"
import type { EthereumSendParameters } from "./ethereum-send.ts"
import type { RawTransaction } from "./raw-transaction.ts"
import type { SolanaPlan, SolanaSendParameters } from "./solana-send.ts"

/** Parameters of eth_send_raw_transaction. */
export type RawSendParameters = { readonly signedTransaction: string; readonly caip2: string }

/** Makes the transaction of a send: in the signer the one that it signs. */
export type SendPlanner = {
  readonly plan: (parameters: EthereumSendParameters) => Pick<EthereumPlan, "shown" | "undelegation">
  readonly planSolana: (parameters: SolanaSendParameters) => Pick<SolanaPlan, "transaction" | "signers">
  readonly raw: (parameters: RawSendParameters) => Pick<RawTransaction, "transaction" | "from">
}

/** Reads the transaction that policies see of a send; undefined: the activity sends nothing. */
export function sendFactsOf(
  { facts }: Pick<ActivityEntry, "facts">,
  parameters: unknown,
  planner: SendPlanner,
): (() => SendFacts) | undefined {
  const declared = new Set(facts.map(({ fact }) => fact))
  if (declared.has(Fact.ETHEREUM_SEND) || declared.has(Fact.ETHEREUM_UNDELEGATION))
    return () => {
      const { shown, undelegation } = planner.plan(parameters as EthereumSendParameters)
      return shown.map((ethereum) => ({ ethereum, ...(undelegation !== undefined && { undelegation }) }))
    }
  if (declared.has(Fact.SOLANA_SEND))
    return () => {
      const { transaction: solana, signers } = planner.planSolana(parameters as SolanaSendParameters)
      return signers.map(({ address: signer }) => ({ solana, signer }))
    }
  if (declared.has(Fact.ETHEREUM_RAW_SEND))
    return () => {
      const { transaction, from } = planner.raw(parameters as RawSendParameters)
      return [{ ethereum: transaction, from }]
    }
  return undefined
}
