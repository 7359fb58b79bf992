import type { ReplacementParameters } from "../../../signer/core/send/replacement.ts"
import { isFollowed, wordsOfStatus } from "../../dashboard/words/send-state.ts"
import { inLine } from "../../terminal-client/activities/state.ts"
import { query } from "../../terminal-client/api-client.ts"
import { type ChangeOptions, submitChange } from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { CliError, ExitCode } from "../../terminal-client/exit.ts"
import { follow, numberIn, requireNumber, reviewPayment } from "./send.ts"

export type ReplaceOptions = {
  maxFeePerGas?: string
  maxPriorityFeePerGas?: string
  wait?: boolean
  /** Sends without a question. */
  yes?: boolean
} & ChangeOptions

/** Sends a waiting transaction again with higher fees, or sends nothing in its place. */
export type ReplacementAct = "replace" | "cancel"

const TYPES: Readonly<Record<ReplacementAct, string>> = {
  replace: "ACTIVITY_TYPE_ETH_REPLACE_TRANSACTION",
  cancel: "ACTIVITY_TYPE_ETH_CANCEL_TRANSACTION",
}

/** The API's answer. The signed bytes in it prove themselves; fees are shown before they are stamped. */
type Waiting = { [name: string]: unknown }

/**
 * Has a transaction signed in place of a waiting one. Both transactions are shown from the bytes of the body.
 *
 * @param id sendTransactionStatusId of the waiting transaction, or the id of its activity
 * @throws {CliError} refused: it waits no longer; and the faults of `send`
 */
export async function submitReplacement(
  kind: ReplacementAct,
  id: string,
  options: ReplaceOptions,
  stamping: Stamping,
): Promise<void> {
  const waiting = await query<Waiting>(stamping, "get_send_replacement", { sendTransactionStatusId: id })
  const status = String(waiting["txStatus"])
  if (!isFollowed(status))
    throw new CliError(
      ExitCode.refused,
      `transaction ${id} is ${inLine(wordsOfStatus(status)[0])}: it waits no longer, so it cannot be replaced or cancelled`,
    )
  const submission = {
    type: TYPES[kind],
    parameters: parametersOf(kind, waiting, options),
    // Fees differ at each call, so they do not distinguish a repeated command from a new one.
    identity: { signedTransaction: waiting["signedTransaction"], ...feesOf(options) },
    review: (body: string) => reviewPayment(body, options, stamping, `${kind}?`),
  }
  const submitted = await submitChange(submission, options, stamping)
  if (submitted !== undefined) await follow(submitted, options, stamping)
}

function parametersOf(
  kind: ReplacementAct,
  waiting: Waiting,
  options: ReplaceOptions,
): ReplacementParameters {
  const text = (name: string) => String(waiting[name])
  return {
    from: text("from"),
    caip2: text("caip2"),
    nonce: numberIn(waiting, "nonce"),
    signedTransaction: text("signedTransaction"),
    gasLimit: numberIn(waiting, kind === "cancel" ? "cancelGasLimit" : "gasLimit"),
    maxFeePerGas: numberIn(waiting, "maxFeePerGas"),
    maxPriorityFeePerGas: numberIn(waiting, "maxPriorityFeePerGas"),
    ...feesOf(options),
  }
}

/** Fees that the options name. @throws {CliError} usage */
function feesOf({ maxFeePerGas, maxPriorityFeePerGas }: ReplaceOptions) {
  return {
    ...(maxFeePerGas !== undefined && { maxFeePerGas: requireNumber("--max-fee-per-gas", maxFeePerGas) }),
    ...(maxPriorityFeePerGas !== undefined && {
      maxPriorityFeePerGas: requireNumber("--max-priority-fee-per-gas", maxPriorityFeePerGas),
    }),
  }
}
