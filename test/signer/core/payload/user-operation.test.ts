// User operations of ERC-4337: viem hashes them, and encodes the calls of common accounts.
import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import t from "tap"
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  parseAbi,
  parseAbiParameters,
  toHex,
} from "viem"
import {
  getUserOperationHash,
  getUserOperationTypedData,
  type UserOperation as Judged,
} from "viem/account-abstraction"
import { HashBudget } from "../../../../signer/core/payload/typed-data/budget.ts"
import { hashTypedData } from "../../../../signer/core/payload/typed-data/hash.ts"
import { readTypedData } from "../../../../signer/core/payload/typed-data/read.ts"
import { executedCalls } from "../../../../signer/core/contract-interface/account-calls.ts"
import { userOperationHash } from "../../../../signer/core/payload/user-operation/hash.ts"
import { paymasterOf } from "../../../../signer/core/payload/user-operation/paymaster.ts"
import { userOperationOf } from "../../../../signer/core/payload/user-operation/typed-data.ts"
import { readUserOperation } from "../../../../signer/core/payload/user-operation/user-operation.ts"

const address = fc.stringMatching(/^[0-9a-f]{40}$/).map((digits): Hex => `0x${digits}`)
const bytes = fc.uint8Array({ maxLength: 120 }).map((one): Hex => toHex(one))
const uint = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })
const chainId = fc.integer({ min: 1, max: 2 ** 40 })
const common = (bits: number) => ({
  sender: address,
  nonce: uint(256),
  callData: bytes,
  callGasLimit: uint(bits),
  verificationGasLimit: uint(bits),
  preVerificationGas: uint(256),
  maxFeePerGas: uint(bits),
  maxPriorityFeePerGas: uint(bits),
  signature: fc.constant("0x" as const),
})
const operation06 = fc.record({
  ...common(256),
  initCode: fc.oneof(fc.constant("0x" as const), fc.tuple(address, bytes).map(concat)),
  paymasterAndData: fc.oneof(fc.constant("0x" as const), fc.tuple(address, bytes).map(concat)),
})
const operation07 = fc
  .record({
    ...common(128),
    deployment: fc.oneof(fc.constant({}), fc.record({ factory: address, factoryData: bytes })),
    paying: fc.oneof(
      fc.constant({}),
      fc.record({
        paymaster: address,
        paymasterData: bytes,
        paymasterVerificationGasLimit: uint(128),
        paymasterPostOpGasLimit: uint(128),
      }),
    ),
  })
  .map(({ deployment, paying, ...rest }) => ({ ...rest, ...deployment, ...paying }))

const bigints = (_name: string, value: unknown) => (typeof value === "bigint" ? toHex(value) : value)
const textOf = (parameters: object) => JSON.stringify(parameters, bigints)
const hexOf = (hash: Uint8Array): Hex => `0x${Buffer.from(hash).toString("hex")}`

t.test("C-1819: the hash of each version is viem's", async () => {
  for (const [entryPointVersion, operation] of [
    ["0.6", operation06],
    ["0.7", operation07],
    ["0.8", operation07],
  ] as const)
    fc.assert(
      fc.property(chainId, address, operation, (chain, entryPointAddress, userOperation) => {
        const given = { chainId: chain, entryPointAddress, entryPointVersion, userOperation }
        const theirs = getUserOperationHash(given as unknown as Parameters<typeof getUserOperationHash>[0])
        const ours = hexOf(userOperationHash(readUserOperation(textOf(given))))
        if (ours !== theirs) throw new Error(`${ours} is not ${theirs}`)
      }),
      { numRuns: 60 },
    )
})

t.test("typed data of version 0.8 are the same operation, and have the same hash", async () => {
  fc.assert(
    fc.property(chainId, address, operation07, (chain, entryPointAddress, one) => {
      const userOperation = one as Judged<"0.8">
      const typed = textOf(getUserOperationTypedData({ chainId: chain, entryPointAddress, userOperation }))
      const read = userOperationOf(readTypedData(typed, new HashBudget()))
      const given = { chainId: chain, entryPointAddress, entryPointVersion: "0.8", userOperation }
      if (!isDeepStrictEqual(read, readUserOperation(textOf(given)))) throw new Error(textOf(read ?? {}))
      const hash = hexOf(hashTypedData(typed))
      if (hash !== hexOf(userOperationHash(read!))) throw new Error(`${hash} is another hash`)
    }),
    { numRuns: 60 },
  )
})

