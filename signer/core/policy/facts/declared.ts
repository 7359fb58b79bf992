// Which facts an activity has is declared with it (proto/countersign/api/v1/activities.proto) and follows from no member's
// name: other activities have members of the same names.
import type { ActivityEntry } from "../../../../proto/catalog.ts"
import type { PayloadEncoding, TransactionType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Fact } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { type Parameters, text, texts } from "../parameters/shown-parameters.ts"

type Declared = Pick<ActivityEntry, "facts">

/** Roots of conditions that show each kind of facts. */
const ROOTS: Readonly<Record<Fact, readonly string[]>> = {
  [Fact.UNSPECIFIED]: [],
  [Fact.SIGNER]: ["wallet", "wallet_account", "private_key"],
  [Fact.SIGNERS]: ["wallet", "wallet_account", "private_key"],
  [Fact.WALLET]: ["wallet"],
  [Fact.WALLETS]: ["wallets"],
  [Fact.WALLET_ACCOUNT]: ["wallet", "wallet_account"],
  [Fact.PRIVATE_KEY]: ["private_key"],
  [Fact.SECRETS]: ["secret"],
  [Fact.UNSIGNED_TRANSACTION]: ["eth.tx", "solana.tx", "tron.tx", "bitcoin.tx", "tempo.tx"],
  [Fact.PAYLOAD]: ["eth.eip_712", "eth.user_op", "eth.eip_7702_authorization"],
  [Fact.ETHEREUM_SEND]: ["eth.tx"],
  [Fact.ETHEREUM_UNDELEGATION]: ["eth.tx", "eth.eip_7702_authorization"],
  [Fact.ETHEREUM_RAW_SEND]: ["eth.tx"],
  [Fact.SOLANA_SEND]: ["solana.tx"],
  [Fact.ETHEREUM_REPLACEMENT]: ["eth.tx"],
  [Fact.ETHEREUM_CANCELLATION]: ["eth.tx"],
}

/**
 * Roots that a request of the activity may have besides `controls`. A transaction has one of those of transactions. An
 * activity of the root quorum alone has no kind and shows nothing: neither scopes nor MFA policies can name it.
 */
export function rootsOf({ facts, kind }: Pick<ActivityEntry, "facts" | "kind">): ReadonlySet<string> {
  return new Set([...(kind === "" ? [] : ["activity"]), ...facts.flatMap(({ fact }) => ROOTS[fact] ?? [])])
}

/** A transaction to be signed, not read yet. `signWith`: name of the key that signs it. */
export type UnsignedTransaction = {
  readonly type: TransactionType
  readonly text: string
  readonly signWith: string
}

/** The transaction to be signed; undefined: the activity signs none. */
export function unsignedTransactionOf(
  activity: Declared,
  parameters: Parameters,
): UnsignedTransaction | undefined {
  const source = sourceOf(activity, Fact.UNSIGNED_TRANSACTION)
  if (source === undefined) return undefined
  const [signWith = ""] = signersOf(activity, parameters)
  return {
    type: parameters[source.form] as TransactionType,
    text: text(parameters[source.parameter]),
    signWith,
  }
}

/** A payload to be signed. `field`: its place in the request, for refusals. */
export type Payload = {
  readonly encoding: PayloadEncoding
  readonly text: string
  readonly field: string
}

/** The payloads to be signed; none: the activity signs none. */
export function payloadsOf(activity: Declared, parameters: Parameters): readonly Payload[] {
  const source = sourceOf(activity, Fact.PAYLOAD)
  if (source === undefined) return []
  const encoding = parameters[source.form] as PayloadEncoding
  const value = parameters[source.parameter]
  const field = `parameters.${source.parameter}`
  if (!Array.isArray(value)) return [{ encoding, text: text(value), field }]
  return value.map((one, index) => ({ encoding, text: text(one), field: `${field}[${index}]` }))
}

/** Number of payloads that are signed, or of secrets that are exported; 1 for an activity without such parts. */
export function partsOf(activity: Declared, parameters: Parameters): number {
  const source = sourceOf(activity, Fact.PAYLOAD) ?? sourceOf(activity, Fact.SECRETS)
  const value = source && parameters[source.parameter]
  return Array.isArray(value) ? value.length : 1
}

/** Names of the keys that sign: addresses, or the id of a private key; none: the organization's keys do not sign. */
export function signersOf(activity: Declared, parameters: Parameters): readonly string[] {
  const one = sourceOf(activity, Fact.SIGNER)
  if (one !== undefined) return [text(parameters[one.parameter])]
  const several = sourceOf(activity, Fact.SIGNERS)
  return several === undefined ? [] : texts(parameters[several.parameter])
}

function sourceOf({ facts }: Declared, wanted: Fact) {
  return facts.find(({ fact }) => fact === wanted)
}
