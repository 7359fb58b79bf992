import { FiatOnRampProvider } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OnRampKeys, OnRampStatusTask } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { unopenedKey } from "../../core/fetch-orders/on-ramp-key.ts"
import type { StatedFact } from "../../core/fetch-orders/statement.ts"
import { type OnRampStatus, statusOf } from "../../core/on-ramp/status.ts"
import { withOpenKeys } from "./keys.ts"
import { askProvider } from "./provider.ts"
import { bearer, type OnRampDeps } from "./purchase.ts"

/**
 * Asks the provider for the purchases under a reference. MoonPay shows them to the publishable key, so no secret is
 * opened.
 */
export async function readStatus(
  { keys, transactionId }: OnRampStatusTask,
  deps: OnRampDeps,
): Promise<StatedFact> {
  if (keys === undefined) throw unopenedKey("encryptedSecretApiKey")
  const status = await (keys.provider === FiatOnRampProvider.MOONPAY
    ? askMoonPay(keys, transactionId, deps)
    : askCoinbase(keys, transactionId, deps))
  return { case: "onRampStatus", value: { status } }
}

function askMoonPay(keys: OnRampKeys, transactionId: string, deps: OnRampDeps): Promise<OnRampStatus> {
  const path = `/v1/transactions/ext/${encodeURIComponent(transactionId)}`
  const query = `?apiKey=${encodeURIComponent(keys.publishableApiKey)}`
  const { moonPay: origin } = deps.onRampProviders
  // Unknown until the buyer has begun.
  const request = {
    name: "MoonPay",
    origin,
    path: path + query,
    absent: "PENDING",
    read: readMoonPay,
  } as const
  return askProvider<OnRampStatus>(request, deps.network)
}

const readMoonPay = (json: unknown) => statusOf(texts(json, "status"), MOONPAY)

const MOONPAY: { readonly [status: string]: OnRampStatus } = {
  waitingPayment: "PENDING",
  pending: "PENDING",
  waitingAuthorization: "PENDING",
  completed: "COMPLETED",
  failed: "FAILED",
}

function askCoinbase(keys: OnRampKeys, transactionId: string, deps: OnRampDeps): Promise<OnRampStatus> {
  const path = `/onramp/v1/buy/user/${encodeURIComponent(transactionId)}/transactions`
  const authorization = withOpenKeys(keys, deps.onRampKey, (open) => {
    if (open.provider !== "coinbase") throw unopenedKey("encryptedPrivateApiKey")
    return bearer(open, `GET ${path}`, deps)
  })
  const { coinbase: origin } = deps.onRampProviders
  const request = {
    name: "Coinbase",
    origin,
    path: `${path}?page_size=10`,
    authorization,
    read: readCoinbase,
  } as const
  return askProvider<OnRampStatus>({ ...request, absent: "PENDING" }, deps.network)
}

function readCoinbase(json: unknown): OnRampStatus | undefined {
  const { transactions } = (json ?? {}) as { transactions?: unknown }
  return statusOf(texts(transactions, "status"), COINBASE)
}

const COINBASE: { readonly [status: string]: OnRampStatus } = {
  ONRAMP_TRANSACTION_STATUS_CREATED: "PENDING",
  ONRAMP_TRANSACTION_STATUS_IN_PROGRESS: "PENDING",
  ONRAMP_TRANSACTION_STATUS_SUCCESS: "COMPLETED",
  ONRAMP_TRANSACTION_STATUS_FAILED: "FAILED",
}

/** The texts of a member in a list of objects; undefined: it is no such list. */
function texts(list: unknown, member: string): string[] | undefined {
  if (!Array.isArray(list)) return undefined
  const values = list.map((one: unknown) => (one as { [name: string]: unknown } | null)?.[member])
  return values.every((value) => typeof value === "string") ? values : undefined
}
