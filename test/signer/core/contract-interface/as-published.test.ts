// Interfaces as compilers and registries publish them: each function or instruction is usable whose own arguments can be read.
import { Interface } from "ethers"
import t from "tap"
import { readAbi } from "../../../../signer/core/contract-interface/abi.ts"
import {
  decodeInstruction,
  instructionOf,
} from "../../../../signer/core/contract-interface/decode-instruction.ts"
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

t.test("a published instruction is described without its trailing option, which is absent", async (t) => {
  const { interface: published } = idls.find(({ readable }) => readable.includes("buy"))!
  const idl = readIdl(JSON.stringify(published))
  const numbers = Buffer.alloc(16)
  numbers.writeBigUInt64LE(7n)
  numbers.writeBigUInt64LE(9n, 8)
  const begin = Buffer.from([102, 6, 61, 18, 1, 218, 235, 234])
  const read = (...rest: number[]) => {
    const data = Buffer.concat([begin, numbers, Buffer.from(rest)])
    const called = instructionOf(idl, data)
    if (called === undefined || isUnreadable(called)) throw new Error("no instruction that can be read")
    return Object.fromEntries(decodeInstruction(called, idl, data))
  }
  t.strictSame(read(), { base_out: 7n, max_quote_in: 9n, track_volume: undefined })
  t.strictSame(read(1), { base_out: 7n, max_quote_in: 9n, track_volume: new Map([["0", true]]) })
})

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
