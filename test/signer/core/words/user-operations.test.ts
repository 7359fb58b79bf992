// User operations of ERC-4337 in words. viem writes them, and encodes their calls.
import t from "tap"
import { encodeFunctionData, erc20Abi, type Hex } from "viem"
import { getUserOperationHash } from "viem/account-abstraction"
import { callsOf, ENTRY_POINT, parametersOf, payloadOf, typedPayloadOf } from "../user-operations.ts"
import { factsOf, wordsOfPayload } from "./reading.ts"

const FRIEND = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
const TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
const FACTORY = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
const ACCOUNT = `0x${"11".repeat(20)}`
const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [FRIEND, 250n] })
const callData = callsOf({ to: FRIEND, value: 15n * 10n ** 17n, data: "0x" }, { to: TOKEN, value: 0n, data })
const paymaster = {
  paymaster: FRIEND,
  paymasterVerificationGasLimit: 10_000n,
  paymasterPostOpGasLimit: 20_000n,
  paymasterData: "0xabcd",
}

const bytesOf = (payload: string, hashFunction = "NO_OP") =>
  wordsOfPayload(payload, "ERC4337_USER_OPERATION", hashFunction)

t.test(
  "C-1819: approvers see account, calls, fee, paymaster and deployment of a user operation",
  async (t) => {
    const change = { callData, ...paymaster, factory: FACTORY, factoryData: "0x1234" }
    const readings = [
      [bytesOf(payloadOf(change)), "version 0.7"],
      [bytesOf(payloadOf(change, "0.8"), "KECCAK256"), "version 0.8 or 0.9"],
      [wordsOfPayload(typedPayloadOf(change), "EIP712", "NO_OP"), "version 0.8 or 0.9"],
    ] as const
    for (const [words, version] of readings) {
      t.match(words.sentence, `by which account ${ACCOUNT} on Base (eip155:8453) will send 1.5 ETH`)
      t.match(words.sentence, `transfer 250 base units of token ${TOKEN} to ${FRIEND}`)
      t.match(words.sentence, `after code of ${FACTORY} has run`)
      t.match(factsOf(words), {
        Chain: "Base (eip155:8453)",
        Account: ACCOUNT,
        "Entry point": `${ENTRY_POINT}, ${version}`,
        Nonce: "5 (key 9)",
        "Call 1 › To": FRIEND,
        "Call 1 › Amount": "1.5 ETH (1500000000000000000 wei)",
        "Call 2 › Argument to": FRIEND,
        "Call 2 › Argument value": "250",
        "Factory or delegate": FACTORY,
        "Data for it": "0x1234",
        "Fee at most": "0.000402 ETH (402000000000000 wei)",
        "Fee paid by": `paymaster ${FRIEND}`,
        "Data for the paymaster": "0xabcd",
      })
      const warnings = words.contents[0]?.warnings.join(" ")
      for (const warning of [
        /accounts that|functions of common accounts/,
        /a factory creates it/,
        /paymaster may take/,
      ])
        t.match(warnings, warning)
    }
    t.equal(factsOf(readings[0][0])["Hash"], hashOf(change, "0.7"))
    t.equal(factsOf(readings[2][0])["Hash"], hashOf(change, "0.8"))
  },
)

function hashOf(change: object, version: string): Hex {
  return getUserOperationHash(
    parametersOf(change, version) as unknown as Parameters<typeof getUserOperationHash>[0],
  )
}

t.test("an operation of version 0.6 has the fee of its own rule", async (t) => {
  const older = { initCode: "0x", paymasterAndData: `${FRIEND}abcd`, callData }
  const words = bytesOf(payloadOf(older, "0.6"))
  t.match(factsOf(words), {
    "Entry point": `${ENTRY_POINT}, version 0.6`,
    // 100,000 + 3 * 50,000 + 21,000 gas.
    "Fee at most": "0.000542 ETH (542000000000000 wei)",
  })
  t.equal(factsOf(words)["Hash"], hashOf(older, "0.6"))
})

t.test("call data that cannot be read are shown as such, with the reason", async (t) => {
  for (const unread of ["0x12345678", callData.slice(0, -64)]) {
    const words = bytesOf(payloadOf({ callData: unread }))
    t.match(words.sentence, /will do what nobody can read \(\d+ bytes\)/)
    t.match(words.contents[0]?.warnings[0], /^Nobody can see what the account will do: /)
    t.equal(factsOf(words)["Call data of the account"], unread)
  }
  t.match(bytesOf(payloadOf({})).sentence, /will make no call/)
})

t.test("a member that no digest covers is named, and an unreadable operation is refused", async (t) => {
  const typed = JSON.parse(typedPayloadOf({ callData })) as { message: object }
  const more = JSON.stringify({ ...typed, message: { ...typed.message, note: "harmless" } })
  const words = wordsOfPayload(more, "EIP712", "NO_OP")
  t.match(words.sentence, /a user operation \(ERC-4337\)/)
  t.match(words.contents[0]?.warnings.at(-1), /does not cover .*signature.* and .*note/)
  const refused = bytesOf(payloadOf({ initCode: "0x" }))
  t.match(refused.contents[0]?.warnings, [
    /^The signer refuses it: userOperation of version 0.7 has other members/,
  ])
})

t.test("the bare hash of an operation stays a possible digest", async (t) => {
  const words = wordsOfPayload(hashOf({ callData }, "0.7"), "HEXADECIMAL", "NO_OP")
  t.match(words.contents[0]?.title, "Possible digest")
})
