import type { WholeActivityJson } from "../../../common/activity-json.ts"
import { type Loaded, useQuery } from "../../api/data.ts"
import { Facts, Section } from "../../ui/basics.tsx"
import { WAITING } from "../../words/activity.ts"
import { WorkerQueues } from "./deployment.tsx"
import type { ListedDelivery } from "../webhooks/model.ts"

/** The largest page; a longer queue is shown as "more than" it. */
const COUNTED = 100

/** The queues of this organization: activities that wait for votes, and notifications to its endpoints. */
export function Queues() {
  const waiting = useQuery<{ activities: WholeActivityJson[] }>("list_activities", {
    filterByStatus: WAITING,
    paginationOptions: { limit: String(COUNTED) },
  })
  const [pending, dead] = [useDeliveries("PENDING"), useDeliveries("DEAD")]
  return (
    <Section title="Queues">
      <div class="grid">
        <div class="card stack">
          <h3>This organization</h3>
          <Facts
            short
            facts={[
              [
                "Activities that wait for votes",
                <Count state={waiting} of={({ activities }) => activities} href="/approvals" />,
              ],
              [
                "Notifications to be delivered",
                <Count state={pending} of={({ webhookDeliveries }) => webhookDeliveries} href="/webhooks" />,
              ],
              [
                "Dead notifications",
                <Count state={dead} of={({ webhookDeliveries }) => webhookDeliveries} href="/webhooks" />,
              ],
            ]}
          />
        </div>
        <WorkerQueues />
      </div>
    </Section>
  )
}

const useDeliveries = (status: string) =>
  useQuery<{ webhookDeliveries: ListedDelivery[] }>("list_webhook_deliveries", {
    filterByStatus: [status],
    paginationOptions: { limit: String(COUNTED) },
  })

function Count<Reply>(part: {
  state: Loaded<Reply>
  of: (reply: Reply) => readonly unknown[]
  href: string
}) {
  const { data, error } = part.state
  if (error) return <span class="wrap">{error.message}</span>
  if (data === undefined) return <span class="skeleton cell" />
  const { length } = part.of(data)
  return <a href={part.href}>{length === COUNTED ? `${COUNTED} or more` : length}</a>
}
