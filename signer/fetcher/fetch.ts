import type { KeyObject } from "node:crypto"
import type {
  FetchOrder,
  FetchRequest,
  SignedFetchOrder,
} from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { CLOCK_LEEWAY_MS, isTimely, openOrder, ORDER_LIFETIME_MS } from "../core/fetch-orders/order.ts"
import { isSignedTagged, type KeySet, type PublicKeySet, signTagged } from "../core/crypto/keyset.ts"
import { Refusal, refuse } from "../core/refusal.ts"
import { type Histogram, processFigures, type RefusalCounts, stopwatch } from "../process/figures.ts"
import { checkClientSecret } from "./client-secret.ts"
import type { RandomBytes } from "../core/crypto/secret.ts"
import { checkCode } from "./codes/check-code.ts"
import type { CodeContext } from "./codes/context.ts"
import type { CodeKeys } from "./codes/keys.ts"
import { sendInvitations } from "./codes/send-invitations.ts"
import { mailKey } from "./codes/mail-key.ts"
import { startCode } from "./codes/start-code.ts"
import type { CodeStore } from "./codes/store.ts"
import type { MessageDelivery } from "./delivery/delivery.ts"
import { exchangeCode } from "./oauth2/exchange.ts"
import type { Oauth2Origins } from "./oauth2/providers.ts"
import { checkOnRampKeys } from "./on-ramp/keys.ts"
import type { OnRampProviders } from "./on-ramp/provider.ts"
import { startPurchase } from "./on-ramp/purchase.ts"
import { readStatus } from "./on-ramp/status.ts"
import { fetchIssuerKeys, type Egress } from "./issuer-keys.ts"
import type { Network } from "./network.ts"
import type { UsedOrders } from "./used-orders.ts"
import type { FetcherWitness } from "./witness/witness.ts"
import { type StatedFact, makeStatement, statedRefusal } from "../core/fetch-orders/statement.ts"

/** State and settings of a running fetcher. */
export type Fetcher = {
  keySet: KeySet
  /** The on-ramp key. */
  onRampKey: KeyObject
  /** Key set of the paired signer's notarizer; undefined: not paired. */
  notarizer: PublicKeySet | undefined
  egress: Egress
  onRampProviders: OnRampProviders
  oauth2Origins: Oauth2Origins
  network: Network
  /** One-time codes: durable state, its keys, and the ways out for messages. */
  codes: CodeStore
  codeKeys: CodeKeys
  delivery: MessageDelivery
  /** Undefined: this fetcher cosigns no log. */
  witness: FetcherWitness | undefined
  /** True if sandbox contacts have the published code. */
  sandboxContacts: boolean
  usedOrders: UsedOrders
  /** Unix milliseconds of the start. Orders issued earlier may have been used by an earlier process. */
  startedMs: number
  nowMs: () => number
  random: RandomBytes
  /** Time of each order. */
  seconds: Histogram
  refusals: RefusalCounts
}

/** Runs one order of the paired signer, signs the result, and counts it. */
export async function runFetchOrder(request: FetchRequest, fetcher: Fetcher) {
  const seconds = stopwatch()
  try {
    return await carryOut(request, fetcher)
  } catch (error) {
    fetcher.refusals.add(error instanceof Refusal ? error.code : "INTERNAL")
    throw error
  } finally {
    fetcher.seconds.add(seconds())
  }
}

/** The figures of this process. */
export async function readFetcherMetrics(_request: unknown, { notarizer, seconds, refusals }: Fetcher) {
  return {
    paired: notarizer !== undefined,
    process: processFigures(),
    orderSeconds: seconds.read(),
    refusals: refusals.read(),
  }
}

async function carryOut({ order: signed, clientAddress }: FetchRequest, fetcher: Fetcher) {
  const { order, digest } = requireOrder(signed, fetcher)
  requireUnused(order, fetcher)
  // The time before the fetch: a statement is never older than it says.
  const fetchedAtMs = fetcher.nowMs()
  const fact = await runDurably(order, clientAddress, fetcher)
  const stateSequence = isAboutCodes(order) ? fetcher.codes.durableSequence : 0n
  const about = { orderDigest: digest, organizationId: order.organizationId, stateSequence }
  const sign = (tag: string, bytes: Uint8Array) => signTagged(fetcher.keySet, tag, bytes)
  return { statement: makeStatement(fact, about, fetchedAtMs, sign) }
}

