import type { WholeActivityJson } from "../../common/activity-json.ts"
import { useQuery } from "../api/data.ts"
import { statusOf } from "../words/activity.ts"
import { isFollowed, SIGNED, type SendStatus, sendIdOf, sendStateOf } from "../words/send-state.ts"
import { Badge } from "./basics.tsx"
import { useReadAgain } from "./list.tsx"

/** The status of an activity; of a send that is signed, the state of its transaction on the chain. */
export function StatusBadge({ activity }: { activity: WholeActivityJson }) {
  const id = sendIdOf(activity)
  const state = useQuery<SendStatus>(id === undefined ? undefined : "get_send_transaction_status", {
    organizationId: activity.organizationId,
    sendTransactionStatusId: id,
  })
  useReadAgain(state, isFollowed(state.data?.txStatus))
  const [words, tone, why] =
    id === undefined
      ? statusOf(activity.status)
      : state.data === undefined
        ? SIGNED
        : sendStateOf(state.data, activity.id)
  return (
    <Badge tone={tone} why={why}>
      {words}
    </Badge>
  )
}
