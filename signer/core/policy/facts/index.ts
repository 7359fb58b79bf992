import type { ActivityEntry } from "../../../../proto/catalog.ts"
import { PayloadEncoding } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Interfaces } from "../../contract-interface/interfaces.ts"
import { PayloadFault } from "../../payload/fault.ts"
import { HashBudget } from "../../payload/typed-data/budget.ts"
import { refuse } from "../../refusal.ts"
import { TransactionFault } from "../../transaction/fault.ts"
import { transactionRefusal } from "../../transaction/refusal.ts"
import { type Members, members, type RootReader, type Value } from "../expression.ts"
import { parametersByType } from "../parameters/index.ts"
import type { Parameters } from "../parameters/shown-parameters.ts"
import { bitcoinTransactionRoot } from "./bitcoin-transaction.ts"
import {
  type Payload,
  payloadsOf,
  rootsOf,
  type UnsignedTransaction,
  unsignedTransactionOf,
} from "./declared.ts"
import { ethereumTransactionRoot } from "./ethereum-transaction.ts"
import type { SendFacts, SendItem } from "./send.ts"
import { solanaTransactionRoot } from "./solana-transaction.ts"
import { tronTransactionRoot } from "./tron-transaction.ts"
import {
  accountValue,
  type Holdings,
  privateKeyValue,
  type SecretFacts,
  secretValue,
  walletValue,
} from "./holdings.ts"
import { authorizationValue, signedAuthorizationValue, typedDataValue } from "./typed-payloads.ts"

export type FactsInput = {
  activity: ActivityEntry
  parameters: Parameters
  /**
   * Looks up the wallets and keys that the parameters name; called at most once for each signer, and only if a policy
   * reads them. `signer`: undefined for the one that the parameters name.
   */
  holdings: (signer?: string) => Holdings
  interfaces: Interfaces
  /** The transaction of a send, with all its values; called at most once. Absent: the activity sends none. */
  send?: () => SendFacts
}

/** One item of a batch, with its typed payload, secret, transaction or signer, where it has one. */
type Item = {
  readonly holdings: () => Holdings
  readonly payload?: Payload
  readonly secret?: SecretFacts
  /** The transaction of the request, where it is signed as it is. */
  readonly unsigned?: UnsignedTransaction
  readonly sent?: SendItem
}

/** Builds one root for an item. Undefined: the item does not have the root. */
type RootBuilder = (item: Item, input: FactsInput, budget: HashBudget) => Value | undefined

const ROOTS: ReadonlyMap<string, RootBuilder> = new Map<string, RootBuilder>([
  ["activity", (_item, input) => activityValue(input)],
  ["wallet", ({ holdings }) => optional(holdings().wallet, walletValue)],
  ["wallet_account", ({ holdings }) => optional(holdings().account, accountValue)],
  ["private_key", ({ holdings }) => optional(holdings().privateKey, privateKeyValue)],
  ["wallets", ({ holdings }) => holdings().wallets?.map(walletValue)],
  ["secret", ({ secret }) => optional(secret, secretValue)],
  ["eth.tx", ethereumTransactionRoot],
  ["solana.tx", solanaTransactionRoot],
  ["tron.tx", tronTransactionRoot],
  ["bitcoin.tx", bitcoinTransactionRoot],
  ["eth.eip_712", typedPayload(PayloadEncoding.EIP712, typedDataValue)],
  [
    "eth.eip_7702_authorization",
    (item, input, budget) =>
      optional(item.sent?.undelegation, signedAuthorizationValue) ??
      readAuthorizationPayload(item, input, budget),
  ],
])

const readAuthorizationPayload = typedPayload(PayloadEncoding.EIP7702_AUTHORIZATION, authorizationValue)

/**
 * The roots that conditions read, one reader for each item. Batches of typed payloads or secrets, calls of a send, and its
 * signers are several items; any other activity is one. Every root asked for is built or refused here. One that the activity does
 * not declare is absent and refuses nothing, whatever its parameters are.
 * @param roots that some policy reads
 * @throws PAYLOAD_INVALID, TRANSACTION_INVALID, TRANSACTION_KEY_UNFIT,
 *   BITCOIN_NETWORK_UNKNOWN, the refusals of `holdings`
 */
export function factsOf(input: FactsInput, roots: Iterable<string>): RootReader[] {
  const declared = rootsOf(input.activity)
  const wanted = [...roots].filter((root) => declared.has(root))
  const budget = new HashBudget()
  return itemsOf(input, wanted).map((item) => {
    const values = new Map<string, Value>()
    for (const root of wanted) {
      const value = build(root, item, input, budget)
      if (value !== undefined) values.set(root, value)
    }
    return (root) => values.get(root)
  })
}

/** The items that policies distinguish by the roots they read. */
function itemsOf(input: FactsInput, wanted: readonly string[]): Item[] {
  const { activity, parameters, send } = input
  const holdings = once(() => input.holdings())
  if (wanted.every((root) => root === "activity")) return [{ holdings }]
  if (send !== undefined)
    return send().map(({ signer, ...sent }) => {
      const own = signer === undefined ? holdings : once(() => input.holdings(signer))
      return { sent, holdings: own }
    })
  if (wanted.includes("secret")) return (holdings().secrets ?? []).map((secret) => ({ secret, holdings }))
  const payloads = wanted.some(isTypedRoot) ? payloadsOf(activity, parameters).filter(isTyped) : []
  if (payloads.length > 0) return payloads.map((payload) => ({ payload, holdings }))
  const unsigned = unsignedTransactionOf(activity, parameters)
  return [{ holdings, ...(unsigned !== undefined && { unsigned }) }]
}

function isTypedRoot(root: string): boolean {
  return root.startsWith("eth.eip_")
}

function isTyped({ encoding }: Payload): boolean {
  return encoding === PayloadEncoding.EIP712 || encoding === PayloadEncoding.EIP7702_AUTHORIZATION
}

function activityValue({ activity, parameters }: FactsInput): Members {
  const { type, kind, resource, action } = activity
  const shown = parametersByType[type.replace("ACTIVITY_TYPE_", "")]?.values?.(parameters) ?? {}
  return members({ type, kind, resource, action, params: members(shown) })
}

function build(root: string, item: Item, input: FactsInput, budget: HashBudget): Value | undefined {
  try {
    return ROOTS.get(root)?.(item, input, budget)
  } catch (cause) {
    if (cause instanceof TransactionFault) throw transactionRefusal(cause)
    if (!(cause instanceof PayloadFault)) throw cause
    const field = item.payload?.field ?? "parameters.payload"
    throw refuse("PAYLOAD_INVALID", `invalid payload encoding: ${cause.message}`, { cause, field })
  }
}

function typedPayload(
  encoding: PayloadEncoding,
  read: (payload: string, budget: HashBudget) => Value,
): RootBuilder {
  return ({ payload }, _input, budget) =>
    payload?.encoding === encoding ? read(payload.text, budget) : undefined
}

function optional<From>(from: From | undefined, toValue: (from: From) => Value): Value | undefined {
  return from === undefined ? undefined : toValue(from)
}

/** Makes a value when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
