import { PayloadEncoding } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { facts } from "../../modules/facts.ts"
import { once } from "../../once.ts"
import { type Members, members, type RootReader, type Value } from "../expression.ts"
import { parametersByType } from "../../modules/parameters.ts"
import { type Payload, payloadsOf, rootsOf, unsignedTransactionOf } from "./declared.ts"
import type { FactsInput, FactsItem, RootBuilder } from "./item.ts"

export type { FactsInput } from "./item.ts"

const ROOTS: ReadonlyMap<string, RootBuilder> = new Map<string, RootBuilder>([
  ["activity", (_item, input) => activityValue(input)],
  ...Object.entries(facts),
])

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
  return itemsOf(input, wanted).map((item) => {
    const values = new Map<string, Value>()
    for (const root of wanted) {
      const value = ROOTS.get(root)?.(item, input)
      if (value !== undefined) values.set(root, value)
    }
    return (root) => values.get(root)
  })
}

/** The items that policies distinguish by the roots they read. */
function itemsOf(input: FactsInput, wanted: readonly string[]): FactsItem[] {
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
  return root.startsWith("eth.eip_") || root === "eth.user_op"
}

const TYPED: ReadonlySet<PayloadEncoding> = new Set([
  PayloadEncoding.EIP712,
  PayloadEncoding.EIP7702_AUTHORIZATION,
  PayloadEncoding.ERC4337_USER_OPERATION,
])

function isTyped({ encoding }: Payload): boolean {
  return TYPED.has(encoding)
}

function activityValue({ activity, parameters }: FactsInput): Members {
  const { type, kind, resource, action } = activity
  const shown = parametersByType[type.replace("ACTIVITY_TYPE_", "")]?.values?.(parameters) ?? {}
  return members({ type, kind, resource, action, params: members(shown) })
}
