import type { ActivityEntry } from "../../../proto/catalog.ts"
import { Fact } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { SendFacts } from "../policy/facts/send.ts"
import type { EthereumPlan } from "./ethereum-plan.ts"
import { type EthereumSend, type EthereumSendParameters, readEthereumSend } from "./ethereum-send.ts"
import type { RawTransaction } from "./raw-transaction.ts"
import { readCancellation, readReplacement, type ReplacementParameters } from "./replacement.ts"
import type { SolanaPlan } from "./solana-send.ts"

/** Parameters of eth_send_raw_transaction. */
export type RawSendParameters = { readonly signedTransaction: string; readonly caip2: string }

/** The transaction of one request's send: in the signer the one that it signs. */
export type SendPlanner = {
  readonly ethereum: () => Pick<EthereumPlan, "shown" | "undelegation">
  readonly solana: () => Pick<SolanaPlan, "transaction" | "signers">
  readonly raw: () => Pick<RawTransaction, "transaction" | "from">
}

/** Reads the transaction that policies see of a send; undefined: the activity sends nothing. */
export function sendFactsOf(
  { facts }: Pick<ActivityEntry, "facts">,
  planner: SendPlanner,
): (() => SendFacts) | undefined {
  const declared = new Set(facts.map(({ fact }) => fact))
  if (ethereumReaderOf(declared) !== undefined)
    return () => {
      const { shown, undelegation } = planner.ethereum()
      return shown.map((ethereum) => ({ ethereum, ...(undelegation !== undefined && { undelegation }) }))
    }
  if (declared.has(Fact.SOLANA_SEND))
    return () => {
      const { transaction: solana, signers } = planner.solana()
      return signers.map(({ address: signer }) => ({ solana, signer }))
    }
  if (declared.has(Fact.ETHEREUM_RAW_SEND))
    return () => {
      const { transaction, from } = planner.raw()
      return [{ ethereum: transaction, from }]
    }
  return undefined
}

/** The send on an EVM chain that an activity asks for. @throws Error for an activity that sends none; the codes of its reader */
export function readEthereumSendOf(
  { facts }: Pick<ActivityEntry, "facts">,
  parameters: unknown,
): EthereumSend {
  const read = ethereumReaderOf(new Set(facts.map(({ fact }) => fact)))
  if (read === undefined) throw new Error("the activity sends nothing on an EVM chain")
  return read(parameters)
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
