// Endpoints and deliveries as the API states them, and words for them.
import { readBalanceFilter } from "../../../../signer/core/modules/webhooks/balance-filter.ts"
import { ApiFault } from "../../api/client.ts"
import { type Loaded, useQuery } from "../../api/data.ts"
import type { Time } from "../../../common/activity-json.ts"
import type { Tone } from "../../words/activity.ts"

export type ListedEndpoint = {
  endpointId: string
  url: string
  name: string
  isActive: boolean
  subscriptions?: { eventType: string; isActive?: boolean; filtersJson?: string }[]
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

/** Subscriptions to these events; those of balances follow these accounts. @throws {ApiFault} one without the other */
export function subscriptionsOf(events: readonly string[], accounts: readonly string[]) {
  const field = `parameters.${FOLLOWED_PATH}`
  if (accounts.length > 0 && !events.some(isOfBalances))
    throw new ApiFault("Choose an event of balances too, or remove these accounts.", { field })
  if (accounts.length === 0 && events.some(isOfBalances))
    throw new ApiFault("Add the accounts whose balances are followed.", { field })
  const filtersJson = JSON.stringify({ addresses: accounts })
  return events.map((eventType) => ({ eventType, ...(isOfBalances(eventType) && { filtersJson }) }))
}

/** Place of the accounts in the parameters of a new endpoint. */
export const FOLLOWED_PATH = "subscriptions[*].filtersJson"

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