const SENDER = `0x${"11".repeat(20)}` as const
const OTHER = `0x${"22".repeat(20)}` as const
const ENTRY_POINT = "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108"
const plain = {
  sender: SENDER,
  nonce: 5n,
  callData: "0x",
  callGasLimit: 1n,
  verificationGasLimit: 2n,
  preVerificationGas: 3n,
  maxFeePerGas: 4n,
  maxPriorityFeePerGas: 1n,
  signature: "0x",
} as const
const given = (userOperation: object, entryPointVersion = "0.8") =>
  textOf({ chainId: 1, entryPointAddress: ENTRY_POINT, entryPointVersion, userOperation })

t.test("typed data that are no user operation of the standard are none", async (t) => {
  const typed = getUserOperationTypedData({
    chainId: 1,
    entryPointAddress: ENTRY_POINT,
    userOperation: plain,
  })
  const read = (whole: object) => userOperationOf(readTypedData(textOf(whole), new HashBudget()))
  t.ok(read(typed))
  const { PackedUserOperation } = typed.types
  const more = [...PackedUserOperation, { name: "note", type: "bytes" }]
  for (const changed of [
    { domain: { ...typed.domain, name: "ERC4338" } },
    { domain: { ...typed.domain, version: "2" } },
    { domain: { name: "ERC4337", version: "1", chainId: 1 } },
    { domain: { ...typed.domain, salt: `0x${"00".repeat(32)}` } },
    { types: { PackedUserOperation: PackedUserOperation.toReversed() } },
    { types: { PackedUserOperation: more }, message: { ...typed.message, note: "0x" } },
    { types: { Other: PackedUserOperation }, primaryType: "Other" },
  ])
    t.equal(read({ ...typed, ...changed }), undefined, textOf(changed).slice(0, 80))
})

t.test("a delegated account (EIP-7702) has its delegate where a factory is", async (t) => {
  const authorization = { address: OTHER, chainId: 1, nonce: 0 }
  for (const factory of ["0x7702", `0x7702${"00".repeat(18)}`]) {
    const operation = { ...plain, factory, factoryData: "0xabcd", authorization } as unknown as Judged<"0.8">
    const { authorization: own, ...read } = operation
    const text = given({ ...read, authorization: own })
    t.equal(readUserOperation(text).initCode, `${OTHER}abcd`)
    const theirs = getUserOperationHash({
      chainId: 1,
      entryPointAddress: ENTRY_POINT,
      entryPointVersion: "0.8",
      userOperation: operation,
    })
    t.equal(hexOf(userOperationHash(readUserOperation(text))), theirs)
    t.throws(() => readUserOperation(given(operation, "0.7")), { message: /other members/ })
    const without = given({ ...plain, factory }, "0.7")
    t.throws(() => readUserOperation(without), { message: /from version 0.8 on/ })
  }
  const alone = given({ ...plain, factory: "0x7702" })
  t.throws(() => readUserOperation(alone), { message: /userOperation.authorization is no object/ })
})

t.test("what does not fit is refused, by its name", async (t) => {
  const paymaster = { paymaster: OTHER, paymasterVerificationGasLimit: 1n, paymasterPostOpGasLimit: 2n }
  t.ok(readUserOperation(given({ ...plain, ...paymaster, paymasterData: null, factory: null })))
  for (const [text, reason] of [
    ["[]", /the payload is no object/],
    ["{}", /entryPointVersion is not "0.6", "0.7" or "0.8"/],
    [given(plain, "0.9"), /entryPointVersion is not/],
    [given({ ...plain, sender: "0x11" }), /sender is no Ethereum address/],
    [given({ ...plain, nonce: -1 }), /nonce is no integer/],
    [given({ ...plain, callGasLimit: 2n ** 128n }), /callGasLimit is no integer of 0 to/],
    [given({ ...plain, callData: "0xabc" }), /callData is not 0x and pairs/],
    [given({ ...plain, initCode: "0x" }), /other members than sender/],
    [given({ ...plain, factoryData: "0x00" }), /has factoryData and no factory/],
    [given({ ...plain, paymasterData: "0x00" }), /has paymasterData and no paymaster/],
    [given({ ...plain, paymasterPostOpGasLimit: 1n }), /has paymasterPostOpGasLimit and no paymaster/],
    [given({ ...plain, paymaster: OTHER }), /paymasterVerificationGasLimit is no integer/],
    [given({ ...plain, initCode: "0x", paymasterAndData: "0x1234" }, "0.6"), /shorter than an address/],
    [given(plain, "0.6"), /initCode is not 0x/],
  ] as const)
    t.throws(() => readUserOperation(text), { kind: "payload", message: reason }, String(reason))
})

