import { type ListedOrganization, useOrganization } from "../../api/directory.ts"
import { accountText } from "../../ui/account-options.tsx"
import { Badge, Empty, Facts, Id, Page, Pending } from "../../ui/basics.tsx"
import { FromApi } from "../../ui/provenance.tsx"
import { sendTest } from "./changes.tsx"
import { Deliveries } from "./deliveries.tsx"
import {
  eventsText,
  type ListedEndpoint,
  FEATURE,
  FEATURE_ENDPOINT,
  followedBy,
  useEndpoints,
  wordOf,
} from "./model.ts"

/** One endpoint and the deliveries to it. */
export function EndpointPage({ id }: { id: string }) {
  const state = useEndpoint(id)
  const organization = useOrganization()
  const { endpoint } = state
  if (endpoint === undefined) return <Pending title="Endpoint" state={state} />
  if (endpoint === null)
    return (
      <Page title="Endpoint">
        <div class="card flush">
          <Empty sentence={`This organization has no endpoint ${id}. It may have been deleted.`}>
            <a class="button" href="/webhooks">
              See the endpoints
            </a>
          </Empty>
        </div>
      </Page>
    )
  const { name, url, isActive, subscriptions = [] } = endpoint
  return (
    <Page
      title={name}
      about="What was sent to this endpoint, and how it answered."
      action={
        <span class="line">
          <FromApi />
          <button type="button" class="button primary" onClick={() => sendTest(endpoint)}>
            Send a test
          </button>
        </span>
      }
    >
      <div class="card">
        <Facts
          facts={[
            ["URL", <Id id={url} whole />],
            ["Events", eventsText(subscriptions)],
            ...subscriptions
              .filter(({ filtersJson }) => filtersJson !== undefined)
              .map(
                ({ eventType, filtersJson = "" }) =>
                  [
                    `${wordOf(eventType)} of`,
                    <Followed filtersJson={filtersJson} organization={organization.data} />,
                  ] as const,
              ),
            [
              "State",
              isActive ? (
                <Badge tone="good" why="Each event that it subscribes to is sent to its URL.">
                  Active
                </Badge>
              ) : (
                <span class="line">
                  <Badge icon="clock">Paused</Badge>
                  <span class="quiet small">What waits is sent once it is resumed.</span>
                </span>
              ),
            ],
            ["Id", <Id id={id} whole />],
          ]}
        />
      </div>
      <Deliveries endpointId={id} name={name} />
    </Page>
  )
}

/** The accounts of a filter; a filter that the signer would not read, as it stands. */
function Followed(part: { filtersJson: string; organization: ListedOrganization | undefined }) {
  const accounts = followedBy(part.filtersJson)
  if (accounts.length === 0) return <>{part.filtersJson}</>
  return (
    <span class="stack-0">
      {accounts.map((account) => (
        <span key={account} class="wrap">
          {accountText(account, part.organization)}
        </span>
      ))}
    </span>
  )
}

/** An endpoint by its id, also the address of the feature. `endpoint`: null if there is none, undefined while it is not known. */
export function useEndpoint(id: string): {
  endpoint: ListedEndpoint | null | undefined
  error: Error | undefined
  reload: () => void
} {
  const listed = useEndpoints()
  const organization = useOrganization()
  if (id !== FEATURE_ENDPOINT) {
    const endpoint = listed.data?.webhookEndpoints.find(({ endpointId }) => endpointId === id)
    return { ...listed, endpoint: endpoint ?? (listed.data && null) }
  }
  const { data } = organization
  const url = data?.features.find(({ name }) => name === FEATURE)?.value
  const subscriptions = [{ eventType: "ACTIVITY_UPDATES" }]
  const endpoint = url ? { endpointId: id, name: FEATURE, url, isActive: true, subscriptions } : data && null
  return { ...organization, endpoint }
}