/** Runs a task, and waits until its changes, and those that it read, are durable: no statement leaves earlier. */
async function runDurably(order: FetchOrder, clientAddress: string, fetcher: Fetcher): Promise<StatedFact> {
  try {
    return await runTask(order, clientAddress, fetcher)
  } catch (error) {
    return refusedTask(error, order)
  } finally {
    if (isAboutCodes(order)) await fetcher.codes.whenDurable()
  }
}

function requireOrder(signed: SignedFetchOrder | undefined, { notarizer }: Fetcher) {
  if (notarizer === undefined) {
    throw refuse(
      "FETCHER_NOT_PAIRED",
      "the fetcher is paired with no signer: COUNTERSIGN_FETCHER_NOTARIZER_PUBLIC_KEY",
    )
  }
  const opened = openOrder(signed, (tag, bytes, signature) =>
    isSignedTagged(notarizer.sign, tag, bytes, signature),
  )
  if (opened !== undefined) return opened
  throw refuse("FETCH_ORDER_FORGED", "the order is not one of the signer that this fetcher is paired with")
}

/** @throws FETCH_ORDER_SPENT */
function requireUnused(order: FetchOrder, fetcher: Fetcher): void {
  const { usedOrders: spent, startedMs, nowMs } = fetcher
  const now = nowMs()
  const { issuedAtMs, expiresAtMs } = order
  const isOurs = issuedAtMs > startedMs && expiresAtMs - issuedAtMs <= ORDER_LIFETIME_MS
  if (isOurs && isTimely(order, now, CLOCK_LEEWAY_MS) && spent.use(order.id, Number(expiresAtMs), now)) {
    if (!isAboutCodes(order) || fetcher.codes.get("order", order.id) === undefined) return
  }
  throw refuse(
    "FETCH_ORDER_SPENT",
    "the order was carried out before, or its time is over; send the request again",
  )
}

/** The finding that the task cannot be done. @throws the error itself, if it can pass or the signer reads no refusals */
function refusedTask(error: unknown, { task, readsRefusals }: FetchOrder): StatedFact {
  const finding = error instanceof Refusal && readsRefusals ? statedRefusal(task.case, error) : undefined
  if (finding === undefined) throw error
  return finding
}

/** True for tasks whose effect outlives this process. */
function isAboutCodes({ task }: FetchOrder): boolean {
  return (
    task.case === "startCode" ||
    task.case === "checkCode" ||
    task.case === "sendInvitations" ||
    task.case === "mailKey"
  )
}

/**
 * The context of a task on a one-time code. A store that has made fewer changes than the signer knows of is an older copy. It
 * lacks attempts that were counted, so its codes are void.
 */
function codeContext({ id, expiresAtMs, stateSequence }: FetchOrder, fetcher: Fetcher): CodeContext {
  const { codes: store, codeKeys: keys } = fetcher
  if (store.sequence < stateSequence) store.removeAll("code", stateSequence)
  const value = new Uint8Array(0)
  return {
    ...fetcher,
    store,
    keys,
    orderRow: { kind: "order", key: id, expiresMs: Number(expiresAtMs), value },
  }
}

async function runTask(order: FetchOrder, clientAddress: string, fetcher: Fetcher): Promise<StatedFact> {
  const { task } = order
  const { egress, network, keySet, onRampKey } = fetcher
  switch (task.case) {
    case "issuerKeys":
      return fetchIssuerKeys(task.value, egress, network)
    case "clientSecret":
      return checkClientSecret(task.value, keySet.encrypt.privateKey)
    case "onRampKeys":
      return checkOnRampKeys(task.value, onRampKey)
    case "onRampPurchase":
      return startPurchase(task.value, clientAddress, fetcher)
    case "onRampStatus":
      return readStatus(task.value, fetcher)
    case "startCode":
      return startCode(order, task.value, codeContext(order, fetcher))
    case "checkCode":
      return checkCode(order, task.value, codeContext(order, fetcher))
    case "oauth2Exchange":
      return exchangeCode(order, task.value, fetcher)
    case "sendInvitations":
      return sendInvitations(order, task.value, codeContext(order, fetcher))
    case "mailKey":
      return mailKey(order, task.value, keySet.encrypt.privateKey, codeContext(order, fetcher))
    case undefined:
      throw new Error("an order without task is not opened")
    default:
      return task satisfies never
  }
}
