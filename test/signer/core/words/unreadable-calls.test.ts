// Calls that an uploaded interface names and cannot describe.
import { Keypair, Transaction, TransactionInstruction } from "@solana/web3.js"
import t from "tap"
import { toFunctionSelector } from "viem"
import { SmartContractInterfaceType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { interfacesForWords } from "../../../../signer/core/words/interfaces.ts"
import { factsOf, wordsOf } from "./reading.ts"

const VAULT = "0x5fbdb2315678afecb367f032d93f642f64180aa3"
const { ETHEREUM, SOLANA } = SmartContractInterfaceType
const [payer, program] = [1, 2].map((seed) => Keypair.fromSeed(new Uint8Array(32).fill(seed)).publicKey)

function callOf(abi: object[], data: string) {
  const context = interfacesForWords(
    [{ type: ETHEREUM, address: VAULT, text: JSON.stringify(abi) }],
    undefined,
  )
  return wordsOf("ETH_SEND_TRANSACTION", { from: VAULT, to: VAULT, caip2: "eip155:1", data }, context)
}

function instructionOf(instructions: object[], data: number[], types: object[] = []) {
  const text = JSON.stringify({ instructions, types })
  const context = interfacesForWords([{ type: SOLANA, address: program!.toBase58(), text }], undefined)
  const keys = [payer!, program!].map((pubkey) => ({ pubkey, isSigner: false, isWritable: false }))
  const one = new TransactionInstruction({ programId: program!, keys, data: Buffer.from(data) })
  const transaction = new Transaction({
    feePayer: payer!,
    blockhash: payer!.toBase58(),
    lastValidBlockHeight: 1,
  }).add(one)
  const bytes = transaction.serialize({ requireAllSignatures: false, verifySignatures: false })
  const unsignedTransaction = bytes.toString("hex")
  return wordsOf(
    "SOL_SEND_TRANSACTION",
    { unsignedTransaction, signWith: payer!.toBase58(), caip2: "solana:mainnet" },
    context,
  )
}

const instruction = (name: string, discriminator: number[], args: object[], accounts: object[] = []) => ({
  name,
  discriminator,
  args,
  accounts,
})

t.test("W34: a call whose arguments cannot be read is named, with a warning", async (t) => {
  const set = { name: "set", inputs: [{ name: "side", type: "Book.Side" }] }
  const data = `${toFunctionSelector("set(Book.Side)")}${"00".repeat(32)}`
  const words = callOf([set], data)
  t.match(words.sentence, /Call set, whose arguments cannot be read \(0x[0-9a-f]{8}, 36 bytes\), of 0x5FbDB/)
  t.match(words.contents[0]?.warnings, [
    /^The arguments of "set\(Book\.Side\)" cannot be read by an interface .*Nobody/,
  ])
  t.match(factsOf(words), { "Call data": data, Function: undefined })
  const hostile = callOf([{ name: "set", inputs: [{ name: "a", type: 'x") is harmless' }] }], data)
  t.match(hostile.contents[0]?.warnings, [/Nobody can see what this call does/])
})

t.test(
  "W34: a call by a function whose selector tokens use for another one is shown with both",
  async (t) => {
    // Found by trial, and listed in public registries of selectors.
    const inputs = ["fee", "day"].map((name) => ({ name, type: "uint256" }))
    const selector = toFunctionSelector("transfer(address,uint256)")
    t.equal(toFunctionSelector("workMyDirefulOwner(uint256,uint256)"), selector)
    const data = `${selector}${"22".repeat(20).padStart(64, "0")}${"7".padStart(64, "0")}`
    const disguised = callOf([{ name: "workMyDirefulOwner", inputs }], data)
    t.match(disguised.sentence, "Call workMyDirefulOwner(uint256,uint256) of")
    t.same(disguised.contents[0]?.warnings, [
      "Tokens have transfer(address,uint256) with the same selector: the contract may run that instead.",
    ])
    const [to, amount] = [
      { name: "to", type: "address" },
      { name: "amount", type: "uint256" },
    ]
    t.same(callOf([{ name: "transfer", inputs: [to, amount] }], data).contents[0]?.warnings, [])
  },
)

t.test("W34: a call that could mean several functions has the name of none", async (t) => {
  const inputs = (type: string) => [{ name: "a", type }]
  const both = [
    { name: "burn", inputs: inputs("uint256") },
    { name: "collate_propagate_storage", inputs: inputs("bytes16") },
  ]
  const words = callOf(both, `0x42966c68${"00".repeat(32)}`)
  t.match(
    words.sentence,
    /Call one of several functions, whose arguments cannot be read \(0x42966c68, 36 bytes\)/,
  )
  t.match(words.contents[0]?.warnings, [/burn\(uint256\) or collate_propagate_storage\(bytes16\)/])
  const twice = [instruction("pay", [1], []), instruction("drain", [1, 1], [])]
  const read = instructionOf(twice, [1, 1])
  t.match(read.sentence, /call one of several instructions, whose arguments cannot be read, of program/i)
  t.match(read.contents[0]?.warnings, [/share a prefix: \\"pay\\" and \\"drain\\"/])
})

t.test("W34: an instruction whose arguments cannot be read is named, with a warning", async (t) => {
  const configure = instruction("configure", [1], [{ name: "weights", type: { hashMap: ["u8", "u8"] } }])
  const words = instructionOf([configure], [1, 9])
  t.match(words.sentence, /call "configure", whose arguments cannot be read, of program/i)
  t.match(words.contents[0]?.warnings, [
    /^The arguments of "configure" cannot be read .*hashMap.*Nobody can see/,
  ])
  t.match(factsOf(words), { "Instruction 1 › Data": "0109" })
})

t.test("W34: an omitted trailing option is absent, and accounts of one name are distinguished", async (t) => {
  const owner = (name: string) => ({ name, accounts: [{ name: "owner" }] })
  const buy = instruction(
    "buy",
    [1],
    [
      { name: "amount", type: "u8" },
      { name: "track", type: { defined: "OptionBool" } },
    ],
    [owner("from"), owner("to")],
  )
  const types = [{ name: "OptionBool", type: { kind: "struct", fields: ["bool"] } }]
  const words = instructionOf([buy], [1, 7], types)
  t.match(factsOf(words), {
    "Instruction 1 › Argument amount": "7",
    "Instruction 1 › Argument track": "absent",
    'Instruction 1 › Account "from.owner"': payer!.toBase58(),
    'Instruction 1 › Account "to.owner"': program!.toBase58(),
  })
  t.same(words.contents[0]?.warnings, [])
})

t.test("W34: names of an interface cannot be mistaken for other words", async (t) => {
  const name = "amount: 5\nArgument to"
  const data = `${toFunctionSelector("f(uint8)")}${"07".padStart(64, "0")}`
  const call = factsOf(callOf([{ name: "f", inputs: [{ name, type: "uint8" }] }], data))
  t.equal(call[`Argument ${JSON.stringify(name)}`], "7")
  const read = factsOf(instructionOf([instruction("f", [1], [{ name, type: "u8" }], [{ name }])], [1, 7]))
  t.equal(read[`Instruction 1 › Argument ${JSON.stringify(name)}`], "7")
  t.equal(read[`Instruction 1 › Account ${JSON.stringify(name)}`], payer!.toBase58())
})

t.test("W34: approvers of an interface see which functions it cannot describe", async (t) => {
  const uploaded = (type: string, smartContractInterface: string) =>
    factsOf(
      wordsOf("CREATE_SMART_CONTRACT_INTERFACE", {
        smartContractAddress: VAULT,
        smartContractInterface,
        type: `SMART_CONTRACT_INTERFACE_TYPE_${type}`,
        label: "market",
      }),
    )["Functions"]
  const abi = [
    { name: "pay", inputs: [{ name: "to", type: "address" }] },
    { name: "set", inputs: [{ name: "side", type: "Book.Side" }] },
    { name: 5 },
  ]
  t.match(uploaded("ETHEREUM", JSON.stringify(abi)), [
    /^pay\(address\) 0x[0-9a-f]{8}$/,
    /^"set\(Book\.Side\)" 0x[0-9a-f]{8}: its arguments cannot be read \(.*Book\.Side/,
    /^no function: "\[2\]\.name must be a string"$/,
  ])
  const inputs = [{ type: "uint256" }, { type: "uint256" }]
  t.same(uploaded("ETHEREUM", JSON.stringify([{ name: "workMyDirefulOwner", inputs }])), [
    "workMyDirefulOwner(uint256,uint256) 0xa9059cbb: tokens have transfer(address,uint256) with this selector",
  ])
  const instructions = [
    instruction("pay", [1], []),
    instruction("set", [2], [{ name: "a", type: "u9" }]),
    { name: "odd", discriminator: [] },
  ]
  t.match(uploaded("SOLANA", JSON.stringify({ instructions })), [
    /^"pay"$/,
    /^"set": its arguments cannot be read \(.*u9/,
    /^no instruction: "instructions\[2\]\.discriminator must be/,
  ])
})
