import t from "tap"
import { type AbiFunction, toFunctionSelector } from "viem"
import { readContract } from "../../harness/contracts.ts"
import { compileContracts } from "./compile.ts"

t.test("the contracts that tests deploy are compiled from the sources beside them", (t) => {
  const compiled = compileContracts()
  t.same(Object.keys(compiled).toSorted(), ["GasDelegate", "GasStation", "Reverts"])
  for (const [name, contract] of Object.entries(compiled)) t.same(readContract(name), contract, name)
  t.end()
})

t.test("functions and errors of the gas station have the selectors of the published contracts", (t) => {
  const selectors = (name: string) =>
    Object.fromEntries(
      readContract(name)
        .abi.filter(({ type }) => type === "function" || type === "error")
        .map((item) => ({ ...item, type: "function" }) as AbiFunction)
        .map((item) => [item.name, toFunctionSelector(item)]),
    )
  t.match(selectors("GasStation"), {
    execute: "0x9aefaff8",
    executeBatch: "0x3f67163e",
    getNonce: "0x2d0335ab",
    isDelegated: "0x3e28391d",
    NotDelegated: "0x9ccd6d76",
  })
  t.match(selectors("GasDelegate"), {
    nonce: "0xaffed0e0",
    execute: "0xb61d27f6",
    executeBatch: "0x5885bbcf",
    eip712Domain: "0x84b0196e",
    BatchSizeInvalid: "0xde21ae18",
    DeadlineExceeded: "0x559895a3",
    InvalidNonce: "0x756688fe",
    NotSelf: "0x29c3b7ee",
    ExecutionFailed: "0xacfdb444",
  })
  t.end()
})
