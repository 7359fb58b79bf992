// PSBTs of both versions, for a key of each scheme.
import { isFault } from "../../../signer/core/fault.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { readBitcoinSigning } from "../../../signer/core/transaction/bitcoin/sign.ts"
import type { SpendingKey } from "../../../signer/core/transaction/bitcoin/spending.ts"
import {
  type BitcoinTransaction,
  readBitcoinTransaction,
} from "../../../signer/core/transaction/bitcoin/transaction.ts"
import { taprootOutputKey } from "../../../signer/enclave/keys/address/taproot.ts"
import type { Reader } from "../engine/reader.ts"
import { psbt as format } from "../formats/psbt.ts"

/** The public key of the private key of 32 bytes 07, whose PSBTs the judge makes. */
const OWN = Buffer.from("02989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f", "hex")
const KEYS: readonly SpendingKey[] = [
  { scheme: "ecdsa", publicKey: OWN },
  { scheme: "taproot", publicKey: OWN, outputKeyOf: (root) => taprootOutputKey(OWN, root) },
]

/** `digests`: undefined where no input belongs to the key. */
export type ReadPsbt = { transaction: BitcoinTransaction; digests: string[] | undefined }

export const psbt: Reader<ReadPsbt[] | undefined> = {
  format,
  read(input) {
    const read = KEYS.flatMap((key): ReadPsbt[] => {
      const transaction = orUndefined(() => readBitcoinTransaction(input, key.scheme))
      const signing = orUndefined(() => readBitcoinSigning(input, key))
      const digests = signing?.inputs.map(({ digest }) => Buffer.from(digest()).toString("hex"))
      return transaction === undefined ? [] : [{ transaction, digests }]
    })
    return read.length === 0 ? undefined : read
  },
  isRefusal,
}

function isRefusal(error: unknown): boolean {
  return (
    isFault(error, "transaction") || (error instanceof Refusal && error.code === "TRANSACTION_SIGNER_MISSING")
  )
}

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}
