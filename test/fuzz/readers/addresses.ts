// Addresses of all chains.
import { isBitcoinAddress } from "../../../signer/core/address/bitcoin.ts"
import { canonicalAddress } from "../../../signer/core/address/canonical.ts"
import { ethereumAddressBytes } from "../../../signer/core/address/ethereum.ts"
import { isSolanaAddress } from "../../../signer/core/address/solana.ts"
import { isTronAddress } from "../../../signer/core/address/tron.ts"
import type { Reader } from "../engine/reader.ts"
import { isNoError } from "./refusals.ts"

export type ReadAddress = {
  canonical: string
  ethereum: string | undefined
  bitcoin: boolean
  solana: boolean
  tron: boolean
}

export const addresses: Reader<ReadAddress | undefined> = {
  maxLength: 150,
  read(input) {
    const text = input.toString()
    const ethereum = ethereumAddressBytes(text)
    const read = {
      canonical: canonicalAddress(text),
      ethereum: ethereum && Buffer.from(ethereum).toString("hex"),
      bitcoin: isBitcoinAddress(text),
      solana: isSolanaAddress(text),
      tron: isTronAddress(text),
    }
    const isAny = read.ethereum !== undefined || read.bitcoin || read.solana || read.tron
    return isAny || read.canonical !== text ? read : undefined
  },
  isRefusal: isNoError,
}
