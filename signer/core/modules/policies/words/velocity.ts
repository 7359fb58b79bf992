// Velocity controls in words.
import {
  VelocityControlAggregationMethod as Method,
  VelocityControlAggregationOperator as Operator,
  VelocityControlUnknownAmount,
} from "../../../../../proto/gen/countersign/api/v1/velocity_pb.ts"
import type {
  VelocityControlAggregation,
  VelocityControlDataSource,
} from "../../../../../proto/gen/countersign/api/v1/velocity_pb.ts"
import { listed, quoted } from "../../../words/text.ts"

const THAN: { readonly [operator in Operator]: string } = {
  [Operator.UNSPECIFIED]: "compared by nothing with",
  [Operator.LESS_THAN]: "less than",
  [Operator.LESS_THAN_OR_EQUAL]: "at most",
  [Operator.EQUAL]: "exactly",
  [Operator.GREATER_THAN_OR_EQUAL]: "at least",
  [Operator.GREATER_THAN]: "more than",
}

const BUCKETS = { organization: "the organization", user: "each user", wallet: "each wallet" } as const

/** "transfers of "eip155:1/slip44:60" by "ACTIVITY_TYPE_…"; unknown amounts exceed every threshold". */
export function sourceText({ definition: { case: kind, value } }: VelocityControlDataSource): string {
  if (kind === undefined) return "nothing"
  const types = value.filter?.activity.map(({ activityType }) => quoted(activityType)) ?? []
  const by = types.length === 0 ? "" : ` by ${listed(types)}`
  if (kind === "activityExecution") return `activities${by}`
  const isRefused = value.unknownAmount === VelocityControlUnknownAmount.REFUSED
  const unknown = isRefused ? "are refused" : "exceed every threshold"
  return `transfers of ${listed(value.definition.map(({ caip19 }) => quoted(caip19)))}${by}; unknown amounts ${unknown}`
}

/** "their sum is at most "1.5" in 86400 seconds, for each user". */
export function limitText(aggregation: VelocityControlAggregation): string {
  const { method, operator, threshold, window, groupBy } = aggregation
  const number = method === Method.SUM ? "sum" : "number"
  const rolling = window?.definition.case === "rolling" ? window.definition.value.duration : undefined
  const time = rolling === undefined ? "for all time" : `in ${rolling} seconds`
  const bucket = groupBy?.definition.case
  const whose = bucket === undefined ? "nobody" : BUCKETS[bucket]
  return `their ${number} is ${THAN[operator]} ${quoted(threshold)} ${time}, for ${whose}`
}
