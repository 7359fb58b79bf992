import { useOrganization } from "../../api/directory.ts"
import { Badge, Empty, Facts, Id, Page, Section } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { manyOf, textOf } from "../../ui/fields.tsx"
import { FromApi } from "../../ui/provenance.tsx"
import { type Act, actsColumn } from "../../ui/row-menu.tsx"
import { Table } from "../../ui/table.tsx"
import {
  EVENTS,
  eventsText,
  FEATURE,
  FEATURE_ENDPOINT,
  followedFields,
  type ListedEndpoint,
  pausedFields,
  subscriptionsOf,
  useEndpoints,
} from "./model.ts"

export function WebhooksPage() {
  const state = useEndpoints()
  return (
    <Page
      title="Webhooks"
      about="Endpoints that are notified of activities, sends and balances. The signer signs each notification."
      action={
        <span class="line">
          <FromApi />
          <button type="button" class="button primary" onClick={() => createEndpoint()}>
            Create endpoint
          </button>
        </span>
      }
    >
      <Section title="Endpoints">
        <Table<ListedEndpoint>
          label="Endpoints"
          columns={[
            {
              title: "Endpoint",
              cell: ({ endpointId, name, url }) => (
                <span class="stack-0">
                  <a href={`/webhooks/${endpointId}`}>{name}</a>
                  <span class="wrap mono small quiet">{url}</span>
                </span>
              ),
            },
            {
              title: "Events",
              wide: true,
              cell: ({ subscriptions = [] }) => eventsText(subscriptions) || <span class="quiet">none</span>,
            },
            {
              title: "State",
              cell: ({ isActive }) =>
                isActive ? (
                  <Badge tone="good" why="Each event that it subscribes to is sent to its URL.">
                    Active
                  </Badge>
                ) : (
                  <Badge icon="clock" why="Nothing is sent to it. What waits is sent once it is resumed.">
                    Paused
                  </Badge>
                ),
            },
            actsColumn(({ name }) => name, actsOf),
          ]}
          rows={state.data?.webhookEndpoints}
          state={state}
          keyOf={({ endpointId }) => endpointId}
          empty={
            <Empty
              sentence="No endpoint is notified of activities yet."
              command="countersign request list_webhook_endpoints"
            />
          }
        />
      </Section>
      <Feature />
    </Page>
  )
}

function actsOf(endpoint: ListedEndpoint): readonly Act[] {
  const { endpointId, name, isActive } = endpoint
  const pause = () =>
    openChange({
      title: isActive ? "Pause endpoint" : "Resume endpoint",
      verb: isActive ? "Pause" : "Resume",
      type: "ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT",
      sentence: isActive
        ? `Pause endpoint “${name}”: it receives nothing until it is resumed.`
        : `Resume endpoint “${name}”.`,
      parameters: () => ({ endpointId, isActive: !isActive }),
    })
  return [
    { verb: "Change", act: () => changeEndpoint(endpoint) },
    { verb: "Copy", act: () => createEndpoint(endpoint) },
    { verb: isActive ? "Pause" : "Resume", act: pause },
    { verb: "Delete", act: () => deleteEndpoint(endpoint), grave: true },
  ]
}

const URL_FIELD = {
  name: "url",
  label: "URL",
  code: true,
  placeholder: "https://hooks.example.com/countersign",
  hint: "https, and reachable from the internet: addresses of an inner network are refused.",
}

/** `like`: the endpoint that the form begins with. No activity changes the subscriptions of an endpoint. */
function createEndpoint(like?: ListedEndpoint): void {
  const subscriptions = like?.subscriptions ?? [{ eventType: "ACTIVITY_UPDATES" }]
  const followed = followedFields(subscriptions)
  openChange({
    title: "Create endpoint",
    verb: "Create endpoint",
    type: "ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT",
    ...(like && {
      sentence: `Endpoint “${like.name}” stays as it is: delete it once this one receives what it should.`,
    }),
    fields: [
      { name: "name", label: "Name", initial: like?.name ?? "" },
      { ...URL_FIELD, initial: like?.url ?? "" },
      {
        name: "events",
        label: "Events",
        kind: "many",
        path: "subscriptions",
        options: EVENTS,
        initial: subscriptions.map(({ eventType }) => eventType),
      },
      ...pausedFields(subscriptions),
      ...followed.map(({ name, label, path, accounts }) => ({
        name,
        label,
        kind: "accounts" as const,
        path,
        hint: "For events of balances: the accounts that are followed, own ones and others, 50 at most.",
        initial: accounts,
      })),
    ],
    parameters: (values) => ({
      name: textOf(values, "name"),
      url: textOf(values, "url"),
      subscriptions: subscriptionsOf(
        manyOf(values, "events"),
        followed.map((field) => ({ ...field, accounts: manyOf(values, field.name) })),
        manyOf(values, "paused"),
      ),
    }),
  })
}

function changeEndpoint({ endpointId, name, url }: ListedEndpoint): void {
  openChange({
    title: "Change endpoint",
    verb: "Save endpoint",
    type: "ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT",
    fields: [
      { name: "name", label: "Name", initial: name },
      { ...URL_FIELD, initial: url },
    ],
    parameters: (values) => ({ endpointId, name: textOf(values, "name"), url: textOf(values, "url") }),
  })
}

function deleteEndpoint({ endpointId, name, url }: ListedEndpoint): void {
  openChange({
    title: "Delete endpoint",
    verb: "Delete endpoint",
    type: "ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT",
    grave: {
      loses: `${url} is notified of nothing any longer, and notifications that wait for it are lost.`,
      name,
    },
    parameters: () => ({ endpointId }),
  })
}

function removeFeature(): void {
  openChange({
    title: "Remove the URL for all activities",
    verb: "Remove",
    type: "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE",
    parameters: () => ({ name: FEATURE }),
  })
}

/** The one address of FEATURE_NAME_WEBHOOK, which older clients set. */
function Feature() {
  const { data } = useOrganization()
  const value = data?.features.find(({ name }) => name === FEATURE)?.value
  const set = () =>
    openChange({
      title: "Set the URL for all activities",
      verb: "Save",
      type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
      fields: [{ ...URL_FIELD, name: "value", initial: value ?? "" }],
      parameters: (values) => ({ name: FEATURE, value: textOf(values, "value") }),
    })
  return (
    <Section title="URL for all activities">
      <div class="card stack">
        <Facts
          facts={[
            ["URL", value ? <Id id={value} whole /> : <span class="quiet">not set</span>],
            [
              "Notified of",
              "every activity of this organization and its sub-organizations, refused ones too",
            ],
            ["Feature", <code class="wrap">{FEATURE}</code>],
          ]}
        />
        <span class="line">
          <button type="button" class="button" onClick={set}>
            {value ? "Change the URL" : "Set the URL"}
          </button>
          {value && (
            <a class="button" href={`/webhooks/${FEATURE_ENDPOINT}`}>
              Deliveries
            </a>
          )}
          {value && (
            <button type="button" class="button grave" onClick={removeFeature}>
              Remove
            </button>
          )}
        </span>
      </div>
    </Section>
  )
}
