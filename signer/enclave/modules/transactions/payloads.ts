import type { HashFunction, PayloadEncoding } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { HashBudget } from "../../../core/payload/typed-data/budget.ts"
import { readPayload } from "../../keys/payload.ts"
import type { SigningKey } from "../../keys/signing-key.ts"
import { hashFunctionName, payloadEncodingName } from "../../keys/wire.ts"

export type PayloadParameters = { payload: string; encoding: PayloadEncoding; hashFunction: HashFunction }

/** Reads a payload of a signing request for the curve of its key. */
export function readPayloadFor(
  { payload, encoding, hashFunction }: PayloadParameters,
  { curve }: SigningKey,
  field: string,
  budget: HashBudget,
) {
  const names = { encoding: payloadEncodingName(encoding), hashFunction: hashFunctionName(hashFunction) }
  return readPayload({ payload, ...names, curve }, field, budget)
}
