import { isFault } from "../../../signer/core/fault.ts"
import { readEthereumTransaction } from "../../../signer/core/transaction/ethereum/transaction.ts"
import { readUnsigned } from "../../../signer/core/transaction/unsigned.ts"
import { showRequest } from "../../terminal-client/activities/show-request.ts"
import { submitChange, type ChangeOptions, resultOf } from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { usage } from "../../terminal-client/exit.ts"
import { findSigner } from "../../terminal-client/names/signers.ts"
import { printEither } from "../../terminal-client/terminal.ts"

export type SignTransactionOptions = { type: string; with?: string; signWith?: string }

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
  requireTransaction(unsignedTransaction, type.toLowerCase())
  const { signWith } = await findSigner(options.with ?? options.signWith, stamping)
  const parameters = { signWith, unsignedTransaction, type: `TRANSACTION_TYPE_${type.toUpperCase()}` }
  const submitted = await submitChange(
    {
      type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
      parameters,
      review: async (body) => {
        if (!json) await showRequest(body, stamping)
      },
    },
    options,
    stamping,
  )
  if (submitted === undefined) return
  const result = resultOf(submitted.activity)
  printEither(stamping.terminal, { json }, result, [String(result["signedTransaction"])])
}

/** @throws {CliError} usage: these are no bytes, or no Ethereum transaction as the signer reads it */
function requireTransaction(text: string, type: string): void {
  if (!CHAINS.includes(type))
    throw usage(`--type ${type}: not a kind of transaction; use ethereum, solana, tron or bitcoin`)
  try {
    const bytes = readUnsigned(text)
    if (type === "ethereum") readEthereumTransaction(bytes)
  } catch (error) {
    if (!isFault(error, "transaction")) throw error
    throw usage(
      `${error.message} (at byte ${error.place}); give an unsigned ${type} transaction in hexadecimal`,
    )
  }
}
