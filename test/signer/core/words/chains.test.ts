import t from "tap"
import { chainText, lamportsText, weiText, wholeUnits } from "../../../../signer/core/words/chains.ts"

t.test("amounts have the unit's digits, without zeros at the end", async (t) => {
  t.equal(wholeUnits(1_500_000_000_000_000_000n, 18), "1.5")
  t.equal(wholeUnits(1n, 18), "0.000000000000000001")
  t.equal(wholeUnits(0n, 8), "0")
  t.equal(wholeUnits(2_000_000n, 6), "2")
})

t.test("amounts stand in the chain's unit and in the smallest one", async (t) => {
  t.equal(weiText(1_500_000_000_000_000_000n, 1n), "1.5 ETH (1500000000000000000 wei)")
  t.equal(weiText(1n, 137n), "0.000000000000000001 POL (1 wei)")
  t.equal(weiText(10n ** 18n, 4_242_424_242n), "1 of the chain's currency (1000000000000000000 wei)")
  t.equal(lamportsText(5000n), "0.000005 SOL (5000 lamports)")
})

t.test("chains have their name and their CAIP-2 name", async (t) => {
  t.equal(chainText("eip155:8453"), "Base (eip155:8453)")
  t.equal(chainText("eip155:4242424242"), "eip155:4242424242")
  t.equal(
    chainText("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"),
    "Solana (solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp)",
  )
  t.equal(chainText("eip155:constructor"), "eip155:constructor")
})
