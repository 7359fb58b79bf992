// Velocity controls as decisions see them. What counts, and how, belongs to the module of policies.
import type { VelocityControlAggregationOperator as Operator } from "../../../proto/gen/countersign/api/v1/velocity_pb.ts"

/** Families of chains whose transfers are understood. */
export type ChainFamily = "eip155" | "solana" | "tron" | "bip122"

/** `token`: the contract or mint in its canonical spelling; `NATIVE` for the chain's own currency. */
export type Asset = { readonly family: ChainFamily; readonly reference: string; readonly token: string }

/** A velocity control as the signer counts and compares with it. Numbers are integers in units of 10^-scale. */
export type Control = {
  readonly id: string
  readonly identifier: string
  readonly name: string
  readonly data: ControlData
  readonly method: "sum" | "count"
  readonly operator: Operator
  readonly scale: number
  readonly threshold: bigint
  /** The threshold as its creator wrote it. */
  readonly thresholdText: string
  /** Milliseconds for which data count; undefined: without end. */
  readonly windowMs: number | undefined
  readonly groupBy: "organization" | "user" | "wallet"
}

/** `kinds`: kinds of the activities that count, as kindOf names them; undefined: all. `assets`: undefined where whole activities count. */
export type ControlData = {
  readonly kinds: ReadonlySet<string> | undefined
  readonly assets: readonly MeasuredAsset[] | undefined
  /** Requests are refused that move a listed asset by an amount that is not known. */
  readonly refusesUnknownAmounts: boolean
}

export type MeasuredAsset = Asset & { readonly decimals: number }

/** The data of one slot of time. `sum`: in units of 10^-scale of the control. */
export type Slot = { readonly number: bigint; readonly sum: bigint }

/** The data of one bucket: slots, their numbers ascending. */
export type Bucket = readonly Slot[]

/** One control with its value for one request. */
export type ControlReading = {
  readonly control: Control
  /** Id of the user or wallet whose bucket it is; "" for the organization's. */
  readonly bucketId: string
  /** The bucket before the request. */
  readonly bucket: Bucket
  /** Amount or count that the request adds, in units of 10^-scale; 0: the control does not match it. */
  readonly added: bigint
  /** Function or instruction of an unknown amount, which exceeds every threshold; undefined: none. */
  readonly unknownBy: string | undefined
  /** The sum of what counts, with the request. */
  readonly total: bigint
  /** The comparison of the total with the threshold: the value of `controls.<identifier>`. */
  readonly value: boolean
}

/** A reading over its threshold, and the Unix time in milliseconds at which the same request fits; undefined: never. */
export type Excess = { readonly reading: ControlReading; readonly freesAtMs: number | undefined }

/** True where a request's data count: it runs alone in its organization, and the ledger keeps what it adds. */
export function isCounted(readings: readonly ControlReading[] = []): boolean {
  return readings.some(({ added }) => added > 0n)
}
