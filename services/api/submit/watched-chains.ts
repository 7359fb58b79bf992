import type { CreateWebhookEndpointIntent } from "../../../proto/gen/countersign/api/v1/intents/webhooks_pb.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import {
  readBalanceFilter,
  type WatchedAccount,
} from "../../../signer/core/modules/webhooks/balance-filter.ts"
import { BALANCE_CONFIRMED, BALANCE_FINALIZED } from "../../../signer/core/webhook/statement.ts"
import type { Sender } from "../sending/sender.ts"
import type { CallerRequest } from "./request.ts"

/**
 * The signer does not know which chains have nodes here: an address of another one would be registered, and never followed.
 * @throws ApiError CHAIN_NOT_CONFIGURED
 */
export function requireWatchedChains(
  { submission: { activity, parameters } }: CallerRequest,
  sender: Pick<Sender, "requireChain">,
): void {
  if (activity.path !== "create_webhook_endpoint") return
  const { subscriptions } = parameters as CreateWebhookEndpointIntent
  for (const [index, { eventType, filtersJson = "" }] of subscriptions.entries()) {
    if (eventType !== BALANCE_CONFIRMED && eventType !== BALANCE_FINALIZED) continue
    const field = `parameters.subscriptions[${index}].filtersJson`
    for (const { caip2 } of accountsOf(filtersJson, field)) sender.requireChain(caip2, field)
  }
}

/** None of a filter that the signer refuses: its refusal is recorded. */
function accountsOf(filtersJson: string, field: string): WatchedAccount[] {
  try {
    return readBalanceFilter(filtersJson, field)
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}
