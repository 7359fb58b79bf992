import { Caseless, type Members, UnreadableValue, type Value } from "../../../policy/expression.ts"
import type { ChainFamily } from "../../../policy/controls.ts"
import { NATIVE } from "./assets.ts"

/**
 * A transfer that a request makes or lets others make.
 *
 * - `reference`: CAIP-2 reference of the chain. Undefined: the bytes name no chain, so it counts on every chain of the family.
 * - `token`: as of Asset. ANY_TOKEN: some token of the chain; the bytes do not say which.
 */
export type Transfer = {
  readonly family: ChainFamily
  readonly reference: string | undefined
  readonly token: string | typeof ANY_TOKEN
  /** Amount in the smallest unit of the asset; undefined: the bytes do not show it. */
  readonly amount: bigint | undefined
  /** Function or instruction whose amount is unknown: `function 0x12345678`. */
  readonly by?: string
}

export const ANY_TOKEN: unique symbol = Symbol("any token")

type Chain = Pick<Transfer, "family" | "reference">

export function unknownAmount(chain: Chain, token: Transfer["token"], by: string): Transfer {
  return { ...chain, token, amount: undefined, by }
}

/** Transfers of a call that may move every asset of an account: its currency and any token. */
export function everything(chain: Chain, by: string): Transfer[] {
  return [unknownAmount(chain, NATIVE, by), unknownAmount(chain, ANY_TOKEN, by)]
}

// Values of facts. An absent one is empty: a transaction of another form moves nothing by it.

/**
 * @param from undefined or another value than a struct or map: it has no members
 * @throws TRANSACTION_INVALID for an unreadable value
 */
export function member(from: Value | undefined, name: string): Value | undefined {
  const value = from instanceof Map ? (from as Members).get(name) : undefined
  if (value instanceof UnreadableValue) throw value.refusal
  return typeof value === "symbol" ? undefined : value
}

export function integer(from: Value | undefined, name: string): bigint {
  const value = member(from, name)
  return typeof value === "bigint" ? value : 0n
}

/** Text that has no case is in lower case. */
export function text(from: Value | undefined, name: string): string {
  const value = member(from, name)
  if (value instanceof Caseless) return value.text.toLowerCase()
  return typeof value === "string" ? value : ""
}

export function list(from: Value | undefined, name: string): Members[] {
  const value = member(from, name)
  return Array.isArray(value) ? value.filter((item): item is Members => item instanceof Map) : []
}
