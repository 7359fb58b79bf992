// Arguments of calls. The first byte selects a function, the others are the call's data.
import type { AbiParameter } from "viem"
import { type Argument, decodeCall } from "../../../signer/core/contract-interface/decode-call.ts"
import { functionOf } from "../../signer/core/contract-interface/call-judge.ts"
import type { Reader } from "../engine/reader.ts"
import { isFaultOf } from "./refusals.ts"

const tuple = (type: string, ...components: readonly AbiParameter[]): AbiParameter => ({
  name: "",
  type,
  components,
})
const one = (type: string): AbiParameter => ({ name: "", type })

/** The only parameter of each function. */
export const PARAMETERS: readonly AbiParameter[] = [
  ...["address", "uint256", "int8", "uint8", "bool", "string", "bytes", "bytes4"].map(one),
  ...["uint256[]", "bytes[]", "string[2]", "uint256[2][]"].map(one),
  tuple("tuple", one("address"), one("uint256")),
  tuple("tuple", one("string"), tuple("tuple[]", one("bytes"), one("bool[]"))),
  tuple("tuple[3]", one("uint8"), one("int16")),
  tuple("tuple[]"),
]
const functions = PARAMETERS.map((parameter) => functionOf([parameter]))

export const abiCall: Reader<Argument[]> = {
  read: (input) => decodeCall(functions[(input[0] ?? 0) % functions.length]!, input.subarray(1)),
  isRefusal: isFaultOf("call"),
}
