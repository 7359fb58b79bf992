// Exceeded velocity controls in words.
import type { ExceededVelocityControl } from "../../../../../proto/gen/countersign/api/v1/errors_pb.ts"
import { counted } from "../../../counted.ts"
import { currencyOf } from "../../../words/chains.ts"

/** A control that a request exceeds, as a reply names it. */
export type ExceededControl = Omit<ExceededVelocityControl, "$typeName" | "$unknown">

/**
 * A control's sum or number including the request, its time window, its threshold, and the next step for the person:
 * "Velocity control daily: this request would bring the sum of transfers of the wallet in 1 day to 0.3 ETH; the threshold is
 * 0.2 ETH. The same request fits at 2026-01-02T00:00:00.000Z: wait until then, or move less."
 */
export function excessSentence(excess: ExceededControl): string {
  const { identifier, threshold, total, exceededBy, unknownAmountBy } = excess
  if (unknownAmountBy !== "")
    return `Velocity control ${identifier} counts ${unknownAmountBy} as more than any threshold: its amount is not known. The same request never fits: use a call that states its amount.`
  const unit = unitOf(excess)
  const limit =
    exceededBy === "0"
      ? `the threshold ${threshold}${unit} must not be reached`
      : `the threshold is ${threshold}${unit}`
  return `Velocity control ${identifier}: this request would bring ${measureOf(excess)} to ${total}${unit}; ${limit}. ${remedyOf(excess)}`
}

/** "the sum of transfers of the wallet in 1 day" */
function measureOf({ assets, isSum, groupBy, windowSeconds }: ExceededControl): string {
  const items = assets.length === 0 ? "activities" : "transfers"
  const number = isSum ? "sum" : "number"
  // A signer of an earlier release does not say whose data count, nor for how long.
  if (groupBy === "") return "its number"
  const time =
    windowSeconds === "" ? "since the control was created" : `in ${timeText(Number(windowSeconds))}`
  return `the ${number} of ${items} of the ${groupBy} ${time}`
}

/** " ETH", or " of eip155:1/0x…"; nothing behind a number of transfers. */
function unitOf({ assets, isSum }: ExceededControl): string {
  if (!isSum) return ""
  const units = new Set(assets.map((asset) => currencyOf(asset)))
  const [unit] = units
  if (units.size === 1 && unit !== undefined) return ` ${unit}`
  return ` of ${assets.join(" and ")}`
}

function remedyOf({ freesAt, isSum }: ExceededControl): string {
  if (freesAt === "")
    return `The same request never fits: ${isSum ? "move less, or " : ""}have a root user replace the control.`
  return `The same request fits at ${freesAt}: wait until then${isSum ? ", or move less" : ""}.`
}

const UNITS = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const

/** "1 day", "36 hours": in the largest unit that has no rest. */
function timeText(seconds: number): string {
  const [size, unit] = UNITS.find(([one]) => seconds % one === 0) ?? [1, "second"]
  return counted(seconds / size, unit)
}
