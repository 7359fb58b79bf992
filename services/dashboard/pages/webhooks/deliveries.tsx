import { commandText, shownId } from "../../../../signer/core/command-text.ts"
import { useState } from "preact/hooks"
import { useQuery } from "../../api/data.ts"
import { Ago, Badge, Empty, Section } from "../../ui/basics.tsx"
import { Choice, useCursors, useReadAgain } from "../../ui/list.tsx"
import { route, setSearch } from "../../ui/route.ts"
import { actsColumn } from "../../ui/row-menu.tsx"
import { type Column, Pages, Table } from "../../ui/table.tsx"
import { redeliver, redeliverDead } from "./changes.tsx"
import { answerOf, type ListedDelivery, DELIVERED_EVENTS, shortId, STATUSES, wordOf } from "./model.ts"

const LIMIT = 25

/** Time for which the list of dead deliveries is polled after their redelivery. One that fails again stays dead. */
const FOLLOWED_MS = 60_000

type Reply = { webhookDeliveries: ListedDelivery[] }

/** Deliveries to one endpoint, newest first, a page at a time. */
export function Deliveries({ endpointId, name }: { endpointId: string; name: string }) {
  const { search } = route.value
  const [status, event] = [search.get("status") ?? "", search.get("event") ?? ""]
  const { cursors, options, turnTo, reset } = useCursors(LIMIT)
  const state = useQuery<Reply>("list_webhook_deliveries", {
    endpointId,
    ...(status !== "" && { filterByStatus: [status] }),
    ...(event !== "" && { filterByEventType: [event] }),
    paginationOptions: options,
  })
  const rows = state.data?.webhookDeliveries
  const shown = rows?.slice(0, LIMIT)
  const has = (sought: string) => shown?.some((one) => one.status === sought) === true
  const [isRedelivering, setIsRedelivering] = useState(false)
  useReadAgain(state, has("PENDING") || (isRedelivering && has("DEAD")))
  const followRedelivery = () => {
    setIsRedelivering(true)
    setTimeout(() => setIsRedelivering(false), FOLLOWED_MS)
  }
  const filter = (changed: { [name: string]: string }) => {
    reset()
    setSearch(changed)
  }
  const isFiltered = status !== "" || event !== ""
  return (
    <Section
      title="Deliveries"
      aside={<RedeliverDead target={{ endpointId, name }} isKnown={has("DEAD")} onDone={followRedelivery} />}
    >
      <div class="filters">
        <Choice
          label="Status"
          value={status}
          options={Object.entries(STATUSES).map(([value, [word]]) => [value, word])}
          onChange={(value) => filter({ status: value })}
        />
        <Choice
          label="Event"
          value={event}
          options={DELIVERED_EVENTS.map(({ value, label }) => [value, label])}
          onChange={(value) => filter({ event: value })}
        />
        {isFiltered && (
          <button type="button" class="button plain" onClick={() => filter({ status: "", event: "" })}>
            Show all
          </button>
        )}
      </div>
      <Table
        label="Deliveries"
        columns={columnsOf(name)}
        rows={shown}
        state={state}
        keyOf={({ deliveryId }) => deliveryId}
        empty={
          <Empty
            sentence={isFiltered ? "No delivery fits." : "Nothing was sent to this endpoint yet."}
            command={commandText`countersign webhook deliveries ${shownId(endpointId, "ID")}`}
          />
        }
        foot={
          <Pages
            page={cursors.length}
            hasNext={(rows?.length ?? 0) > LIMIT}
            onPage={(page) => turnTo(page, shown?.at(-1)?.deliveryId)}
            shown={`Page ${cursors.length + 1}`}
          />
        }
      />
    </Section>
  )
}

/** The button is there if the endpoint has a dead delivery. `isKnown`: one is on the page. */
function RedeliverDead(part: {
  target: { endpointId: string; name: string }
  isKnown: boolean
  onDone: () => void
}) {
  const { target, isKnown, onDone } = part
  const { data } = useQuery<Reply>("list_webhook_deliveries", {
    endpointId: target.endpointId,
    filterByStatus: ["DEAD"],
    paginationOptions: { limit: "1" },
  })
  if (!isKnown && (data === undefined || data.webhookDeliveries.length === 0)) return null
  return (
    <button type="button" class="button tight" onClick={() => redeliverDead(target, onDone)}>
      Redeliver all dead
    </button>
  )
}

const columnsOf = (name: string): readonly Column<ListedDelivery>[] => [
  {
    title: "Event",
    cell: ({ deliveryId, endpointId, eventType }) => (
      <a href={`/webhooks/${endpointId}/${deliveryId}`}>
        {wordOf(eventType)} <span class="mono small quiet">{shortId(deliveryId)}</span>
      </a>
    ),
  },
  { title: "Status", cell: ({ status }) => <DeliveryBadge status={status} /> },
  {
    title: "Answer",
    wide: true,
    cell: (delivery) => <span class="wrap">{answerOf(delivery)}</span>,
  },
  { title: "Attempts", wide: true, isNumber: true, cell: ({ attemptCount }) => attemptCount },
  { title: "When", wide: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  actsColumn(
    ({ deliveryId }) => shortId(deliveryId),
    (delivery) =>
      delivery.status === "PENDING" ? [] : [{ verb: "Redeliver", act: () => redeliver(delivery, name) }],
  ),
]

export function DeliveryBadge({ status }: { status: string }) {
  const [word, tone, why] = STATUSES[status] ?? [status, "" as const]
  return (
    <Badge tone={tone} why={why}>
      {word}
    </Badge>
  )
}
