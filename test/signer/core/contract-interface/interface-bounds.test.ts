import t from "tap"
import { requireInterface } from "../../../../signer/core/contract-interface/index.ts"
import { refusalOf } from "../../enclave/keys/tools.ts"

const FIELD = "parameters.smartContractInterface"

t.test("an interface has at most a thousand functions", async (t) => {
  const abi = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, index) => ({ name: `f${index}`, inputs: [] })))
  const idl = (count: number) => {
    const instructions = Array.from({ length: count }, (_, index) => ({
      name: `f${index}`,
      accounts: [],
      args: [],
    }))
    return JSON.stringify({ types: [], instructions })
  }
  for (const [chain, text] of [
    ["ethereum", abi],
    ["solana", idl],
  ] as const) {
    t.equal(
      refusalOf(() => requireInterface(chain, text(1000), FIELD)),
      undefined,
    )
    const refusal = refusalOf(() => requireInterface(chain, text(1001), FIELD))
    t.match(refusal, { code: "INTERFACE_INVALID", message: /has 1001 functions and may have 1000/ }, chain)
  }
})
