// Endpoints and deliveries as the API states them, and words for them.
import { readBalanceFilter } from "../../../../signer/core/modules/webhooks/balance-filter.ts"
import { ApiFault } from "../../api/client.ts"
import { type Loaded, useQuery } from "../../api/data.ts"
import type { Time } from "../../../common/activity-json.ts"
import type { FormField } from "../../ui/fields.tsx"
import type { Tone } from "../../words/activity.ts"

export type ListedSubscription = { eventType: string; isActive?: boolean; filtersJson?: string }

export type ListedEndpoint = {
  endpointId: string
  url: string
  name: string
  isActive: boolean
  subscriptions?: ListedSubscription[]
}

/** End of an attempt: a status code of HTTP, or the reason why there is none. */
export type AttemptResult = { httpStatus?: number; error?: string }

export type ListedDelivery = AttemptResult & {
  deliveryId: string
  endpointId: string
  eventOrganizationId: string
  eventType: string
  status: string
  attemptCount: number
  nextAttemptAt?: Time
  createdAt: Time
  updatedAt: Time
}

export type ListedAttempt = AttemptResult & { startedAt: Time; durationMilliseconds: number }

export type ShownDelivery = { webhookDelivery: ListedDelivery; body: string; attempts: ListedAttempt[] }

/** The feature that older clients set, and the id that its address has as an endpoint. */
export const FEATURE = "FEATURE_NAME_WEBHOOK"
export const FEATURE_ENDPOINT = "00000000-0000-0000-0000-000000000000"

/** Kinds of events that an endpoint can receive. */
export const EVENTS = [
  { value: "ACTIVITY_UPDATES", label: "Activities" },
  { value: "SEND_TRANSACTION_STATUS_UPDATES", label: "Status of sent transactions" },
  { value: "BALANCE_CONFIRMED_UPDATES", label: "Confirmed balances" },
  { value: "BALANCE_FINALIZED_UPDATES", label: "Final balances" },
]

/** Event types of deliveries. A test needs no subscription. */
export const DELIVERED_EVENTS = [...EVENTS, { value: "WEBHOOK_TEST", label: "Test" }]

const isOfBalances = (eventType: string): boolean => eventType.startsWith("BALANCE_")

/** A field of accounts: those that events of balances follow. */
export type FollowedField = {
  name: string
  label: string
  /** Place in the parameters of a new endpoint. */
  path: string
  events: readonly string[]
  accounts: readonly string[]
}

/** One field for all events of balances, or one for each if these subscriptions follow other accounts for one than for another. */
export function followedFields(subscriptions: readonly ListedSubscription[]): FollowedField[] {
  const lists = EVENTS.filter(({ value }) => isOfBalances(value)).map(({ value, label }) => ({
    event: value,
    label: `Accounts of ${label.toLowerCase()}`,
    accounts: accountsOf(subscriptions.filter(({ eventType }) => eventType === value)),
  }))
  const followed = lists.filter(({ event }) => subscriptions.some(({ eventType }) => eventType === event))
  const [first, ...others] = followed.map(({ accounts }) => accounts)
  const isOther = (accounts: readonly string[]) => accounts.toSorted().join() !== first?.toSorted().join()
  if (others.some(isOther))
    return lists.map(({ event, label, accounts }) => {
      const name = `followed.${event}`
      return { name, label, path: name, events: [event], accounts }
    })
  const events = lists.map(({ event }) => event)
  return [{ name: "followed", label: "Accounts", path: FOLLOWED_PATH, events, accounts: first ?? [] }]
}

/** A field for the paused events of the endpoint that a form begins with: nothing is sent that no field shows. */
export function pausedFields(subscriptions: readonly ListedSubscription[]): readonly FormField[] {
  const paused = subscriptions.filter(({ isActive }) => isActive === false).map(({ eventType }) => eventType)
  if (paused.length === 0) return []
  return [
    {
      name: "paused",
      label: "Paused events",
      kind: "many",
      path: "subscriptions[*].isActive",
      options: paused.map((event) => ({ value: event, label: wordOf(event) })),
      hint: "Of a paused event nothing is sent. No later change resumes it: uncheck it here to have it sent.",
      initial: paused,
    },
  ]
}

/**
 * Subscriptions to these events, some of them paused; those of balances follow the accounts of their field.
 * @throws {ApiFault} one without the other
 */
export function subscriptionsOf(
  events: readonly string[],
  fields: readonly FollowedField[],
  paused: readonly string[] = [],
) {
  for (const { path, events: own, accounts } of fields) {
    const field = `parameters.${path}`
    const isChosen = own.some((event) => events.includes(event))
    if (accounts.length > 0 && !isChosen)
      throw new ApiFault("Choose an event of balances too, or remove these accounts.", { field })
    if (accounts.length === 0 && isChosen)
      throw new ApiFault("Add the accounts whose balances are followed.", { field })
  }
  return events.map((eventType) => {
    const followed = fields.find(({ events: own }) => own.includes(eventType))
    const filtersJson = followed && JSON.stringify({ addresses: followed.accounts })
    const isPaused = paused.includes(eventType)
    return {
      eventType,
      ...(filtersJson !== undefined && { filtersJson }),
      ...(isPaused && { isActive: false }),
    }
  })
}

const FOLLOWED_PATH = "subscriptions[*].filtersJson"

/** Each account of these subscriptions once. */
function accountsOf(subscriptions: readonly ListedSubscription[]): readonly string[] {
  return [...new Set(subscriptions.flatMap(({ filtersJson = "" }) => followedBy(filtersJson)))]
}

/** The accounts of a filter, as the signer reads it; none of another text. */
export function followedBy(filtersJson: string): readonly string[] {
  try {
    return readBalanceFilter(filtersJson, "").map(({ caip2, address }) => `${caip2}:${address}`)
  } catch {
    return []
  }
}

export const wordOf = (event: string): string =>
  DELIVERED_EVENTS.find(({ value }) => value === event)?.label ?? event

/** The events of an endpoint, for a list; "" for none. */
export const eventsText = (subscriptions: readonly ListedSubscription[]): string =>
  subscriptions
    .map(({ eventType, isActive }) => `${wordOf(eventType)}${isActive === false ? " (paused)" : ""}`)
    .join(", ")

export const STATUSES: { readonly [status: string]: readonly [word: string, tone: Tone, why: string] } = {
  PENDING: ["Pending", "warn", "It is sent, or sent again, by itself: for up to three days."],
  DELIVERED: ["Delivered", "good", "The receiver answered with a 2xx status."],
  DEAD: [
    "Dead",
    "bad",
    "It is not sent again by itself, because the answer was final or the attempts have lasted too long. Correct the receiver, then redeliver it.",
  ],
}

/** The end of a delivery's id: ids that the service makes at the same time begin alike. */
export const shortId = (deliveryId: string): string => `…${deliveryId.slice(-8)}`

export function answerOf({ error, httpStatus }: AttemptResult): string {
  return error ?? (httpStatus === undefined ? "no answer yet" : `HTTP ${httpStatus}`)
}

export function useEndpoints(): Loaded<{ webhookEndpoints: ListedEndpoint[] }> {
  return useQuery("list_webhook_endpoints")
}
