// Terms of velocity controls, as the API has them and in words.
import { duration } from "../../words/time.ts"

type Filter = { filter?: { activity: { activityType: string }[] } }
export type DataSource = {
  chainAssetTransfer?: Filter & {
    definition: { caip19: string; decimals: string }[]
    unknownAmount?: string
  }
  activityExecution?: Filter
}
export type Aggregation = {
  method: string
  operator: string
  threshold: string
  window: { rolling?: { duration: string }; infinite?: object }
  groupBy: { organization?: object; user?: object; wallet?: object }
}
export type VelocityControl = {
  velocityControlId: string
  name: string
  identifier: string
  dataSource: DataSource
  aggregation: Aggregation
}

export const SUM = "VELOCITY_CONTROL_AGGREGATION_METHOD_SUM"
export const COUNT = "VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT"

const OPERATOR = "VELOCITY_CONTROL_AGGREGATION_OPERATOR_"

export const OPERATORS = [
  { value: `${OPERATOR}LESS_THAN_OR_EQUAL`, label: "at most" },
  { value: `${OPERATOR}LESS_THAN`, label: "less than" },
  { value: `${OPERATOR}EQUAL`, label: "exactly" },
  { value: `${OPERATOR}GREATER_THAN_OR_EQUAL`, label: "at least" },
  { value: `${OPERATOR}GREATER_THAN`, label: "more than" },
]

/** Handling of transfers of an unknown amount. Without a setting they exceed every threshold. */
export const UNKNOWN_AMOUNTS = [
  { value: "", label: "exceed every threshold" },
  { value: "VELOCITY_CONTROL_UNKNOWN_AMOUNT_REFUSED", label: "are refused" },
]

export const refusesUnknown = ({ chainAssetTransfer }: DataSource): boolean =>
  chainAssetTransfer?.unknownAmount === UNKNOWN_AMOUNTS[1]?.value

export const GROUPS = [
  { value: "organization", label: "the organization together" },
  { value: "user", label: "each user" },
  { value: "wallet", label: "each wallet" },
]

export const groupOf = ({ groupBy }: Aggregation): string => Object.keys(groupBy)[0] ?? ""

/** "the sum is at most 1.5 in 1 day, for each user". */
export function limitOf({ aggregation }: Pick<VelocityControl, "aggregation">): string {
  const { method, operator, threshold, window } = aggregation
  const what = method === SUM ? "the sum" : "the number"
  const than = OPERATORS.find(({ value }) => value === operator)?.label ?? operator
  const time = window.rolling ? `in ${duration(Number(window.rolling.duration))}` : "for all time"
  const whose = GROUPS.find(({ value }) => value === groupOf(aggregation))?.label ?? groupOf(aggregation)
  return `${what} is ${than} ${threshold} ${time}, for ${whose}`
}

/** The types of activities that a source counts; none: all. */
export function typesOf({ chainAssetTransfer, activityExecution }: DataSource): string[] {
  const { filter } = chainAssetTransfer ?? activityExecution ?? {}
  return (filter?.activity ?? []).map(({ activityType }) => activityType)
}

export function countedBy(source: DataSource): string {
  const types = typesOf(source).map((type) => type.replace("ACTIVITY_TYPE_", ""))
  const of = types.length === 0 ? "" : ` by ${types.join(", ")}`
  const { definition } = source.chainAssetTransfer ?? {}
  if (definition === undefined) return `activities${of}`
  const refused = refusesUnknown(source) ? "; unknown amounts are refused" : ""
  return `transfers of ${definition.map(({ caip19 }) => caip19).join(", ")}${of}${refused}`
}
