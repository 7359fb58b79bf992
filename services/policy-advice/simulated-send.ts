import { readingTransaction } from "../../signer/core/fault-refusals.ts"
import type { ActivityEntry } from "../../proto/catalog.ts"
import type { FactsInput } from "../../signer/core/policy/facts/index.ts"
import { planEthereumSend } from "../../signer/core/send/ethereum-plan.ts"
import { type RawSendParameters, readEthereumSendOf, sendFactsOf } from "../../signer/core/send/facts.ts"
import {
  type ChainValue,
  type ChainValues,
  isValuesMissing,
  type ValuesMissing,
} from "../../signer/core/send/fill.ts"
import { readRawTransaction } from "../../signer/core/send/raw-transaction.ts"
import type { PlanSettings } from "../../signer/core/send/settings.ts"
import { planSolanaSend, type SolanaSendParameters } from "../../signer/core/send/solana-send.ts"

const ZERO_ADDRESS = `0x${"00".repeat(20)}`

/** The operator's settings are not known here. They refuse sends, and policies do not see them. */
const SETTINGS: PlanSettings = {
  feeCap: () => ({ perGas: 2n ** 256n, total: 2n ** 512n }),
  gasStation: () => ({ station: ZERO_ADDRESS, delegate: ZERO_ADDRESS, name: "", version: "" }),
  maxDeadlineSeconds: 2 ** 52,
}

/** A policy reads a send that lacks values of its chain. */
export class SendIncomplete extends Error {
  readonly values: readonly ChainValue[]

  constructor({ missing }: ValuesMissing) {
    super("the send lacks values of its chain")
    this.name = "SendIncomplete"
    this.values = missing
  }
}

/**
 * The transaction of a send as policies would see it; undefined: the activity sends nothing.
 *
 * @param chain values of its chain that the body leaves out
 * @throws on reading: SendIncomplete for values that neither has, and the refusals of the parameters
 */
export function simulatedSend(
  activity: Pick<ActivityEntry, "facts">,
  parameters: unknown,
  chain: ChainValues | undefined,
  nowMs: number,
): FactsInput["send"] {
  const terms = { settings: SETTINGS, paymaster: ZERO_ADDRESS, nowMs }
  const { signedTransaction, caip2 } = parameters as RawSendParameters
  return sendFactsOf(activity, {
    ethereum: () => planned(() => planEthereumSend(readEthereumSendOf(activity, parameters), chain, terms)),
    solana: () => planned(() => planSolanaSend(parameters as SolanaSendParameters, chain)),
    raw: () =>
      readingTransaction(() => readRawTransaction(signedTransaction, caip2), "parameters.signedTransaction"),
  })
}

function planned<Plan extends object>(plan: () => Plan | ValuesMissing): Plan {
  const made = readingTransaction(plan)
  if (isValuesMissing(made)) throw new SendIncomplete(made)
  return made
}
