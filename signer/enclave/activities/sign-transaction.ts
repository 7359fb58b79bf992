import { TransactionType, TransactionTypeSchema } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Curve } from "../../core/crypto/curve.ts"
import { refuse } from "../../core/refusal.ts"
import {
  ethereumSigningHash,
  readEthereumTransaction,
  withSignature,
} from "../../core/transaction/ethereum/transaction.ts"
import {
  readSolanaTransaction,
  signerPlace,
  withSolanaSignature,
} from "../../core/transaction/solana/transaction.ts"
import { TransactionFault } from "../../core/transaction/fault.ts"
import { requireKeyOn, transactionRefusal } from "../../core/transaction/refusal.ts"
import { readUnsigned } from "../../core/transaction/unsigned.ts"
import { solanaAddress } from "../keys/address/ed25519-chains.ts"
import type { SigningKey } from "../keys/signing-key.ts"
import type { Activity, ActivityContext } from "./activity.ts"

type TransactionParameters = { unsignedTransaction: string; type: TransactionType }

export const signTransaction: Activity<"signTransaction"> = {
  check: requireReadable,
  run: ({ privateKeyId, ...parameters }, context) => signOne(privateKeyId, parameters, context),
}

export const signTransactionV2: Activity<"signTransaction", "V2"> = {
  check: requireReadable,
  run: ({ signWith, ...parameters }, context) => signOne(signWith, parameters, context),
}

/** The signing of one type: what cannot be read is refused before anybody is asked to vote. */
type Chain = {
  /** @throws TransactionFault */
  requireReadable(unsigned: Uint8Array): void
  /**
   * The signed transaction, as nodes take it.
   * @throws TransactionFault, TRANSACTION_KEY_UNFIT, TRANSACTION_SIGNER_MISSING
   */
  sign(unsigned: Uint8Array, key: SigningKey): Uint8Array
}

const chains: ReadonlyMap<TransactionType, Chain> = new Map([
  [
    TransactionType.ETHEREUM,
    {
      requireReadable: (unsigned: Uint8Array) => void readEthereumTransaction(unsigned),
      sign(unsigned: Uint8Array, key: SigningKey) {
        requireKey(key, "CURVE_SECP256K1", "Ethereum")
        const { r, s, v } = key.sign({ digest: ethereumSigningHash(unsigned) })
        return withSignature(unsigned, {
          r: BigInt(`0x${r}`),
          s: BigInt(`0x${s}`),
          parity: v === "01" ? 1 : 0,
        })
      },
    },
  ],
  [
    TransactionType.SOLANA,
    {
      requireReadable: (unsigned: Uint8Array) => void readSolanaTransaction(unsigned),
      sign(unsigned: Uint8Array, key: SigningKey) {
        requireKey(key, "CURVE_ED25519", "Solana")
        const transaction = readSolanaTransaction(unsigned)
        const signer = solanaAddress(Buffer.from(key.publicKeyHex, "hex"))
        signerPlace(transaction, signer)
        const { r, s } = key.sign({ message: transaction.message })
        return withSolanaSignature(unsigned, signer, Buffer.from(r + s, "hex"))
      },
    },
  ],
])

function requireReadable({ unsignedTransaction, type }: TransactionParameters): void {
  const chain = chainOf(type)
  asRefusal(() => chain.requireReadable(readUnsigned(unsignedTransaction)))
}

/** Hexadecimal without 0x, as published clients expect it. */
function signOne(
  signWith: string,
  { unsignedTransaction, type }: TransactionParameters,
  { vault }: ActivityContext,
) {
  const chain = chainOf(type)
  const key = vault.signingKey(signWith)
  const signed = asRefusal(() => chain.sign(readUnsigned(unsignedTransaction), key))
  return { signedTransaction: Buffer.from(signed).toString("hex") }
}

/** Requires the curve of a chain, and its ordinary signatures: a Taproot or Spark address signs by Schnorr. */
function requireKey({ curve, publicKeyHex: publicKey, scheme }: SigningKey, expected: Curve, chain: string) {
  requireKeyOn(expected, { curve, publicKey }, chain)
  if (scheme === "default") return
  const sentence = `${chain} transactions are not signed by Schnorr; name another address of the key`
  throw refuse("TRANSACTION_KEY_UNFIT", sentence, { field: "parameters.signWith" })
}

/** @throws TRANSACTION_TYPE_UNSUPPORTED */
function chainOf(type: TransactionType): Chain {
  const chain = chains.get(type)
  if (chain !== undefined) return chain
  const served = Array.from(chains.keys(), nameOf).join(", ")
  const sentence = `transactions of ${nameOf(type)} are not served yet, only of ${served}; sign their digest with sign_raw_payload`
  throw refuse("TRANSACTION_TYPE_UNSUPPORTED", sentence, { field: "parameters.type" })
}

function nameOf(type: TransactionType): string {
  return TransactionTypeSchema.value[type]?.name ?? `type ${type}`
}

function asRefusal<T>(read: () => T): T {
  try {
    return read()
  } catch (fault) {
    throw fault instanceof TransactionFault ? transactionRefusal(fault) : fault
  }
}
