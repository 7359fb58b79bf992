import { hash } from "node:crypto"
import { base58, bech32, bech32m, createBase58check } from "@scure/base"
import { FiatOnRampBlockchainNetwork as Network } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { bitcoinNetworks } from "../address/bitcoin.ts"
import { ethereumAddressBytes } from "../address/ethereum.ts"

const base58check = createBase58check((bytes: Uint8Array) => hash("sha256", bytes, "buffer"))

/**
 * True for an address of the network. Bitcoin's test networks have addresses of their own, which only purchases in sandbox
 * mode may name.
 */
export function isAddressOf(network: Network, address: string, sandbox: boolean): boolean {
  switch (network) {
    case Network.BITCOIN:
      return isBitcoinAddress(address, sandbox)
    case Network.ETHEREUM:
    case Network.BASE:
      return ethereumAddressBytes(address) !== undefined
    case Network.SOLANA:
      return decoded(() => base58.decode(address))?.length === 32
    default:
      return false
  }
}

function isBitcoinAddress(address: string, sandbox: boolean): boolean {
  const { MAINNET, TESTNET } = bitcoinNetworks
  const allowed = sandbox ? [MAINNET, TESTNET] : [MAINNET]
  const bytes = decoded(() => base58check.decode(address))
  if (bytes !== undefined) {
    const isKnown = allowed.some(({ keyHash, scriptHash }) => bytes[0] === keyHash || bytes[0] === scriptHash)
    return isKnown && bytes.length === 21
  }
  return allowed.some(({ segwit }) => isSegwitAddress(address, segwit))
}

/** BIP-173 and BIP-350: version 0 has 20 or 32 bytes under Bech32, version 1 has 32 bytes under Bech32m. */
function isSegwitAddress(address: string, prefix: string): boolean {
  const text = address === address.toUpperCase() ? address.toLowerCase() : address
  if (!text.startsWith(`${prefix}1`)) return false
  const v0 = decoded(() => bech32.decode(text as `${string}1${string}`))?.words
  const words = v0 ?? decoded(() => bech32m.decode(text as `${string}1${string}`))?.words
  const version = words?.[0]
  const program = words && decoded(() => bech32.fromWords(words.slice(1)))
  if (program === undefined) return false
  if (v0 !== undefined) return version === 0 && (program.length === 20 || program.length === 32)
  return version === 1 && program.length === 32
}

function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}
