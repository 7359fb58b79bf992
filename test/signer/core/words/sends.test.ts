// Sends in words: amount, recipient, token, chain and highest fee, read from bodies and bytes that other libraries made.
import t from "tap"
import { encodeFunctionData, parseAbi, parseEther } from "viem"
import { readAbi } from "../../../../signer/core/contract-interface/abi.ts"
import { factsOf, wordsOf } from "./reading.ts"

const FRIEND = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
const THIEF = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
const OWN = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3"

const erc20 = parseAbi([
  "function transfer(address to, uint256 amount)",
  "function approve(address spender, uint256 amount)",
])
const transfer = (to: string, amount: bigint) =>
  encodeFunctionData({ abi: erc20, functionName: "transfer", args: [to as never, amount] })

t.test("a send of version 1: amount, recipient, chain and the highest fee", async (t) => {
  const words = wordsOf("ETH_SEND_TRANSACTION", {
    from: OWN.toLowerCase(),
    to: FRIEND.toLowerCase(),
    caip2: "eip155:8453",
    value: "1500000000000000000",
    gasLimit: "21000",
    maxFeePerGas: "2000000000",
  })
  const sentence = `Send 1.5 ETH (1500000000000000000 wei) to ${FRIEND} on Base (eip155:8453), from ${OWN}`
  t.equal(words.sentence, sentence)
  t.match(factsOf(words), {
    Chain: "Base (eip155:8453)",
    From: OWN,
    To: FRIEND,
    Amount: "1.5 ETH (1500000000000000000 wei)",
    "Fee at most": "0.000042 ETH (42000000000000 wei)",
  })
})

t.test("W29: the calls of version 2 are described, and no member that the signer ignores", async (t) => {
  const parameters = {
    from: OWN,
    caip2: "eip155:1",
    to: FRIEND,
    value: "5",
    calls: [{ to: THIEF, value: String(parseEther("1000")) }],
  }
  const words = wordsOf("ETH_SEND_TRANSACTION_V2", parameters)
  t.match(words.sentence, `Send 1000 ETH (1000000000000000000000 wei) to ${THIEF} on Ethereum (eip155:1)`)
  t.notMatch(words.sentence, FRIEND)
  t.notMatch(JSON.stringify([words.contents, words.members]), FRIEND)
  t.same(words.ignored, ["parameters.to", "parameters.value"])
})

t.test("a batch: every call, each with its amount; who sends and who pays", async (t) => {
  const calls = [
    { to: FRIEND, value: "1" },
    { to: TOKEN, data: transfer(THIEF, 250n) },
    { to: FRIEND, value: "2", data: "0x12345678ff" },
  ]
  const batch = wordsOf("ETH_SEND_TRANSACTION_V2", { from: OWN, caip2: "eip155:137", calls })
  t.match(batch.sentence, `0.000000000000000001 POL (1 wei) to ${FRIEND}`)
  t.match(batch.sentence, `transfer 250 base units of token ${TOKEN} to ${THIEF}`)
  t.match(factsOf(batch), {
    "Sent as": /one batch/,
    "Call 2 › Function": "transfer(address,uint256), by the token standards",
    "Call 3 › Amount": "0.000000000000000002 POL (2 wei)",
    "Fee at most": /the operator's cap/,
  })
  t.match(batch.contents[0]?.warnings, [/Nobody can see what this call does/, /delegate contract/])
  const sponsored = wordsOf("ETH_SEND_TRANSACTION_V2", { from: OWN, caip2: "eip155:1", sponsor: true, calls })
  t.match(sponsored.sentence, /, sponsored/)
  t.match(factsOf(sponsored), { "Fee at most": /paymaster pays/ })
})

t.test("allowances are described by what they allow", async (t) => {
  const unlimited = encodeFunctionData({
    abi: erc20,
    functionName: "approve",
    args: [THIEF, 2n ** 256n - 1n],
  })
  const words = wordsOf("ETH_SEND_TRANSACTION", { from: OWN, to: TOKEN, caip2: "eip155:1", data: unlimited })
  t.match(
    words.sentence,
    `Let ${THIEF} take any number of base units of token ${TOKEN} on Ethereum (eip155:1)`,
  )
  t.match(words.contents[0]?.warnings, [/without another signature, and without limit/])
})

t.test(
  "calls are read by the organization's interfaces, and the words name the source of the interface",
  async (t) => {
    const abi = parseAbi(["function settle((address payee, uint256[] shares) order, string note)"])
    const note = 'x", "amount": "1'
    const data = encodeFunctionData({
      abi,
      functionName: "settle",
      args: [{ payee: THIEF, shares: [3n, 4n] }, note],
    })
    const read = readAbi(JSON.stringify(abi))
    const interfaces = {
      abi: (address: string) => (address === TOKEN.toLowerCase() ? read : undefined),
      idl: () => undefined,
    }
    const send = { from: OWN, to: TOKEN, caip2: "eip155:1", data }
    const signed = wordsOf("ETH_SEND_TRANSACTION", send, { interfaces, hasSignedInterfaces: true })
    t.match(factsOf(signed), {
      Function: "settle((address,uint256[]),string), by the organization's interface of the contract",
      "Argument order.payee": THIEF,
      "Argument order.shares[0]": "3",
      "Argument order.shares[1]": "4",
      "Argument note": '"x\\", \\"amount\\": \\"1"',
    })
    const stated = wordsOf("ETH_SEND_TRANSACTION", send, { interfaces })
    t.match(factsOf(stated), { Function: /by an interface that the API states for the contract$/ })
    const misfit = wordsOf("ETH_SEND_TRANSACTION", { ...send, data: data.slice(0, 74) }, { interfaces })
    t.match(misfit.contents[0]?.warnings, [/do not fit settle/])
  },
)

t.test("the end of a delegation", async (t) => {
  const { sentence } = wordsOf("ETH_UNDELEGATE_7702", { from: OWN, caip2: "eip155:1" })
  t.equal(sentence, `End the delegation (EIP-7702) of ${OWN} on Ethereum (eip155:1)`)
})

t.test("W29: a transaction with the payload of a message beside it is a transaction", async (t) => {
  const words = wordsOf("SIGN_TRANSACTION_V2", {
    sign_with: OWN,
    unsigned_transaction: `02df010180808252089470997970c51812dc3a010c7d01b50e0d17dc79c88080c0`,
    type: "TRANSACTION_TYPE_ETHEREUM",
    payload: "Log in to example.org",
  })
  t.match(
    words.sentence,
    `Sign a transaction with ${OWN}: send 0 ETH (0 wei) to ${FRIEND} on Ethereum (eip155:1)`,
  )
  t.notMatch(JSON.stringify({ ...words, ignored: [] }), "Log in")
  t.same(words.ignored, ["parameters.payload"])
})
