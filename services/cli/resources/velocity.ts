import { usage } from "../../terminal-client/exit.ts"
import { valueOf } from "./fields.ts"

/** CAIP-19 asset type and the decimals of its amounts: `eip155:1/slip44:60@18`. */
const ASSET = /^([^@]+)@(\d{1,3})$/

/** Refuses transfers of the assets whose amount is not known. */
const REFUSE_UNKNOWN = "refuse-unknown"

/**
 * Data of a velocity control. An asset counts transfers of it; a type of activities counts these alone; `activities` counts
 * all. Assets and types together count the transfers of these activities. `refuse-unknown` refuses transfers of unknown amounts.
 *
 * @throws {CliError} usage: no such type, or `refuse-unknown` without assets
 */
export async function readSource(texts: readonly string[]): Promise<object> {
  const definition = texts.flatMap((text) => {
    const [, caip19, decimals] = ASSET.exec(text) ?? []
    return caip19 === undefined ? [] : [{ caip19, decimals }]
  })
  const words = texts.filter((text) => !ASSET.test(text) && text !== "activities" && text !== REFUSE_UNKNOWN)
  const refuses = texts.includes(REFUSE_UNKNOWN)
  if (refuses && definition.length === 0)
    throw usage(`--source ${REFUSE_UNKNOWN}: needs an asset beside it, as CAIP19@DECIMALS`)
  const { activityTypes } = await import("../../../proto/catalog.ts")
  const types = [...activityTypes.keys()]
  const activity = words.map((word) => ({ activityType: valueOf(types, word, "--source") }))
  const filter = activity.length === 0 ? {} : { filter: { activity } }
  if (definition.length === 0) return { activityExecution: filter }
  const unknownAmount = "VELOCITY_CONTROL_UNKNOWN_AMOUNT_REFUSED"
  return { chainAssetTransfer: { definition, ...filter, ...(refuses && { unknownAmount }) } }
}

const OPERATORS: { readonly [sign: string]: string } = {
  "<": "LESS_THAN",
  "<=": "LESS_THAN_OR_EQUAL",
  "=": "EQUAL",
  ">=": "GREATER_THAN_OR_EQUAL",
  ">": "GREATER_THAN",
}
const SECONDS: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3600, d: 86_400 }
const LIMIT =
  /^(sum|count)\s*(<=|>=|<|>|=)\s*(\d[\d.]*)(?:\s+in\s+(\d{1,10})\s*([smhd]))?(?:\s+by\s+(organization|user|wallet))?$/

/**
 * Comparison of a velocity control: `count <= 3 in 1d by user`. Without `in` data count forever, without `by` the organization
 * has one number.
 *
 * @throws {CliError} usage
 */
export function readLimit([text = ""]: readonly string[]): Promise<object> {
  const [, method, sign = "", threshold, length, unit = "", bucket = "organization"] =
    LIMIT.exec(text.trim().toLowerCase()) ?? []
  if (method === undefined) {
    const form = "write it like “sum <= 1.5 in 24h by wallet” or “count <= 3 in 1d”"
    throw usage(`--limit ${text}: not a limit; ${form}`)
  }
  const window =
    length === undefined
      ? { infinite: {} }
      : { rolling: { duration: String(Number(length) * (SECONDS[unit] ?? 1)) } }
  return Promise.resolve({
    method: `VELOCITY_CONTROL_AGGREGATION_METHOD_${method.toUpperCase()}`,
    operator: `VELOCITY_CONTROL_AGGREGATION_OPERATOR_${OPERATORS[sign]}`,
    threshold,
    window,
    groupBy: { [bucket]: {} },
  })
}
