import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { VelocityBucketSchema } from "../../../../proto/gen/countersign/state/v1/velocity_pb.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { controls } from "../../../core/modules/controls.ts"
import type { Bucket, ControlReading } from "../../../core/policy/controls.ts"
import type { Ledger, LedgerRow, RowName } from "../../ledger/ledger.ts"

// Counters of velocity controls: one row for each bucket with data, in the organization's rows. Only a request that runs
// alone in its organization writes them, in the transaction of its outcome.

/** Name of a bucket's row. The keys of one control's buckets begin alike, so that they are removed together. */
export function counterRow(controlId: string, bucketId: string): RowName {
  return { kind: "velocity", key: `${controlId}/${bucketId}` }
}

export function readBucket(
  ledger: Pick<Ledger, "row">,
  organizationId: string,
  controlId: string,
  bucketId: string,
): Bucket {
  const { kind, key } = counterRow(controlId, bucketId)
  const row = ledger.row(organizationId, kind, key)
  if (row === undefined) return []
  return fromBinary(VelocityBucketSchema, row).slots.map(({ number, sum }) => ({
    number,
    sum: sum.length === 0 ? 0n : BigInt(`0x${Buffer.from(sum).toString("hex")}`),
  }))
}

/**
 * The rows that count a request which ran. Controls and users that the request itself deleted are left out.
 * @param after the organization after the request
 */
export function countedRows(
  readings: readonly ControlReading[],
  after: Organization,
  nowMs: number,
): LedgerRow[] {
  if (readings.length === 0) return []
  const kept = new Set(after.document.velocityControls.map(({ velocityControlId }) => velocityControlId))
  return readings.flatMap(({ control, bucketId, bucket, added }) => {
    const isDeleted =
      !kept.has(control.id) || (control.groupBy === "user" && after.user(bucketId) === undefined)
    if (added === 0n || isDeleted) return []
    const slots = controls.withData(control, bucket, added, nowMs)
    const newest = slots.at(-1)
    const expiresMs = newest && controls.slotEndMs(control, newest)
    const value = toBinary(
      VelocityBucketSchema,
      create(VelocityBucketSchema, {
        slots: slots.map(({ number, sum }) => ({ number, sum: bytesOf(sum) })),
      }),
    )
    return [{ ...counterRow(control.id, bucketId), value, ...(expiresMs !== undefined && { expiresMs }) }]
  })
}

/** Big-endian, without leading zero bytes. */
function bytesOf(value: bigint): Uint8Array {
  const digits = value.toString(16)
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex")
}
