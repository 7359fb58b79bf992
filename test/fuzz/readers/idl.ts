// Interfaces of Solana programs, and arguments of instructions.
import {
  decodeInstruction,
  instructionOf,
} from "../../../signer/core/contract-interface/decode-instruction.ts"
import { isUnreadable } from "../../../signer/core/contract-interface/fault.ts"
import { type Idl, readIdl } from "../../../signer/core/contract-interface/idl.ts"
import { ownVectors } from "../../harness/vectors.ts"
import type { Reader } from "../engine/reader.ts"
import { json } from "../formats/json.ts"
import { isFaultOf } from "./refusals.ts"

/** Types of one argument; judges/instruction.ts has a codec for each. */
const TYPES: readonly unknown[] = [
  "bool",
  "i64",
  "u128",
  "f64",
  "string",
  "bytes",
  "publicKey",
  { vec: "u16" },
  { array: ["u8", 3] },
  { option: "i64" },
  { vec: { defined: "Pair" } },
  { vec: { option: { vec: "bool" } } },
]

const PAIR = {
  name: "Pair",
  type: {
    kind: "struct",
    fields: [
      { name: "a", type: "u16" },
      { name: "b", type: "string" },
    ],
  },
}
export const IDL = {
  instructions: TYPES.map((type, index) => ({
    name: `f${index}`,
    discriminator: [index],
    accounts: [],
    args: [{ name: "x", type }],
  })),
  types: [PAIR],
}
const known = readIdl(JSON.stringify(IDL))

export const idl: Reader<Idl> = {
  format: json,
  seeds: () => [
    JSON.stringify(IDL),
    ...(ownVectors<{ idls: { interface: object }[] }>("interfaces").idls ?? []).map((one) =>
      JSON.stringify(one.interface),
    ),
    '{"instructions":[{"name":"a","accounts":[{"name":"x","isMut":true,"isSigner":false},{"name":"y","accounts":[]}],"args":[{"name":"e","type":{"defined":{"name":"E"}}}],"discriminant":{"type":"u8","value":3}}],"types":[{"name":"E","type":{"kind":"enum","variants":[{"name":"A"},{"name":"B","fields":["u8",{"name":"q","type":"string"}]},{"name":"C","fields":[{"name":"q","type":{"option":{"defined":"F"}}}]}]}},{"name":"F","type":{"kind":"type","alias":"u64"}}]}',
  ],
  read: (input) => readIdl(input.toString()),
  isRefusal: isFaultOf("interface"),
}

/** The first byte is the discriminator. */
export const instruction: Reader = {
  read(input) {
    const one = instructionOf(known, input)
    if (one === undefined || isUnreadable(one)) return undefined
    return decodeInstruction(one, known, input).get("x")
  },
  isRefusal: isFaultOf("call"),
}
