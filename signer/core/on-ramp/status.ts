/** Statuses that get_onramp_transaction_status answers. */
const ON_RAMP_STATUSES = ["PENDING", "COMPLETED", "FAILED", "CANCELLED"] as const
export type OnRampStatus = (typeof ON_RAMP_STATUSES)[number]

/** The status in a text; undefined for any other text. */
export function readOnRampStatus(text: string): OnRampStatus | undefined {
  return ON_RAMP_STATUSES.find((status) => status === text)
}

/**
 * One status for the attempts under one reference, as a provider lists them. One that completed counts first, then one under
 * way. Without any, the purchase waits for its buyer. Undefined: there is no list, or a status that is not known.
 */
export function statusOf(
  attempts: readonly string[] | undefined,
  known: { readonly [status: string]: OnRampStatus },
): OnRampStatus | undefined {
  const read = attempts?.map((status) => (Object.hasOwn(known, status) ? known[status] : undefined))
  if (read === undefined || read.includes(undefined)) return undefined
  if (read.includes("COMPLETED")) return "COMPLETED"
  return read.length === 0 || read.includes("PENDING") ? "PENDING" : read[0]
}
