import { readEthereumTransaction } from "../../../signer/core/transaction/ethereum/transaction.ts"
import { TransactionFault } from "../../../signer/core/transaction/fault.ts"
import { readUnsigned } from "../../../signer/core/transaction/unsigned.ts"
import { submitChange, type ChangeOptions, resultOf } from "../changes/change.ts"
import type { Stamping } from "../changes/stamping.ts"
import { CliError, ExitCode } from "../exit.ts"
import { findSigner } from "../names/signers.ts"
import { printResult } from "../terminal.ts"
import { paymentLine } from "./payment.ts"

export type SignTransactionOptions = { type: string; with?: string; signWith?: string }

/** EIP-4844. */
const GAS_PER_BLOB = 131_072n

const CHAINS = ["ethereum", "solana", "tron", "bitcoin"]

/**
 * Has an unsigned transaction signed, and prints it. It is not broadcast.
 *
 * @throws {CliError} usage: no transaction of that chain
 */
export async function signTransaction(
  unsignedTransaction: string,
  options: SignTransactionOptions & ChangeOptions,
  stamping: Stamping,
): Promise<void> {
  const { type, json } = options
  const { terminal } = stamping
  requireTransaction(unsignedTransaction, type.toLowerCase())
  const { signWith } = await findSigner(options.with ?? options.signWith, stamping)
  const line = describe(unsignedTransaction, type.toLowerCase(), signWith)
  if (!json) terminal.log(line)
  const parameters = { signWith, unsignedTransaction, type: `TRANSACTION_TYPE_${type.toUpperCase()}` }
  const submitted = await submitChange(
    { type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", parameters },
    options,
    stamping,
  )
  if (submitted === undefined) return
  const result = resultOf(submitted.activity)
  if (json) printResult(terminal, result, { json })
  else terminal.print(String(result["signedTransaction"]))
}

/** A line that says what is signed: the payment of an Ethereum transaction, the size of others. */
function describe(text: string, type: string, signWith: string): string {
  const bytes = requireTransaction(text, type)
  return type === "ethereum"
    ? ethereumLine(bytes, signWith)
    : `signs a ${type} transaction of ${bytes.length} bytes by ${signWith}`
}

/** The bytes of a transaction; of an Ethereum one the signer's reader has read them. @throws {CliError} usage */
function requireTransaction(text: string, type: string): Uint8Array {
  if (!CHAINS.includes(type))
    throw usage(`--type ${type}: not a kind of transaction; use ethereum, solana, tron or bitcoin`)
  try {
    const bytes = readUnsigned(text)
    if (type === "ethereum") readEthereumTransaction(bytes)
    return bytes
  } catch (error) {
    if (!(error instanceof TransactionFault)) throw error
    throw usage(
      `${error.message} (at byte ${error.offset}); give an unsigned ${type} transaction in hexadecimal`,
    )
  }
}

function ethereumLine(bytes: Uint8Array, from: string): string {
  const read = readEthereumTransaction(bytes)
  const { chainId, to, value, data, gas, gasPrice, nonce, maxFeePerBlobGas, blobVersionedHashes } = read
  const blobFee = BigInt(blobVersionedHashes.length) * GAS_PER_BLOB * maxFeePerBlobGas
  const payment = { from, to, value, dataBytes: (data.length - 2) / 2, maxFee: gas * gasPrice + blobFee }
  return `${paymentLine({ ...payment, caip2: `eip155:${chainId}` })}; nonce ${nonce}`
}

function usage(sentence: string): CliError {
  return new CliError(ExitCode.usage, sentence)
}
