// The transaction of a send, with its replacement or cancellation while it waits.
import { useState } from "preact/hooks"
import { type Activity, query } from "../../api/client.ts"
import { useQuery } from "../../api/data.ts"
import { Badge, Facts, Fault, Id, Notice, Section } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { textOf } from "../../ui/fields.tsx"
import { useReadAgain } from "../../ui/list.tsx"
import { FromApi } from "../../ui/provenance.tsx"
import type { Tone } from "../../words/activity.ts"

type Status = {
  txStatus: string
  eth?: { txHash?: string }
  solana?: { signature?: string }
  txError?: string
}

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

const STATUSES: { readonly [status: string]: readonly [word: string, tone: Tone] } = {
  INITIALIZED: ["Signed, not broadcast yet", "warn"],
  BROADCASTING: ["Waits for a block", "warn"],
  INCLUDED: ["Included", "good"],
  FAILED: ["Failed", "bad"],
}

/** The section of a send's transaction; nothing for other activities. */
export function SentTransaction({ activity }: { activity: Activity }) {
  const id = sendIdOf(activity)
  const state = useQuery<Status>(id === "" ? undefined : "get_send_transaction_status", {
    sendTransactionStatusId: id,
  })
  const status = state.data
  const isWaiting = status?.txStatus === "INITIALIZED" || status?.txStatus === "BROADCASTING"
  useReadAgain(state, isWaiting)
  if (status === undefined) return null
  const [word, tone] = STATUSES[status.txStatus] ?? [status.txStatus, ""]
  const hash = status.eth?.txHash ?? status.solana?.signature
  return (
    <Section title="Transaction" aside={<FromApi />}>
      <div class="card stack">
        <Facts
          facts={[
            ["State", <Badge tone={tone}>{word}</Badge>],
            ...(hash === undefined ? [] : [["Hash", <Id id={hash} whole />] as const]),
          ]}
        />
        {status.txError && (
          <Notice tone={status.txStatus === "FAILED" ? "bad" : ""}>
            <p>{status.txError}</p>
          </Notice>
        )}
        {isWaiting && activity.type.startsWith("ACTIVITY_TYPE_ETH_") && <Replacements id={id} />}
      </div>
    </Section>
  )
}

function sendIdOf({ result }: Activity): string {
  const id = Object.values(result)[0]?.["sendTransactionStatusId"]
  return typeof id === "string" ? id : ""
}

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
  replace: "The same payment is signed again with the same nonce, so at most one of the two is included.",
  cancel:
    "A transaction of nothing is sent with the same nonce. The waiting one may still be included first.",
}

/** The description of the request shows both transactions, read from the bytes that are stamped. */
async function openReplacement(kind: Replacement, id: string): Promise<void> {
  const waiting = await query<Waiting>("get_send_replacement", { sendTransactionStatusId: id })
  const { from, caip2, nonce, signedTransaction } = waiting
  const gasLimit = kind === "cancel" ? waiting.cancelGasLimit : waiting.gasLimit
  openChange({
    title: kind === "cancel" ? "Cancel the transaction" : "Send with higher fees",
    verb: kind === "cancel" ? "Cancel the transaction" : "Send with higher fees",
    type: `ACTIVITY_TYPE_ETH_${kind === "cancel" ? "CANCEL" : "REPLACE"}_TRANSACTION`,
    sentence: SENTENCES[kind],
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
