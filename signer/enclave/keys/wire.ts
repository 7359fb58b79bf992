import {
  type AddressFormat,
  AddressFormatSchema,
  type Curve as WireCurve,
  CurveSchema,
  type HashFunction,
  HashFunctionSchema,
  type PayloadEncoding,
  PayloadEncodingSchema,
} from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { Curve } from "../../core/crypto/curve.ts"

// Messages carry enums as numbers, this room goes by names. Only here is one turned into the other. A number
// without a name becomes a name nobody knows, which the reader of the name then refuses.

/** @throws {Refusal} REQUEST_INVALID for a curve that no key can have */
export function curveName(value: WireCurve, field?: string): Curve {
  const name = nameIn(CurveSchema, value)
  if (name === "CURVE_SECP256K1" || name === "CURVE_ED25519" || name === "CURVE_P256") return name
  throw refuse("REQUEST_INVALID", "invalid curve", field === undefined ? {} : { field })
}

export const addressFormatName = (value: AddressFormat): string => nameIn(AddressFormatSchema, value)

export const payloadEncodingName = (value: PayloadEncoding): string => nameIn(PayloadEncodingSchema, value)

export const hashFunctionName = (value: HashFunction): string => nameIn(HashFunctionSchema, value)

function nameIn(schema: { value: Record<number, { name: string }> }, value: number): string {
  return schema.value[value]?.name ?? "UNKNOWN"
}
