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

/** Reads what policies see of a send; undefined: an activity of this kind sends nothing. */
export function sendFactsOf(
  kind: string,
  parameters: unknown,
  planner: SendPlanner,
): (() => SendFacts) | undefined {
  switch (kind) {
    case "ETH_SEND_TRANSACTION":
    case "ETH_UNDELEGATE_7702":
      return () => {
        const { shown, undelegation } = planner.plan(parameters as EthereumSendParameters)
        return shown.map((ethereum) => ({ ethereum, ...(undelegation !== undefined && { undelegation }) }))
      }
    case "SOL_SEND_TRANSACTION":
      return () => {
        const { transaction: solana, signers } = planner.planSolana(parameters as SolanaSendParameters)
        return signers.map(({ address: signer }) => ({ solana, signer }))
      }
    case "ETH_SEND_RAW_TRANSACTION":
      return () => {
        const { transaction, from } = planner.raw(parameters as RawSendParameters)
        return [{ ethereum: transaction, from }]
      }
    default:
      return undefined
  }
}
