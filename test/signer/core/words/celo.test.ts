// Celo's transactions with a fee currency (CIP-64) in words. viem's module for Celo writes them.
import t from "tap"
import { type Hex } from "viem"
import { serializeTransaction } from "viem/celo"
import { factsOf, wordsOf, wordsOfPayload } from "./reading.ts"

const TO = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
const USDC = "0x2F25deB3848C207fc8E0c34035B3Ba7fC157602B"
const transfer = {
  type: "cip64",
  chainId: 42220,
  nonce: 7,
  gas: 100_000n,
  maxFeePerGas: 50_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  to: TO,
  value: 5n * 10n ** 18n,
} as const

function words(feeCurrency: Hex, names: Readonly<Record<string, string>> = {}) {
  const unsignedTransaction = serializeTransaction({ ...transfer, feeCurrency })
  const parameters = { signWith: "0x1", type: "TRANSACTION_TYPE_ETHEREUM", unsignedTransaction }
  return wordsOf("SIGN_TRANSACTION_V2", parameters, { nameOf: (id) => names[id] })
}

t.test(
  "C-1818: the fee of Celo's transactions is described in its currency, by name and address",
  async (t) => {
    const known = words(USDC)
    t.match(
      known.sentence,
      `send 5 CELO (5000000000000000000 wei) to ${TO} on Celo (eip155:42220), with its fee paid in USDC (${USDC})`,
    )
    t.match(factsOf(known), {
      "Fee at most": "0.005 USDC (5000000000000000 base units)",
      "Fee currency": `USDC (${USDC})`,
      "Tip for each gas": "1000000 base units of the fee currency",
      Type: "TYPE_123",
    })
    t.same(known.contents[0]?.warnings, [])
  },
)

t.test("a fee currency that is not known is described by its address, with a warning", async (t) => {
  const unknown = words(TO)
  t.match(unknown.sentence, `with its fee paid in token ${TO}`)
  t.match(factsOf(unknown), { "Fee at most": "5000000000000000 base units", "Fee currency": `token ${TO}` })
  t.match(unknown.contents[0]?.warnings, [/token that is not known here/])
  t.match(words(TO, { [TO]: "Our token" }).sentence, `paid in token [Our token] ${TO}`)
})

t.test("such a transaction is recognized when it is sent as bytes", async (t) => {
  const unsigned = serializeTransaction({ ...transfer, feeCurrency: USDC })
  const [shown] = wordsOfPayload(unsigned, "HEXADECIMAL", "KECCAK256").contents
  t.same([shown?.title, shown?.facts], [words(USDC).contents[0]?.title, words(USDC).contents[0]?.facts])
  t.match(shown?.warnings[0], /^This is a transaction, sent as bytes/)
})
