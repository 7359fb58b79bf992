import t from "tap"
import { finalitySetting } from "../../../services/chains/finality.ts"

const MAINNET = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"

t.test("each chain has its own number of confirmations, and every other EVM chain that of Ethereum", (t) => {
  const { confirmations, commitment } = finalitySetting(undefined)
  const chains = [1, 31337, 10, 8453, 42161, 137, 56, 143]
  t.same(
    chains.map((id) => confirmations(`eip155:${id}`)),
    [64n, 64n, 900n, 900n, 4_800n, 512n, 88n, 4n],
  )
  t.equal(commitment(MAINNET), "finalized")
  t.end()
})

t.test("the operator sets numbers and commitments by CAIP-2 or by name", (t) => {
  const { confirmations, commitment } = finalitySetting("ethereum=96, eip155:31337=1,solana=confirmed")
  t.equal(confirmations("eip155:1"), 96n)
  t.equal(confirmations("eip155:31337"), 1n)
  t.equal(confirmations("eip155:137"), 512n)
  t.equal(commitment(MAINNET), "confirmed")
  t.end()
})

t.test(
  "entries that name no chain, no number or no commitment are refused, and so are repeated ones",
  (t) => {
    for (const text of [
      "64",
      "bitcoin=6",
      "eip155:1=0",
      "eip155:1=100001",
      "eip155:1=finalized",
      "solana=32",
    ])
      t.throws(() => finalitySetting(text), /write chains as eip155:1=64/, text)
    t.throws(() => finalitySetting("eip155:1=64,ethereum=65"), /eip155:1 occurs twice/)
    t.end()
  },
)
