import { useQuery } from "../../api/data.ts"
import { requireLogin } from "../../api/login.ts"
import { Ago, Empty, Facts, Id, Page, Pending, Section } from "../../ui/basics.tsx"
import { useReadAgain } from "../../ui/list.tsx"
import { FromApi } from "../../ui/provenance.tsx"
import { Table } from "../../ui/table.tsx"
import { toast } from "../../ui/toast.tsx"
import { redeliver } from "./changes.tsx"
import { DeliveryBadge } from "./deliveries.tsx"
import { useEndpoint } from "./endpoint.tsx"
import {
  answerOf,
  type ListedAttempt,
  type ListedDelivery,
  shortId,
  type ShownDelivery,
  wordOf,
} from "./model.ts"

/** One delivery with its attempts and its body. */
export function DeliveryPage({ id }: { id: string }) {
  const state = useQuery<ShownDelivery>("get_webhook_delivery", { deliveryId: id })
  const shown = state.data
  useReadAgain(state, shown?.webhookDelivery.status === "PENDING")
  if (shown === undefined || state.error) return <Pending title="Delivery" state={state} />
  return <Shown shown={shown} />
}

function Shown({ shown: { webhookDelivery: delivery, attempts, body } }: { shown: ShownDelivery }) {
  const { deliveryId, endpointId, eventType, status } = delivery
  const { endpoint } = useEndpoint(endpointId)
  const name = endpoint?.name ?? endpointId
  return (
    <Page
      title={`${wordOf(eventType)} ${shortId(deliveryId)}`}
      about={<a href={`/webhooks/${endpointId}`}>All deliveries to {name}</a>}
      action={
        <span class="line">
          <FromApi />
          {status !== "PENDING" && (
            <button type="button" class="button primary" onClick={() => redeliver(delivery, name)}>
              Redeliver
            </button>
          )}
        </span>
      }
    >
      <div class="card" role="status">
        <DeliveryFacts delivery={delivery} />
      </div>
      <Attempts attempts={attempts} />
      <Body body={body} />
      <p class="quiet small">
        In a terminal: <code class="wrap">countersign webhook delivery {deliveryId}</code>
      </p>
    </Page>
  )
}

function DeliveryFacts({ delivery }: { delivery: ListedDelivery }) {
  const { organizationId } = requireLogin()
  const { deliveryId, eventOrganizationId, status, attemptCount, nextAttemptAt, createdAt } = delivery
  return (
    <Facts
      facts={[
        ["Delivery", <Id id={deliveryId} whole />],
        [
          "Status",
          <span class="line">
            <DeliveryBadge status={status} />
            <span class="wrap">{answerOf(delivery)}</span>
          </span>,
        ],
        ["Attempts", String(attemptCount)],
        ["Not before", status === "PENDING" && nextAttemptAt ? <Ago time={nextAttemptAt} /> : undefined],
        [
          "Event of",
          eventOrganizationId === organizationId ? undefined : (
            <a href={`/organizations/${eventOrganizationId}`}>{eventOrganizationId}</a>
          ),
        ],
        ["Event", <Ago time={createdAt} />],
      ]}
    />
  )
}

function Attempts({ attempts }: { attempts: readonly ListedAttempt[] }) {
  return (
    <Section title="Attempts">
      <Table<ListedAttempt>
        label="Attempts"
        columns={[
          { title: "Answer", cell: (attempt) => <b class="wrap">{answerOf(attempt)}</b> },
          { title: "Took", cell: ({ durationMilliseconds: ms }) => `${ms.toLocaleString("en")} ms` },
          { title: "When", cell: ({ startedAt }) => <Ago time={startedAt} /> },
        ]}
        rows={attempts.toReversed()}
        state={{ error: undefined, reload: () => undefined }}
        keyOf={({ startedAt, durationMilliseconds }) => JSON.stringify([startedAt, durationMilliseconds])}
        empty={<Empty sentence="No attempt was made yet." />}
      />
    </Section>
  )
}

/** The body, set for reading. The signature covers the text as it is sent, which the button copies. */
function Body({ body }: { body: string }) {
  const copy = () =>
    void navigator.clipboard?.writeText(body).then(
      () => toast("Copied"),
      () => toast("This browser does not let the page copy"),
    )
  return (
    <Section
      title="Body"
      aside={
        body !== "" && (
          <button type="button" class="button tight" onClick={copy}>
            Copy as sent
          </button>
        )
      }
    >
      {body === "" ? (
        <div class="card flush">
          <Empty sentence="The body is not written yet." />
        </div>
      ) : (
        <pre tabIndex={0} aria-label="Body">
          {pretty(body)}
        </pre>
      )}
    </Section>
  )
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}
