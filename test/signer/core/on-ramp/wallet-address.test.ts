import t from "tap"
import { FiatOnRampBlockchainNetwork as Network } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { isAddressOf } from "../../../../signer/core/on-ramp/wallet-address.ts"

const ETHEREUM = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
const SOLANA = "4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM"
const LIVE = [
  "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
  "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
  "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
  "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
  "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
]
const TEST = ["mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"]

t.test("an address belongs to its network", async (t) => {
  for (const address of LIVE)
    for (const sandbox of [true, false]) t.ok(isAddressOf(Network.BITCOIN, address, sandbox), address)
  for (const address of TEST) {
    t.ok(isAddressOf(Network.BITCOIN, address, true), address)
    t.notOk(isAddressOf(Network.BITCOIN, address, false), `${address} outside the sandbox`)
  }
  for (const network of [Network.ETHEREUM, Network.BASE]) {
    t.ok(isAddressOf(network, ETHEREUM, false))
    t.ok(isAddressOf(network, ETHEREUM.toLowerCase(), false))
  }
  t.ok(isAddressOf(Network.SOLANA, SOLANA, false))
})

t.test("a text that is none, or of another network, is refused", async (t) => {
  const odd: [network: Network, address: string][] = [
    [Network.ETHEREUM, `${ETHEREUM.slice(0, -2)}95`],
    [Network.ETHEREUM, ETHEREUM.replace("E", "e")],
    [Network.ETHEREUM, SOLANA],
    [Network.BASE, LIVE[2]!],
    [Network.SOLANA, ETHEREUM],
    [Network.SOLANA, SOLANA.slice(1)],
    [Network.SOLANA, "0OIl"],
    [Network.BITCOIN, ETHEREUM],
    [Network.BITCOIN, SOLANA],
    [Network.BITCOIN, `${LIVE[0]!.slice(0, -1)}3`],
    [Network.BITCOIN, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"],
    [Network.BITCOIN, "bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"],
    // BIP-350: version 1 under Bech32, version 0 under Bech32m, a version that has no meaning yet.
    [Network.BITCOIN, "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4"],
    [Network.BITCOIN, "bc1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd"],
    [Network.BITCOIN, "BC1SW50QGDZ25J"],
    [Network.UNSPECIFIED, ETHEREUM],
  ]
  for (const [network, address] of odd) t.notOk(isAddressOf(network, address, true), address)
})
