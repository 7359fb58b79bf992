import { type ActivityEntry, activityTypes } from "../../../../../proto/catalog.ts"
import { Authority } from "../../../../../proto/gen/countersign/api/v1/options_pb.ts"
import {
  VelocityControlAggregationMethod as Method,
  type VelocityControlAggregation,
  type VelocityControlDataSource,
  type VelocityControlDataSourceChainAssetTransfer,
  type VelocityControlDataSourceFilterActivity,
  VelocityControlUnknownAmount as UnknownAmount,
} from "../../../../../proto/gen/countersign/api/v1/velocity_pb.ts"
import type { VelocityControl } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../../refusal.ts"
import type { Control, ControlData, MeasuredAsset } from "../../../policy/controls.ts"
import { ASSET_FORMS, readAsset } from "./assets.ts"

export type ControlTerms = Pick<VelocityControl, "dataSource" | "aggregation">

/** Broadcasts what another has signed, or what was counted when it was signed here. It is no transfer. */
export const SIGNED_ELSEWHERE = "ACTIVITY_TYPE_ETH_SEND_RAW_TRANSACTION"

/** Refuses a filter that would count nothing. @throws VELOCITY_CONTROL_INVALID, below `field` */
export function requireTransfers({ dataSource }: Pick<ControlTerms, "dataSource">, field: string): void {
  const source = dataSource?.definition
  if (source?.case !== "chainAssetTransfer") return
  const types = source.value.filter?.activity ?? []
  const index = types.findIndex(({ activityType }) => activityType === SIGNED_ELSEWHERE)
  if (index === -1) return
  const at = `${field}.dataSource.chainAssetTransfer.filter.activity[${index}].activityType`
  throw invalid(`${SIGNED_ELSEWHERE} signs nothing; count it with activityExecution`, at)
}

/** Fraction digits of a threshold, and digits in all. */
const THRESHOLD_SCALE = 18
const THRESHOLD_DIGITS = 38

/** Larger than every threshold. */
export const WITHOUT_LIMIT = 10n ** BigInt(THRESHOLD_DIGITS)

/** The terms of a control. @throws VELOCITY_CONTROL_INVALID, VELOCITY_CONTROL_PHASE_NOT_SERVED, below `field` */
export function readTerms(
  { dataSource, aggregation }: ControlTerms,
  field: string,
): Omit<Control, "id" | "identifier" | "name"> {
  const data = readSource(dataSource, `${field}.dataSource`)
  const at = `${field}.aggregation`
  const { method: methodValue, operator = 0, threshold: text = "" } = aggregation ?? {}
  const method = methodValue === Method.COUNT ? "count" : "sum"
  if (method === "sum" && data.assets === undefined)
    throw invalid(
      "activities have no amount to sum; use VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT",
      `${at}.method`,
    )
  const decimals = data.assets?.map((asset) => asset.decimals) ?? []
  const scale = method === "count" ? THRESHOLD_SCALE : Math.max(THRESHOLD_SCALE, ...decimals)
  return {
    data,
    method,
    operator,
    scale,
    threshold: readThreshold(text, `${at}.threshold`) * 10n ** BigInt(scale - THRESHOLD_SCALE),
    thresholdText: text,
    windowMs: readWindow(aggregation, `${at}.window`),
    groupBy: readGroupBy(aggregation, `${at}.groupBy`),
  }
}

/** A control of an organization document, which was checked when it was created. */
export function controlOf({ velocityControlId: id, identifier, name, ...terms }: VelocityControl): Control {
  return { id, identifier, name, ...readTerms(terms, "velocityControl") }
}

function readSource(source: VelocityControlDataSource | undefined, field: string): ControlData {
  const { definition } = source ?? {}
  switch (definition?.case) {
    case "activityExecution":
      return {
        kinds: readFilter(definition.value.filter?.activity, `${field}.activityExecution.filter`),
        assets: undefined,
        refusesUnknownAmounts: false,
      }
    case "chainAssetTransfer":
      requireSignaturePhase(definition.value, `${field}.chainAssetTransfer.phase`)
      return {
        kinds: readFilter(definition.value.filter?.activity, `${field}.chainAssetTransfer.filter`),
        assets: readAssets(definition.value, `${field}.chainAssetTransfer.definition`),
        refusesUnknownAmounts: definition.value.unknownAmount === UnknownAmount.REFUSED,
      }
    case undefined:
      throw invalid("is missing; set chainAssetTransfer or activityExecution", field)
    default:
      return definition satisfies never
  }
}

