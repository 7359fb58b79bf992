import { readEthereumTransaction } from "../../../signer/core/transaction/ethereum/transaction.ts"
import { TransactionFault } from "../../../signer/core/transaction/fault.ts"
import { readUnsigned } from "../../../signer/core/transaction/unsigned.ts"
import { type ApiClient, activityBody, submit } from "../api-client.ts"
import { CliError, ExitCode } from "../exit.ts"
import { printResult, type Terminal } from "../terminal.ts"
import { paymentLine } from "./payment.ts"

export type SignTransactionOptions = { type: string; signWith: string; json?: boolean }

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
  { type, signWith, json }: SignTransactionOptions,
  { client, organizationId, terminal }: { client: ApiClient; organizationId: string; terminal: Terminal },
): Promise<void> {
  const line = describe(unsignedTransaction, type.toLowerCase(), signWith)
  if (!json) terminal.log(line)
  const parameters = { signWith, unsignedTransaction, type: `TRANSACTION_TYPE_${type.toUpperCase()}` }
  const body = activityBody("ACTIVITY_TYPE_SIGN_TRANSACTION_V2", organizationId, parameters)
  const result = await submit(client, "sign_transaction", body)
  if (json) printResult(terminal, result, { json })
  else terminal.print(String(result["signedTransaction"]))
}

/** A line that says what is signed: the payment of an Ethereum transaction, the size of others. */
function describe(text: string, type: string, signWith: string): string {
  if (!CHAINS.includes(type))
    throw usage(`--type ${type}: not a kind of transaction; use ethereum, solana, tron or bitcoin`)
  try {
    const bytes = readUnsigned(text)
    return type === "ethereum"
      ? ethereumLine(bytes, signWith)
      : `signs a ${type} transaction of ${bytes.length} bytes by ${signWith}`
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
