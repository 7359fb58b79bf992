// The transaction of a send, and what can take its place while it waits.
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

type Place = "replace" | "cancel"

const STATUSES: { readonly [status: string]: readonly [word: string, tone: Tone] } = {
  INITIALIZED: ["Signed, not broadcast yet", "warn"],
  BROADCASTING: ["Waits for a block", "warn"],
  INCLUDED: ["Included", "good"],
  FAILED: ["Failed", "bad"],
}

/** Nothing for an activity that sends no transaction. */
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
        {isWaiting && activity.type.startsWith("ACTIVITY_TYPE_ETH_") && <Places id={id} />}
      </div>
    </Section>
  )
}

function sendIdOf({ result }: Activity): string {
  const id = Object.values(result)[0]?.["sendTransactionStatusId"]
  return typeof id === "string" ? id : ""
}

function Places({ id }: { id: string }) {
  const [error, setError] = useState<Error | undefined>(undefined)
  const open = (place: Place) => {
    setError(undefined)
    openPlace(place, id).catch((caught: unknown) =>
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

const SENTENCES: Readonly<Record<Place, string>> = {
  replace: "The same payment is signed again with the same nonce, so one of both is included at most.",
  cancel: "Nothing is sent, with the same nonce. The waiting transaction may still be included before.",
}

/** The words of the request tell both transactions, from the bytes that are stamped. */
async function openPlace(place: Place, id: string): Promise<void> {
  const waiting = await query<Waiting>("get_send_replacement", { sendTransactionStatusId: id })
  const { from, caip2, nonce, signedTransaction } = waiting
  const gasLimit = place === "cancel" ? waiting.cancelGasLimit : waiting.gasLimit
  openChange({
    title: place === "cancel" ? "Cancel the transaction" : "Send with higher fees",
    verb: place === "cancel" ? "Cancel the transaction" : "Send with higher fees",
    type: `ACTIVITY_TYPE_ETH_${place === "cancel" ? "CANCEL" : "REPLACE"}_TRANSACTION`,
    sentence: SENTENCES[place],
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