t.test("the paymaster of each version is found", async (t) => {
  const paid = {
    paymaster: OTHER,
    paymasterVerificationGasLimit: 7n,
    paymasterPostOpGasLimit: 8n,
    paymasterData: "0xabcd",
  }
  const expected = { address: OTHER, data: "0xabcd" }
  t.same(paymasterOf(readUserOperation(given({ ...plain, ...paid }))), { ...expected, gas: 15n })
  const older = { ...plain, initCode: "0x", paymasterAndData: `${OTHER}abcd` }
  t.same(paymasterOf(readUserOperation(given(older, "0.6"))), { ...expected, gas: 0n })
  t.equal(paymasterOf(readUserOperation(given(plain))), undefined)
})

const abi = parseAbi([
  "struct Call { address to; uint256 value; bytes data; }",
  "function execute(address to, uint256 value, bytes data)",
  "function executeBatch(Call[] calls)",
  "function executeBatch(address[] to, uint256[] value, bytes[] data)",
  "function executeBatch(address[] to, bytes[] data)",
  "function execute(bytes32 mode, bytes data)",
  "function executeUserOp(address to, uint256 value, bytes data, uint8 operation)",
  "function execute_ncC(address to, uint256 value, bytes data)",
  "function executeBatch_y6U(address[] to, uint256[] value, bytes[] data)",
  "function mint(address to)",
])
type Encoded = Parameters<typeof encodeFunctionData<typeof abi>>[0]
const encode = (functionName: string, ...args: readonly unknown[]) =>
  encodeFunctionData({ abi, functionName, args } as Encoded)
const [first, second] = [
  { to: OTHER, value: 5n, data: "0xabcd" },
  { to: SENDER, value: 0n, data: "0x" },
] as const
const batch = [first, second]
const [to, value, data] = [
  batch.map((one) => one.to),
  batch.map((one) => one.value),
  batch.map((one) => one.data),
]
const packed = encodePacked(["address", "uint256", "bytes"], [first.to, first.value, first.data])
const several = encodeAbiParameters(parseAbiParameters("(address to, uint256 value, bytes data)[]"), [batch])
const mode = (digits: string) => `0x${digits.padEnd(64, "0")}` as const

t.test("C-1819: the calls of common accounts are read as viem encoded them", async (t) => {
  const free = batch.map((one) => ({ ...one, value: 0n }))
  for (const [about, callData, calls] of [
    ["no call", "0x", []],
    ["execute", encode("execute", first.to, first.value, first.data), [first]],
    ["executeBatch of structs", encode("executeBatch", batch), batch],
    ["executeBatch of three lists", encode("executeBatch", to, value, data), batch],
    ["executeBatch without values", encode("executeBatch", to, [], data), free],
    ["executeBatch of two lists", encode("executeBatch", to, data), free],
    ["one call of ERC-7579", encode("execute", mode("00"), packed), [first]],
    ["one call that may fail", encode("execute", mode("0001"), packed), [first]],
    ["calls of ERC-7579", encode("execute", mode("01"), several), batch],
    ["Safe", encode("executeUserOp", first.to, first.value, first.data, 0), [first]],
    ["Biconomy", encode("execute_ncC", first.to, first.value, first.data), [first]],
    ["Biconomy's batch", encode("executeBatch_y6U", to, value, data), batch],
  ] as const)
    t.same(executedCalls(callData), { calls }, about)
})

t.test("calls that cannot be read are said to be so", async (t) => {
  const many = Array.from({ length: 257 }, () => first)
  for (const [callData, reason] of [
    [encode("mint", OTHER), /function 0x6a627842 is none of a common account/],
    ["0xb61d", /function 0xb61d is none of a common account/],
    [
      encode("execute", first.to, first.value, first.data).slice(0, -64),
      /do not fit execute\(address,uint256,bytes\)/,
    ],
    [encode("execute", mode("ff"), packed), /delegatecall/],
    [encode("execute", mode("fe"), packed), /mode .* is not known/],
    [encode("execute", mode("01000000000078210001"), several), /mode .* is not known/],
    [encode("execute", mode("00"), "0x1234"), /too short for a call/],
    [encode("execute", mode("01"), packed), /do not fit execute\(bytes32,bytes\)/],
    [encode("executeUserOp", first.to, first.value, first.data, 1), /delegatecall/],
    [encode("executeBatch", to, [1n], data), /lists differ in length/],
    [encode("executeBatch", many), /more than 256 calls/],
  ] as const) {
    const executed = executedCalls(callData)
    t.match("unread" in executed && executed.unread, reason)
  }
})