/** @throws VELOCITY_CONTROL_PHASE_NOT_SERVED */
function requireSignaturePhase({ phase }: VelocityControlDataSourceChainAssetTransfer, field: string): void {
  if (phase === undefined || phase.definition.case === "signature") return
  if (phase.definition.case === undefined) throw invalid("is empty; set signature, or leave it out", field)
  const sentence = `${field}.submission is reserved: transfers count when they are signed; set signature`
  throw refuse("VELOCITY_CONTROL_PHASE_NOT_SERVED", sentence, { field: `${field}.submission` })
}

function readAssets(
  { definition }: VelocityControlDataSourceChainAssetTransfer,
  field: string,
): readonly MeasuredAsset[] {
  const names = new Set<string>()
  return definition.map(({ caip19, decimals }, index) => {
    const at = `${field}[${index}].caip19`
    const asset = readAsset(caip19)
    if (asset === undefined)
      throw invalid(`"${caip19}" is no asset that can be counted; use ${ASSET_FORMS}`, at)
    const name = `${asset.family}:${asset.reference}/${asset.token}`
    if (names.has(name)) throw invalid(`"${caip19}" is listed twice`, at)
    names.add(name)
    return { ...asset, decimals: Number(decimals) }
  })
}

function readFilter(
  activities: readonly VelocityControlDataSourceFilterActivity[] = [],
  field: string,
): ReadonlySet<string> | undefined {
  if (activities.length === 0) return undefined
  return new Set(
    activities.map(({ activityType }, index) => {
      const at = `${field}.activity[${index}].activityType`
      const entry = activityTypes.get(activityType)
      if (entry === undefined) throw invalid(`unknown activity type "${activityType}"`, at)
      if (entry.authority === Authority.VOTE)
        throw invalid(`${activityType} is a vote, which counts as part of the activity voted on`, at)
      return kindOf(entry)
    }),
  )
}

/**
 * The name that all versions of an activity share. A filter lists types, and counts every version of each: another version
 * would pass the control.
 */
export function kindOf({ kind, type }: ActivityEntry): string {
  return kind || type
}

const DECIMAL = /^([0-9]+)(?:\.([0-9]+))?$/

/** Reads a threshold, in units of 10^-18. */
function readThreshold(text: string, field: string): bigint {
  const [, whole = "", fraction = ""] = DECIMAL.exec(text) ?? []
  if (whole === "") throw invalid(`"${text}" is no decimal number such as 1000 or 0.5`, field)
  if (fraction.length > THRESHOLD_SCALE || whole.length + fraction.length > THRESHOLD_DIGITS)
    throw invalid(
      `"${text}" has over ${THRESHOLD_DIGITS} digits, or over ${THRESHOLD_SCALE} after the point`,
      field,
    )
  return BigInt(whole + fraction.padEnd(THRESHOLD_SCALE, "0"))
}

function readWindow(aggregation: VelocityControlAggregation | undefined, field: string): number | undefined {
  const definition = aggregation?.window?.definition
  if (definition?.case === undefined) throw invalid("is empty; set rolling or infinite", field)
  return definition.case === "infinite" ? undefined : Number(definition.value.duration) * 1000
}

function readGroupBy(aggregation: VelocityControlAggregation | undefined, field: string): Control["groupBy"] {
  const groupBy = aggregation?.groupBy?.definition.case
  if (groupBy === undefined) throw invalid("is empty; set organization, user or wallet", field)
  return groupBy
}

function invalid(sentence: string, field: string) {
  return refuse("VELOCITY_CONTROL_INVALID", `${field}: ${sentence}`, { field })
}
