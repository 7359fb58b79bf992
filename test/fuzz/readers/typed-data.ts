// Typed data (EIP-712): one digest, or refused.
import { hashTypedData } from "../../../signer/core/payload/typed-data/hash.ts"
import type { Reader } from "../engine/reader.ts"
import { json } from "../formats/json.ts"
import { isFaultOf } from "./refusals.ts"

export const typedData: Reader<Uint8Array> = {
  format: json,
  maxLength: 8_192,
  read: (input) => hashTypedData(input.toString()),
  isRefusal: isFaultOf("payload"),
}
