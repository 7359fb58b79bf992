// Kinds of accounts and chains that people choose from.
import { chainText } from "../../../signer/core/words/chains.ts"

export type AccountKind = {
  name: string
  curve: string
  addressFormat: string
  path: (index: number) => string
}

export const ACCOUNT_KINDS: readonly AccountKind[] = [
  {
    name: "Ethereum",
    curve: "CURVE_SECP256K1",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    path: (index) => `m/44'/60'/${index}'/0/0`,
  },
  {
    name: "Solana",
    curve: "CURVE_ED25519",
    addressFormat: "ADDRESS_FORMAT_SOLANA",
    path: (index) => `m/44'/501'/${index}'/0'`,
  },
  {
    name: "Bitcoin",
    curve: "CURVE_SECP256K1",
    addressFormat: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH",
    path: (index) => `m/84'/0'/${index}'/0/0`,
  },
  {
    name: "Tron",
    curve: "CURVE_SECP256K1",
    addressFormat: "ADDRESS_FORMAT_TRON",
    path: (index) => `m/44'/195'/${index}'/0/0`,
  },
]

/** "Ethereum" of ADDRESS_FORMAT_ETHEREUM. */
export function chainOfFormat(format: string): string {
  const known = ACCOUNT_KINDS.find(({ addressFormat }) => addressFormat === format)
  return known?.name ?? format.replace("ADDRESS_FORMAT_", "").toLowerCase().replaceAll("_", " ")
}

/** Parameters of one account. */
export function accountOf(kindName: string, index: number, name = ""): object {
  const kind = ACCOUNT_KINDS.find((one) => one.name === kindName)
  if (kind === undefined) throw new Error(`there is no kind of account ${kindName}`)
  const { curve, addressFormat, path } = kind
  return {
    curve,
    addressFormat,
    path: path(index),
    pathFormat: "PATH_FORMAT_BIP32",
    ...(name !== "" && { name }),
  }
}

/** Chain ids that payments are often limited to, with the names of their chains. */
const CHAIN_IDS = ["1", "8453", "10", "42161", "137", "56", "100", "59144", "11155111", "84532"]

export const chainOptions = () => CHAIN_IDS.map((value) => ({ value, label: chainText(`eip155:${value}`) }))

/** Chains whose balances can be followed, with their names; the API names one that has no nodes here. */
export const followedChains = () =>
  [...CHAIN_IDS.map((id) => `eip155:${id}`), "solana:mainnet", "solana:devnet"].map((value) => ({
    value,
    label: chainText(value),
  }))
