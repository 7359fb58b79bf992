// The transaction of a send, with its replacement or cancellation while it waits.
import type { WholeActivityJson } from "../../../common/activity-json.ts"
import { useState } from "preact/hooks"
import { query } from "../../api/client.ts"
import { useQuery } from "../../api/data.ts"
import { Badge, Facts, Fault, Id, Notice, Section } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { textOf } from "../../ui/fields.tsx"
import { WithDigits } from "../../ui/request-words.tsx"
import { useReadAgain } from "../../ui/list.tsx"
import { FromApi } from "../../ui/provenance.tsx"
import {
  isCancellation,
  isFollowed,
  isLater,
  type SameNonceSend,
  type SendStatus,
  sendIdOf,
  sendStateOf,
  wordsOfStatus,
} from "../../words/send-state.ts"

type Waiting = {
  from: string
  caip2: string
  nonce: string
  signedTransaction: string
  gasLimit: string
  cancelGasLimit: string
  leastMaxFeePerGas: string
  leastMaxPriorityFeePerGas: string
  maxFeePerGas: string
  maxPriorityFeePerGas: string
}

type Replacement = "replace" | "cancel"

/** The section of a send's transaction; nothing for other activities. */
export function SentTransaction({ activity }: { activity: WholeActivityJson }) {
  const id = sendIdOf(activity)
  const state = useQuery<SendStatus>(id === undefined ? undefined : "get_send_transaction_status", {
    organizationId: activity.organizationId,
    sendTransactionStatusId: id,
  })
  const status = state.data
  const isWaiting = isFollowed(status?.txStatus)
  useReadAgain(state, isWaiting || isFollowed(status?.sameNonce?.txStatus))
  if (id === undefined || (status === undefined && state.error === undefined)) return null
  return (
    <Section title="Transaction" aside={<FromApi />}>
      {status === undefined ? (
        <Fault error={state.error as Error} retry={state.reload} />
      ) : (
        <Transaction activity={activity} id={id} status={status} isWaiting={isWaiting} />
      )}
    </Section>
  )
}

function Transaction(part: {
  activity: WholeActivityJson
  id: string
  status: SendStatus
  isWaiting: boolean
}) {
  const { activity, id, status, isWaiting } = part
  const { sameNonce, txError } = status
  const [word, tone] = sendStateOf(status, activity.id)
  const hash = status.eth?.txHash ?? status.solana?.signature
  const isReplaced = sameNonce !== undefined && isLater(sameNonce, activity.id)
  return (
    <div class="card stack">
      <Facts
        facts={[
          ["State", <Badge tone={tone}>{word}</Badge>],
          ["Hash", hash && <Id id={hash} whole />],
          ["Same nonce", sameNonce && <SameNonce other={sameNonce} ownId={activity.id} />],
        ]}
      />
      {txError && (
        <Notice tone={tone === "bad" ? "bad" : ""}>
          <p>
            <WithDigits text={sentence(txError)} />
          </p>
        </Notice>
      )}
      {isWaiting && !isReplaced && activity.type.startsWith("ACTIVITY_TYPE_ETH_") && <Replacements id={id} />}
    </div>
  )
}

/** The activity that sent the other transaction, and its status. */
function SameNonce({ other, ownId }: { other: SameNonceSend; ownId: string }) {
  const later = isCancellation(other) ? "the cancellation" : "the transaction in its place"
  const [word, tone] = wordsOfStatus(other.txStatus)
  return (
    <span class="line">
      <a href={`/activity/${other.activityId}`}>
        {isLater(other, ownId) ? later : "the earlier transaction"}
      </a>
      <Badge tone={tone}>{word}</Badge>
    </span>
  )
}

const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

function Replacements({ id }: { id: string }) {
  const [error, setError] = useState<Error | undefined>(undefined)
  const open = (kind: Replacement) => {
    setError(undefined)
    openReplacement(kind, id).catch((caught: unknown) =>
      setError(caught instanceof Error ? caught : new Error(String(caught))),
    )
  }
  return (
    <>
      {error && <Fault error={error} />}
      <span class="line">
        <button type="button" class="button" onClick={() => open("replace")}>
          Send with higher fees
        </button>
        <button type="button" class="button" onClick={() => open("cancel")}>
          Cancel the transaction
        </button>
      </span>
    </>
  )
}

const SENTENCES: Readonly<Record<Replacement, string>> = {
  replace: "The same payment is signed again with the same nonce. A chain includes at most one of the two.",
  cancel:
    "A payment of 0 to the account itself takes the nonce of the waiting transaction. A chain includes at most one of the two, and it may still be the waiting one.",
}

/** The review of the request describes both transactions, read from the bytes that are stamped. */
async function openReplacement(kind: Replacement, id: string): Promise<void> {
  const waiting = await query<Waiting>("get_send_replacement", { sendTransactionStatusId: id })
  const { from, caip2, nonce, signedTransaction } = waiting
  const gasLimit = kind === "cancel" ? waiting.cancelGasLimit : waiting.gasLimit
  if (kind === "replace") {
    // Some transactions are not signed again: the reason comes before the form.
    const { readReplacement } = await import("../../../../signer/core/send/replacement.ts")
    readReplacement(waiting)
  }
  openChange({
    title: kind === "cancel" ? "Cancel the transaction" : "Send with higher fees",
    verb: kind === "cancel" ? "Cancel the transaction" : "Send with higher fees",
    type: `ACTIVITY_TYPE_ETH_${kind === "cancel" ? "CANCEL" : "REPLACE"}_TRANSACTION`,
    dismiss: "Keep waiting",
    intro: <p>{SENTENCES[kind]}</p>,
    fields: [
      {
        name: "maxFeePerGas",
        label: "Highest price for each unit of gas, wei",
        hint: `Nodes take ${waiting.leastMaxFeePerGas} or more.`,
        initial: waiting.maxFeePerGas,
      },
      {
        name: "maxPriorityFeePerGas",
        label: "Highest tip for each unit of gas, wei",
        hint: `Nodes take ${waiting.leastMaxPriorityFeePerGas} or more.`,
        initial: waiting.maxPriorityFeePerGas,
      },
    ],
    parameters: (values) => ({
      from,
      caip2,
      nonce,
      signedTransaction,
      gasLimit,
      maxFeePerGas: textOf(values, "maxFeePerGas"),
      maxPriorityFeePerGas: textOf(values, "maxPriorityFeePerGas"),
    }),
  })
}
