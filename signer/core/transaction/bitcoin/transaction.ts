import { Fault } from "../../fault.ts"
import { isTaprootAddress } from "../../address/bitcoin.ts"
import { canonicalAddress } from "../../address/canonical.ts"
import { type Psbt, readPsbt, spendsByWitness } from "./psbt.ts"
import { LOCKTIME_THRESHOLD, MAX_MONEY, type TransactionOutput } from "./raw-transaction.ts"

/** A Bitcoin transaction with a proven fee: its signatures are valid for no other. Amounts in satoshi. */
export type BitcoinTransaction = {
  readonly psbt: Psbt
  readonly version: number
  readonly inputs: readonly {
    /** Id of the previous transaction as it is shown, hexadecimal. */
    readonly transactionId: string
    readonly outputIndex: number
    readonly sequence: number
  }[]
  readonly outputs: readonly TransactionOutput[]
  readonly locktime: { readonly amount: number; readonly type: "Blocks" | "Seconds" }
  readonly fee: bigint
}

/** Signatures of a request: with the key path of Taproot outputs, or ECDSA. */
export type BitcoinScheme = "taproot" | "ecdsa"

/** The signatures that an account makes. `signWith`: an address in any spelling, or the id of a private key. */
export function bitcoinSchemeOf(signWith: string): BitcoinScheme {
  return isTaprootAddress(canonicalAddress(signWith)) ? "taproot" : "ecdsa"
}

/**
 * Reads a PSBT. Its amounts are true, or every signature of the request is invalid.
 *
 * - A Taproot signature is over the amounts of all inputs (BIP-341).
 * - An ECDSA signature is over the amount of its own input at most (BIP-143). Two requests could each be right about another
 *   input, and their signatures together pay a fee that neither shows. So each input must come with its previous
 *   transaction; the only one of a transaction may leave it out if it spends by a witness.
 *
 * @throws Fault transaction
 */
export function readBitcoinTransaction(bytes: Uint8Array, scheme: BitcoinScheme): BitcoinTransaction {
  const psbt = readPsbt(bytes)
  const { version, inputs, outputs, locktime } = psbt.transaction
  return {
    psbt,
    version,
    inputs: inputs.map(({ outpoint, outputIndex, sequence }) => ({
      transactionId: Buffer.from(outpoint.subarray(0, 32).toReversed()).toString("hex"),
      outputIndex,
      sequence,
    })),
    outputs,
    locktime: { amount: locktime, type: locktime < LOCKTIME_THRESHOLD ? "Blocks" : "Seconds" },
    fee: feeOf(psbt, scheme),
  }
}

function feeOf({ transaction, inputs }: Psbt, scheme: BitcoinScheme): bigint {
  const spent = inputs.map((input, index) => {
    const isTrue = scheme === "taproot" || (inputs.length === 1 && spendsByWitness(input)) || input.isProven
    if (input.spent !== undefined && isTrue) return input.spent.value
    const why = input.spent === undefined ? "an amount" : "a proof of its amount"
    throw new Fault(
      "transaction",
      `input ${index} comes without ${why}: add its previous transaction as non_witness_utxo`,
      input.map.end,
    )
  })
  const fee = total(spent) - total(transaction.outputs.map(({ value }) => value))
  if (fee >= 0n) return fee
  throw new Fault("transaction", "the outputs are more than the inputs", 0)
}

function total(values: readonly bigint[]): bigint {
  const sum = values.reduce((one, other) => one + other, 0n)
  if (sum <= MAX_MONEY) return sum
  throw new Fault("transaction", `the amounts have more than ${MAX_MONEY} satoshi together`, 0)
}
