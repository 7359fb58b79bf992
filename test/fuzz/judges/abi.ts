// ethers: selectors of the functions that are read.
import { FunctionFragment } from "ethers"
import { type Abi, readableFunctions } from "../../../signer/core/contract-interface/abi.ts"
import { ownVectors } from "../../harness/vectors.ts"
import { type Judge, requireSame } from "../engine/reader.ts"

export const judge: Judge<Abi> = {
  seeds: () => [
    ...ownVectors<{ abis: { interface: object }[] }>("interfaces").abis.map((one) =>
      JSON.stringify(one.interface),
    ),
    '[{"type":"function","name":"f","inputs":[{"name":"a","type":"tuple[2][]","components":[{"name":"b","type":"uint"},{"type":"bytes4"}]}]}]',
    '[{"name":"g","inputs":[{"name":"x","type":"fixed128x18"},{"type":"int[3]"},{"type":"address"},{"type":"function"}]}]',
  ],
  judge(input, outcome) {
    if ("refusal" in outcome) return
    const items = (JSON.parse(input.toString()) as unknown[]).map((item) => fragmentOf(item))
    for (const [selector, { name, inputs }] of readableFunctions(outcome.value)) {
      const others = items.filter((one) => one !== undefined && one.name === name)
      // ethers has no type of fixed point, and takes fewer names.
      if (others.length === 0 || others.length !== items.length) continue
      const isSame = others.some(
        (one) => one?.selector === `0x${selector}` && one.inputs.length === inputs.length,
      )
      requireSame(isSame, true, `the selector of ${name}`)
    }
  },
}

function fragmentOf(item: unknown): FunctionFragment | undefined {
  try {
    return FunctionFragment.from({ type: "function", outputs: [], ...(item as object) })
  } catch {
    return undefined
  }
}
