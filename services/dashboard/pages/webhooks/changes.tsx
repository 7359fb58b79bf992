// Activities about deliveries, in the dialog of every change.
import { useQuery } from "../../api/data.ts"
import type { WholeActivityJson } from "../../../common/activity-json.ts"
import { Fault, Notice, Skeleton } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { useReadAgain } from "../../ui/list.tsx"
import { closeDialogs } from "../../ui/receipt.tsx"
import { answerOf, type ListedDelivery, shortId, type ShownDelivery, STATUSES, wordOf } from "./model.ts"

/** An endpoint as sentences name it. */
type Target = { endpointId: string; name: string }

export function sendTest({ endpointId, name }: Target): void {
  openChange({
    title: "Send a test",
    verb: "Send a test",
    type: "ACTIVITY_TYPE_SEND_WEBHOOK_TEST_EVENT",
    sentence: `Send a test event to “${name}”.`,
    parameters: () => ({ endpointId }),
    after: (activity) => <Outcome endpointId={endpointId} deliveryId={deliveryIdOf(activity)} />,
  })
}

export function redeliver({ deliveryId, endpointId, eventType }: ListedDelivery, name: string): void {
  openChange({
    title: "Redeliver",
    verb: "Redeliver",
    type: "ACTIVITY_TYPE_REDELIVER_WEBHOOK_DELIVERIES",
    sentence: `Send delivery ${shortId(deliveryId)} (${wordOf(eventType)}) to “${name}” again. It keeps its id, so the receiver can tell that it is the same event.`,
    parameters: () => ({ endpointId, deliveryIds: [deliveryId] }),
    after: () => <Outcome endpointId={endpointId} deliveryId={deliveryId} />,
  })
}

/** The worker turns the deliveries back after the activity, some hundreds at a time. */
export function redeliverDead({ endpointId, name }: Target, onDone: () => void): void {
  openChange({
    title: "Redeliver all dead",
    verb: "Redeliver all dead",
    type: "ACTIVITY_TYPE_REDELIVER_WEBHOOK_DELIVERIES",
    sentence: `Send every dead delivery to “${name}” again, the oldest 10,000 at most.`,
    parameters: () => ({ endpointId, deliveryIds: [] }),
    onDone,
  })
}

function deliveryIdOf({ result }: WholeActivityJson): string {
  const deliveryId = Object.values(result)[0]?.["deliveryId"]
  return typeof deliveryId === "string" ? deliveryId : ""
}

/** The state of a requested delivery, read until its first attempt has ended. */
function Outcome({ endpointId, deliveryId }: { endpointId: string; deliveryId: string }) {
  const state = useQuery<ShownDelivery>("get_webhook_delivery", { deliveryId })
  const delivery = state.data?.webhookDelivery
  useReadAgain(state, delivery?.status === "PENDING")
  if (state.error) return <Fault error={state.error} retry={state.reload} />
  if (delivery === undefined) return <Skeleton lines={1} />
  const [word, tone] = STATUSES[delivery.status] ?? [delivery.status, "" as const]
  return (
    <Notice tone={tone}>
      <p role="status">
        {word}: {answerOf(delivery)}
      </p>
      <p class="small">
        <a href={`/webhooks/${endpointId}/${deliveryId}`} onClick={closeDialogs}>
          See its attempts
        </a>
      </p>
    </Notice>
  )
}
