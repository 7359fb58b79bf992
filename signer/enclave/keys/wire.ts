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

// Translates enums of messages, which are numbers, into the names that this folder uses. A number without a name
// becomes UNKNOWN, which the reader of the name refuses.

/** @throws REQUEST_INVALID for any other curve */
export function curveName(value: WireCurve, field?: string): Curve {
  const name = nameIn(CurveSchema, value)
  if (name === "CURVE_SECP256K1" || name === "CURVE_ED25519" || name === "CURVE_P256") return name
  const sentence = `unknown curve ${name}; use CURVE_SECP256K1, CURVE_P256 or CURVE_ED25519`
  throw refuse("REQUEST_INVALID", sentence, field === undefined ? {} : { field })
}

export const addressFormatName = (value: AddressFormat): string => nameIn(AddressFormatSchema, value)

export const payloadEncodingName = (value: PayloadEncoding): string => nameIn(PayloadEncodingSchema, value)

export const hashFunctionName = (value: HashFunction): string => nameIn(HashFunctionSchema, value)

function nameIn(schema: { value: Record<number, { name: string }> }, value: number): string {
  return schema.value[value]?.name ?? "UNKNOWN"
}
