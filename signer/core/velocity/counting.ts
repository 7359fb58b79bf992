import type { MessageInitShape } from "@bufbuild/protobuf"
import type { ExceededVelocityControlSchema } from "../../../proto/gen/countersign/api/v1/errors_pb.ts"
import { VelocityControlAggregationOperator as Operator } from "../../../proto/gen/countersign/api/v1/velocity_pb.ts"
import type { Organization } from "../organization/organization.ts"
import type { RootReader } from "../policy/expression.ts"
import type { Holdings } from "../policy/facts/holdings.ts"
import { type Control, controlOf, type MeasuredAsset, SIGNED_ELSEWHERE } from "./control.ts"
import { ANY_TOKEN, TRANSACTION_ROOTS, type Transfer, transfersOf } from "./transfers.ts"
import { NATIVE } from "./assets.ts"
import { type Bucket, freesAtMs, liveSlots, sumOf } from "./window.ts"

/** A request as velocity controls see it: its type, and the facts that policies read. */
export type CountedRequest = {
  readonly activityType: string
  /** One reader for each item of a batch. */
  readonly items: readonly RootReader[]
  readonly submitterId: string
  /** The wallet or key that the request uses, or that of one of its signers; looked up only where a control needs it. */
  readonly holdings: (signer?: string) => Holdings
  /** Signers of a request that names several. */
  readonly signers: readonly string[]
}

/** One control with its value for one request. */
export type ControlReading = {
  readonly control: Control
  /** Id of the user or wallet whose bucket it is; "" for the organization's. */
  readonly bucketId: string
  /** The bucket before the request. */
  readonly bucket: Bucket
  /** Amount or count that the request adds, in units of 10^-scale; 0: the control does not match it. */
  readonly added: bigint
  /** The sum of what counts, with the request. */
  readonly total: bigint
  /** The comparison of the total with the threshold: the value of `controls.<identifier>`. */
  readonly value: boolean
}

/** Controls by organization. A version of an organization never changes. */
const controls = new WeakMap<Organization, readonly Control[]>()

function controlsOf(organization: Organization): readonly Control[] {
  const known = controls.get(organization)
  if (known !== undefined) return known
  const all = organization.document.velocityControls.map(controlOf)
  controls.set(organization, all)
  return all
}

/** Roots that counting reads of a request. */
export function rootsCounted(organization: Organization): readonly string[] {
  return controlsOf(organization).some(({ data }) => data.assets !== undefined) ? TRANSACTION_ROOTS : []
}

/** The stored data of a bucket. */
export type BucketReader = (controlId: string, bucketId: string) => Bucket

/**
 * Every control of the organization with its value for the request, once for each bucket that the request counts in.
 * @throws the refusals of `holdings`
 */
export function readControls(
  organization: Organization,
  request: CountedRequest,
  bucketOf: BucketReader,
  nowMs: number,
): ControlReading[] {
  return controlsOf(organization).flatMap((control) => {
    const added = addedBy(control, request)
    return bucketIdsOf(control, request).map((bucketId) => {
      const bucket = bucketOf(control.id, bucketId)
      const total = sumOf(liveSlots(control, bucket, nowMs)) + added
      return { control, bucketId, bucket, added, total, value: holds(control, total) }
    })
  })
}

function addedBy({ data, method, scale }: Control, request: CountedRequest): bigint {
  const { types, assets } = data
  const { activityType, items, holdings } = request
  const ownAddresses = () => holdings().key?.addresses.map(({ address }) => address) ?? []
  if (types !== undefined && !types.has(activityType)) return 0n
  const unit = 10n ** BigInt(scale)
  if (assets === undefined) return unit
  if (activityType === SIGNED_ELSEWHERE) return 0n
  let added = 0n
  for (const transfer of transfersOf(items, ownAddresses)) {
    const decimals = assets.filter((asset) => isOf(transfer, asset)).map((asset) => asset.decimals)
    if (decimals.length === 0) continue
    // A transfer that does not name its chain counts once, at the largest of its values.
    added += method === "count" ? unit : transfer.amount * 10n ** BigInt(scale - Math.min(...decimals))
  }
  return added
}

function isOf(transfer: Transfer, asset: MeasuredAsset): boolean {
  if (transfer.family !== asset.family) return false
  if (transfer.reference !== undefined && transfer.reference !== asset.reference) return false
  return transfer.token === ANY_TOKEN ? asset.token !== NATIVE : transfer.token === asset.token
}

/** A transaction of several signers moves what each of them could: it counts in the bucket of each. */
function bucketIdsOf({ groupBy }: Control, request: CountedRequest): string[] {
  const { submitterId, holdings, signers } = request
  switch (groupBy) {
    case "organization":
      return [""]
    case "user":
      return [submitterId]
    case "wallet": {
      const all = signers.length === 0 ? [holdings()] : signers.map((signer) => holdings(signer))
      return [...new Set(all.map(({ wallet, privateKey }) => wallet?.id ?? privateKey?.id ?? ""))]
    }
    default:
      return groupBy satisfies never
  }
}

function holds({ operator, threshold }: Control, total: bigint): boolean {
  switch (operator) {
    case Operator.LESS_THAN:
      return total < threshold
    case Operator.LESS_THAN_OR_EQUAL:
      return total <= threshold
    case Operator.EQUAL:
      return total === threshold
    case Operator.GREATER_THAN_OR_EQUAL:
      return total >= threshold
    case Operator.GREATER_THAN:
      return total > threshold
    default:
      // No control is stored with another operator; false is what limits.
      return false
  }
}

/** True where a request's data count: it runs alone in its organization, and the ledger keeps what it adds. */
export function isCounted(readings: readonly ControlReading[] = []): boolean {
  return readings.some(({ added }) => added > 0n)
}

/** The largest total that is not over the threshold, or below it where it must not be reached; in units of 10^-scale. */
function mostAllowed({ operator, threshold }: Control): bigint {
  const isBelow = operator === Operator.LESS_THAN || operator === Operator.GREATER_THAN_OR_EQUAL
  return isBelow ? threshold - 1n : threshold
}

/** A reading over its threshold, and the Unix time in milliseconds at which the same request fits; undefined: never. */
export type Excess = { readonly reading: ControlReading; readonly freesAtMs: number | undefined }

/** Undefined: the request does not match, or stays within the threshold. */
export function excessOf(reading: ControlReading, nowMs: number): Excess | undefined {
  const { control, bucket, added, total } = reading
  const most = mostAllowed(control)
  if (added === 0n || total <= most) return undefined
  return { reading, freesAtMs: freesAtMs(control, bucket, most - added, nowMs) }
}

/** The excess as replies show it. */
export function writeExcess(excess: Excess): MessageInitShape<typeof ExceededVelocityControlSchema> {
  const { reading, freesAtMs: atMs } = excess
  const { control, total } = reading
  const { id: velocityControlId, identifier, name, threshold, thresholdText, scale } = control
  return {
    velocityControlId,
    identifier,
    name,
    threshold: thresholdText,
    total: decimalText(total, scale),
    exceededBy: decimalText(total - threshold, scale),
    freesAt: atMs === undefined ? "" : new Date(atMs).toISOString(),
  }
}

/** An integer in units of 10^-scale as a decimal number, without zeros at its end. */
function decimalText(value: bigint, scale: number): string {
  const digits = value.toString().padStart(scale + 1, "0")
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "")
  const whole = digits.slice(0, digits.length - scale)
  return fraction === "" ? whole : `${whole}.${fraction}`
}
