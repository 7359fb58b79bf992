// Interfaces as compilers and registries publish them: each function or instruction is usable whose own arguments can be read.
import { Interface } from "ethers"
import t from "tap"
import { readAbi } from "../../../../signer/core/contract-interface/abi.ts"
import { isUnreadable } from "../../../../signer/core/contract-interface/fault.ts"
import { readIdl } from "../../../../signer/core/contract-interface/idl.ts"
import { requireInterface } from "../../../../signer/core/contract-interface/index.ts"
import { ownVectors } from "../../../harness/vectors.ts"

type Published = {
  readonly name: string
  readonly interface: object
  readonly readable: readonly string[]
  readonly unreadable: readonly string[]
}
const { abis, idls } = ownVectors<{ abis: Published[]; idls: Published[] }>("interfaces")

const namesIn = <One extends object>(all: readonly One[], nameOf: (one: One) => string | undefined) => ({
  readable: all.filter((one) => !isUnreadable(one)).map(nameOf),
  unreadable: all.filter((one) => isUnreadable(one)).map(nameOf),
})

for (const { name, interface: abi, readable, unreadable } of abis) {
  t.test(`reads an ABI with ${name}`, async (t) => {
    const text = JSON.stringify(abi)
    requireInterface("ethereum", text, "field")
    const { functions, faults } = readAbi(text)
    t.same(
      namesIn([...functions.values()], (one) => one.signature),
      { readable, unreadable },
    )
    t.same(faults, [])
    // ethers leaves out a function for its outputs too.
    for (const signature of signaturesByEthers(text))
      t.ok(readable.includes(signature), `as ethers: ${signature}`)
  })
}

for (const { name, interface: idl, readable, unreadable } of idls) {
  t.test(`reads an IDL with ${name}`, async (t) => {
    const text = JSON.stringify(idl)
    requireInterface("solana", text, "field")
    const { instructions, faults } = readIdl(text)
    t.same(
      namesIn(instructions, (one) => one.name),
      { readable, unreadable },
    )
    t.same(faults, [])
  })
}

/** Signatures of the functions that ethers reads. It says on the console what it leaves out. */
function signaturesByEthers(text: string): string[] {
  const { log } = console
  console.log = () => {}
  try {
    return new Interface(text).fragments.flatMap((one) =>
      one.type === "function" ? [one.format("sighash")] : [],
    )
  } finally {
    console.log = log
  }
}
