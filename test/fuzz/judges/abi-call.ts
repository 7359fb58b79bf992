// ethers.
import { AbiCoder, ParamType } from "ethers"
import type { Argument } from "../../../signer/core/contract-interface/decode-call.ts"
import { shape } from "../../signer/core/contract-interface/call-judge.ts"
import { type Judge, requireSame } from "../engine/reader.ts"
import { PARAMETERS } from "../readers/abi-call.ts"

const ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
/** A value of each parameter. */
const VALUES: readonly unknown[] = [
  ADDRESS,
  2n ** 255n,
  -5,
  255,
  true,
  "text é",
  "0xabcdef",
  "0xa9059cbb",
  [1n, 2n],
  ["0xab", "0x"],
  ["a", "b"],
  [[1n, 2n]],
  [ADDRESS, 7n],
  ["a", [["0xab", [true, false]]]],
  [
    [1, -2],
    [3, 4],
    [5, -6],
  ],
  [[], []],
]
const TYPES = PARAMETERS.map((parameter) => ParamType.from(parameter))
const coder = AbiCoder.defaultAbiCoder()

export const judge: Judge<Argument[]> = {
  seeds: () =>
    TYPES.map((type, index) =>
      Buffer.concat([Buffer.of(index), Buffer.from(coder.encode([type], [VALUES[index]]).slice(2), "hex")]),
    ),
  judge(input, outcome) {
    if ("refusal" in outcome) return
    const type = TYPES[(input[0] ?? 0) % TYPES.length]!
    // ethers refuses lists whose items have no bytes, if they are longer than the data.
    if (type.format("sighash") === "()[]") return
    const theirs = coder.decode([type], input.subarray(1), true).toArray(true)
    requireSame(shape(outcome.value), shape(theirs), "ethers")
  },
}
