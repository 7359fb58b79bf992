import { readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { type Abi, encodeErrorResult } from "viem"
import { revertEntry } from "../../../../services/api/resources/reverts.ts"

const { abi } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../vectors/contracts/Reverts.json"), "utf8"),
) as { abi: Abi }
const ABIS = [JSON.stringify(abi)]
const AT = `0x${"ab".repeat(20)}`
const WHO = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
const SOLIDITY = [
  { type: "error", name: "Error", inputs: [{ name: "", type: "string" }] },
  { type: "error", name: "Panic", inputs: [{ name: "", type: "uint256" }] },
] as const

t.test("a text, a panic and an empty revert are native", async (t) => {
  const text = encodeErrorResult({ abi: SOLIDITY, errorName: "Error", args: ["not today"] })
  t.match(revertEntry(AT, text, []), {
    address: AT,
    errorType: "native",
    displayMessage: "reverted: not today",
    native: { nativeType: "error_string", message: "not today" },
  })
  const panic = encodeErrorResult({ abi: SOLIDITY, errorName: "Panic", args: [0x12n] })
  t.match(revertEntry(AT, panic, []), {
    errorType: "native",
    displayMessage: "panic 0x12: division or modulo by zero",
    native: { nativeType: "panic", panicCode: "18" },
  })
  t.match(revertEntry(AT, "0x", []), { errorType: "native", native: { nativeType: "execution_reverted" } })
})

t.test("an error of the organization's interface has its name and arguments", async (t) => {
  const data = encodeErrorResult({ abi, errorName: "LimitExceeded", args: [2n ** 200n, 7n, WHO] })
  t.match(revertEntry(AT, data, ABIS), {
    errorType: "custom",
    custom: {
      errorName: "LimitExceeded",
      paramsJson: JSON.stringify({ wanted: String(2n ** 200n), allowed: "7", who: WHO.toLowerCase() }),
    },
  })
  t.match(revertEntry(AT, data, []), { errorType: "unknown", unknown: { selector: data.slice(0, 10), data } })
})

t.test("data that fits nothing stays unknown, and breaks nothing", async (t) => {
  const data = encodeErrorResult({ abi, errorName: "LimitExceeded", args: [1n, 7n, WHO] })
  for (const cut of ["0x08c379a0", "0x4e487b71ff", data.slice(0, 80), "0x12"])
    t.equal(revertEntry(AT, cut, ABIS).errorType, "unknown", cut)
  t.equal(revertEntry(AT, data, ['{"no":"list"}', '[{"type":"error"}, null, 7]']).errorType, "unknown")
})
