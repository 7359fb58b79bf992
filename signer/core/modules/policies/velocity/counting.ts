import type { MessageInitShape } from "@bufbuild/protobuf"
import type { ExceededVelocityControlSchema } from "../../../../../proto/gen/countersign/api/v1/errors_pb.ts"
import { VelocityControlAggregationOperator as Operator } from "../../../../../proto/gen/countersign/api/v1/velocity_pb.ts"
import { ethereumAddressOfKey } from "../../../address/ethereum-key.ts"
import type { Organization } from "../../../organization/organization.ts"
import type { RootReader } from "../../../policy/expression.ts"
import { partsOf, signersOf } from "../../../policy/facts/declared.ts"
import type { KeyFacts } from "../../../policy/facts/holdings.ts"
import type { Bucket, Control, ControlReading, Excess, MeasuredAsset } from "../../../policy/controls.ts"
import { once } from "../../../once.ts"
import type { FactsInput } from "../../../policy/facts/index.ts"
import { controlOf, kindOf, SIGNED_ELSEWHERE, WITHOUT_LIMIT } from "./control.ts"
import { refuse } from "../../../refusal.ts"
import { NATIVE } from "./assets.ts"
import { ANY_TOKEN, type Transfer } from "./transfer.ts"
import { COUNTED_ROOTS, transfersOf } from "./transfers.ts"
import { freesAtMs, liveSlots, sumOf } from "./window.ts"

/**
 * A request as velocity controls see it. Its wallet or key, or that of one of its signers, is looked up only where a control needs it.
 */
export type CountedRequest = Pick<FactsInput, "activity" | "parameters" | "holdings"> & {
  /** Facts that policies read, one reader for each item of a batch. */
  readonly items: readonly RootReader[]
  readonly submitterId: string
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
  return controlsOf(organization).some(({ data }) => data.assets !== undefined) ? COUNTED_ROOTS : []
}

/** The stored data of a bucket. */
export type BucketReader = (controlId: string, bucketId: string) => Bucket

/**
 * Every control of the organization with its value for the request, once for each bucket that the request counts in.
 * @throws VELOCITY_CONTROL_AMOUNT_UNKNOWN, and the refusals of `holdings`
 */
export function readControls(
  organization: Organization,
  request: CountedRequest,
  bucketOf: BucketReader,
  nowMs: number,
): ControlReading[] {
  return controlsOf(organization).flatMap((control) => {
    const { added, unknownBy } = additionOf(control, request)
    return bucketIdsOf(control, request).map((bucketId) => {
      const bucket = bucketOf(control.id, bucketId)
      const total = sumOf(liveSlots(control, bucket, nowMs)) + added
      return { control, bucketId, bucket, added, unknownBy, total, value: holds(control, total) }
    })
  })
}

type Addition = Pick<ControlReading, "added" | "unknownBy">

function additionOf(control: Control, request: CountedRequest): Addition {
  const { kinds, assets } = control.data
  const { activity, parameters } = request
  if (kinds !== undefined && !kinds.has(kindOf(activity))) return NOTHING
  if (assets === undefined)
    return { added: BigInt(partsOf(activity, parameters)) * unitOf(control), unknownBy: undefined }
  return activity.type === SIGNED_ELSEWHERE ? NOTHING : transfersAdded(control, assets, request)
}

const NOTHING: Addition = { added: 0n, unknownBy: undefined }

/** One transfer or activity, or one of an asset. */
function unitOf({ scale }: Control): bigint {
  return 10n ** BigInt(scale)
}

function transfersAdded(
  control: Control,
  assets: readonly MeasuredAsset[],
  { items, holdings }: CountedRequest,
): Addition {
  const ownAddresses = once(() => addressesOf(holdings().key))
  let { added, unknownBy } = NOTHING
  for (const transfer of transfersOf(items, ownAddresses)) {
    const decimals = assets.filter((asset) => isOf(transfer, asset)).map((asset) => asset.decimals)
    if (decimals.length === 0) continue
    if (transfer.amount === undefined) {
      requireCountable(control, transfer)
      unknownBy ??= transfer.by
      added += WITHOUT_LIMIT * unitOf(control)
      continue
    }
    // A transfer that does not name its chain counts once, at the largest of its values.
    const smallest = 10n ** BigInt(control.scale - Math.min(...decimals))
    added += control.method === "count" ? unitOf(control) : transfer.amount * smallest
  }
  return { added, unknownBy }
}

/** Addresses of a key. A key that Ethereum uses has its address there, whatever formats its account has. */
function addressesOf(key: KeyFacts | undefined): readonly string[] {
  if (key === undefined) return []
  const own = key.addresses.map(({ address }) => address)
  return key.curve === "CURVE_SECP256K1" ? [...own, ethereumAddressOfKey(key.publicKey)] : own
}

/** @throws VELOCITY_CONTROL_AMOUNT_UNKNOWN */
function requireCountable({ identifier, data }: Control, { by, token }: Transfer): void {
  if (!data.refusesUnknownAmounts) return
  const asset = token === ANY_TOKEN ? "a token" : token === NATIVE ? "the native currency" : token
  const sentence =
    `velocity control ${identifier} refuses ${by}, which may move any amount of ${asset}; ` +
    "use a function that states its amount, or have the control replaced"
  throw refuse("VELOCITY_CONTROL_AMOUNT_UNKNOWN", sentence, { field: "parameters" })
}

function isOf(transfer: Transfer, asset: MeasuredAsset): boolean {
  if (transfer.family !== asset.family) return false
  if (transfer.reference !== undefined && transfer.reference !== asset.reference) return false
  return transfer.token === ANY_TOKEN ? asset.token !== NATIVE : transfer.token === asset.token
}

/** A transaction of several signers moves what each of them could: it counts in the bucket of each. */
function bucketIdsOf({ groupBy }: Control, request: CountedRequest): string[] {
  const { activity, parameters, submitterId, holdings } = request
  switch (groupBy) {
    case "organization":
      return [""]
    case "user":
      return [submitterId]
    case "wallet": {
      const signers = signersOf(activity, parameters)
      const all = signers.length < 2 ? [holdings()] : signers.map((signer) => holdings(signer))
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

/** The largest total that is not over the threshold, or below it where it must not be reached; in units of 10^-scale. */
function mostAllowed({ operator, threshold }: Control): bigint {
  const isBelow = operator === Operator.LESS_THAN || operator === Operator.GREATER_THAN_OR_EQUAL
  return isBelow ? threshold - 1n : threshold
}

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
  const { control, total, unknownBy = "" } = reading
  const { id: velocityControlId, identifier, name, threshold, thresholdText, scale } = control
  const { data, method, windowMs, groupBy } = control
  return {
    velocityControlId,
    identifier,
    name,
    threshold: thresholdText,
    total: decimalText(total, scale),
    exceededBy: decimalText(total - threshold, scale),
    freesAt: atMs === undefined ? "" : new Date(atMs).toISOString(),
    unknownAmountBy: unknownBy,
    assets: (data.assets ?? []).map(assetName),
    isSum: method === "sum",
    windowSeconds: windowMs === undefined ? "" : String(windowMs / 1000),
    groupBy,
  }
}

function assetName({ family, reference, token }: MeasuredAsset): string {
  return token === NATIVE ? `${family}:${reference}` : `${family}:${reference}/${token}`
}

/** An integer in units of 10^-scale as a decimal number, without zeros at its end. */
function decimalText(value: bigint, scale: number): string {
  const digits = value.toString().padStart(scale + 1, "0")
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "")
  const whole = digits.slice(0, digits.length - scale)
  return fraction === "" ? whole : `${whole}.${fraction}`
}
