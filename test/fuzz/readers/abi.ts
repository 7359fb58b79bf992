// Interfaces of contracts.
import { type Abi, readAbi } from "../../../signer/core/contract-interface/abi.ts"
import type { Reader } from "../engine/reader.ts"
import { json } from "../formats/json.ts"
import { isFaultOf } from "./refusals.ts"

export const abi: Reader<Abi> = {
  format: json,
  read: (input) => readAbi(input.toString()),
  isRefusal: isFaultOf("interface"),
}
