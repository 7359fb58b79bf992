// The libraries of each chain.
import { isAddress as isSolana } from "@solana/kit"
import { Address as TonAddress } from "@ton/core"
import { address as bitcoin, initEccLib, networks } from "bitcoinjs-lib"
import { isAddress as isEthersAddress } from "ethers"
import * as ecc from "tiny-secp256k1"
import { utils } from "tronweb"
import { canonicalAddress } from "../../../signer/core/address/canonical.ts"
import { type Judge, requireSame, requireTrue } from "../engine/reader.ts"
import type { ReadAddress } from "../readers/addresses.ts"

initEccLib(ecc)

const SEEDS = [
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
  "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
  "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
  "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
  "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
  "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
  "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
  "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",
  "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
  "bc1sw50qgdz25j",
  "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH",
  "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
  "11111111111111111111111111111111",
  "EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N",
  "0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8",
  "cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh",
]

export const judge: Judge<ReadAddress | undefined> = {
  seeds: () => SEEDS,
  judge(input, outcome) {
    const text = input.toString()
    const read = "value" in outcome ? outcome.value : undefined
    requireSame(read?.bitcoin ?? false, isOfBitcoin(text), "bitcoinjs-lib")
    requireSame(read?.solana ?? false, isSolana(text), "@solana/kit")
    requireSame(read?.tron ?? false, isOfTron(text), "tronweb")
    requireSame(read?.ethereum !== undefined, text.startsWith("0x") && isEthersAddress(text), "ethers")
    const { canonical = text } = read ?? {}
    requireSame(canonicalAddress(canonical), canonical, "the canonical spelling of a canonical one")
    if (canonical.startsWith("0:") && canonical !== text)
      requireSame(canonical, TonAddress.parse(text).toRawString(), "@ton/core")
    requireTrue(
      canonical === text || canonical === text.toLowerCase() || canonical.startsWith("0:"),
      "another address",
    )
  },
}

function isOfTron(text: string): boolean {
  try {
    return utils.crypto.isAddressValid(text)
  } catch {
    return false
  }
}

/** bitcoinjs-lib warns on the console of witness versions that have no meaning yet. */
function isOfBitcoin(text: string): boolean {
  return [networks.bitcoin, networks.testnet, networks.regtest].some((network) => {
    try {
      // It takes upper case too, which is not the spelling that is written.
      return (
        bitcoin.toOutputScript(text, network).length > 0 &&
        (text === text.toLowerCase() || !/1[a-z0-9]{6,}$/i.test(text) || !/^(?:BC|TB|BCRT)1/.test(text))
      )
    } catch {
      return false
    }
  })
}
