// The fee of an Ethereum transaction, in the chain's own currency or in a token (CIP-64).
import { counted } from "../../../counted.ts"
import type { EthereumTransaction } from "../../../transaction/ethereum/transaction.ts"
import { amountText, weiText } from "../../../words/chains.ts"
import type { DescriptionLine, WordsContext } from "../../../words/words.ts"
import { addressText } from "./arguments.ts"
import { factOf } from "./content.ts"

/** Gas of one blob (EIP-4844, GAS_PER_BLOB). */
const GAS_PER_BLOB = 131_072n

/**
 * Fee currencies of Celo by chain id, as its documentation lists them: tokens, and adapters of tokens with other decimals
 * (https://docs.celo.org/tooling/contracts/fee-currencies).
 */
const CELO: { readonly [chainId: string]: { readonly [address: string]: string } } = {
  42220: {
    "0x765de816845861e75a25fca122bb6898b8b1282a": "cUSD",
    "0xd8763cba276a3738e6de85b4b3bf5fded6d6ca73": "cEUR",
    "0xe8537a3d056da446677b9e9d6c5db704eaab4787": "cREAL",
    "0x2f25deb3848c207fc8e0c34035b3ba7fc157602b": "USDC",
    "0x0e2a3e05bc9a16f5292a6170456a710cb89c6f72": "USDT",
  },
  11142220: { "0x4822e58de6f5e485ef90df51c41ce01721331dc0": "USDC" },
}
/** Celo's nodes compute fees with 18 decimals, whatever those of the token are. */
const FEE_DECIMALS = 18

/** The highest fee, the currency that pays it, and the tip. */
export function feeFacts(transaction: EthereumTransaction, { nameOf }: WordsContext): DescriptionLine[] {
  const { feeCurrency, chainId } = transaction
  const fee = maxFeeOf(transaction)
  if (feeCurrency === "") return [{ name: "Fee at most", value: weiText(fee, chainId) }]
  const name = nameOfCurrency(transaction)
  const units = counted(fee, "base unit")
  return [
    {
      name: "Fee at most",
      value: name === undefined ? units : amountText(fee, FEE_DECIMALS, name, "base units"),
    },
    { name: "Fee currency", value: currencyText(transaction, nameOf) },
  ]
}

/** The tip for each gas; none for types that have none. */
export function tipFacts({ maxPriorityFeePerGas, feeCurrency }: EthereumTransaction): DescriptionLine[] {
  const unit = feeCurrency === "" ? "wei" : "base units of the fee currency"
  return factOf("Tip for each gas", maxPriorityFeePerGas > 0n ? `${maxPriorityFeePerGas} ${unit}` : "")
}

/** The end of a summary that says which token pays; "" where the chain's own currency does. */
export function feeCurrencyClause(transaction: EthereumTransaction, { nameOf }: WordsContext): string {
  return transaction.feeCurrency === "" ? "" : `, with its fee paid in ${currencyText(transaction, nameOf)}`
}

/** Warns of a currency that is not known: nobody can see what the fee is worth. */
export function feeWarnings(transaction: EthereumTransaction): string[] {
  if (transaction.feeCurrency === "" || nameOfCurrency(transaction) !== undefined) return []
  return ["Its fee is paid in a token that is not known here: nobody can see what it is worth."]
}

function currencyText(transaction: EthereumTransaction, nameOf: WordsContext["nameOf"]): string {
  const name = nameOfCurrency(transaction)
  const address = addressText(transaction.feeCurrency, nameOf)
  return name === undefined ? `token ${address}` : `${name} (${address})`
}

function nameOfCurrency({ chainId, feeCurrency }: EthereumTransaction): string | undefined {
  const ofChain = CELO[String(chainId)] ?? {}
  return Object.hasOwn(ofChain, feeCurrency) ? ofChain[feeCurrency] : undefined
}

function maxFeeOf({
  gas,
  gasPrice,
  maxFeePerGas,
  maxFeePerBlobGas,
  blobVersionedHashes,
}: EthereumTransaction): bigint {
  const blobs = BigInt(blobVersionedHashes.length) * GAS_PER_BLOB * maxFeePerBlobGas
  return gas * (maxFeePerGas > 0n ? maxFeePerGas : gasPrice) + blobs
}
