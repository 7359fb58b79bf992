import type { ActivityEntry } from "../../../proto/catalog.ts"
import { Fact } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { SendFacts } from "../policy/facts/send.ts"
import type { EthereumPlan } from "./ethereum-plan.ts"
import { type EthereumSend, type EthereumSendParameters, readEthereumSend } from "./ethereum-send.ts"
import type { RawTransaction } from "./raw-transaction.ts"
import { readCancellation, readReplacement, type ReplacementParameters } from "./replacement.ts"
import type { SolanaPlan, SolanaSendParameters } from "./solana-send.ts"

/** Parameters of eth_send_raw_transaction. */
export type RawSendParameters = { readonly signedTransaction: string; readonly caip2: string }

/** Makes the transaction of a send: in the signer the one that it signs. */
export type SendPlanner = {
  readonly plan: (send: EthereumSend) => Pick<EthereumPlan, "shown" | "undelegation">
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
  const readSend = ethereumReaderOf(declared)
  if (readSend !== undefined)
    return () => {
      const { shown, undelegation } = planner.plan(readSend(parameters))
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

/** How the parameters of a send on an EVM chain are read, by its facts. */
const ETHEREUM_READERS: ReadonlyMap<Fact, (parameters: unknown) => EthereumSend> = new Map([
  [Fact.ETHEREUM_SEND, (parameters) => readEthereumSend(parameters as EthereumSendParameters)],
  [Fact.ETHEREUM_UNDELEGATION, (parameters) => readEthereumSend(parameters as EthereumSendParameters)],
  [Fact.ETHEREUM_REPLACEMENT, (parameters) => readReplacement(parameters as ReplacementParameters).send],
  [Fact.ETHEREUM_CANCELLATION, (parameters) => readCancellation(parameters as ReplacementParameters).send],
])

function ethereumReaderOf(declared: ReadonlySet<Fact>) {
  return [...ETHEREUM_READERS].find(([fact]) => declared.has(fact))?.[1]
}
