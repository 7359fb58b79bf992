import { Fault } from "../fault.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { ethereumAddress } from "../address/ethereum.ts"
import { refuse } from "../refusal.ts"
import { readSignedEthereumTransaction } from "../transaction/ethereum/signed.ts"
import type { EthereumTransaction } from "../transaction/ethereum/transaction.ts"
import { readUnsigned } from "../transaction/unsigned.ts"

/** A transaction that was signed elsewhere. `from`: its signer, with the checksum of EIP-55. */
export type RawTransaction = {
  readonly raw: Uint8Array
  readonly transaction: EthereumTransaction
  readonly from: string
  readonly hash: string
}

/** @throws Fault transaction, SEND_CHAIN_MISMATCH */
export function readRawTransaction(text: string, caip2: string): RawTransaction {
  const raw = readUnsigned(text)
  const { transaction, signature, digest, hash } = readSignedEthereumTransaction(raw)
  const own = `eip155:${transaction.chainId}`
  if (own !== caip2) {
    const sentence = `the transaction is for ${own} and the request names ${caip2}; name the chain that it was signed for`
    throw refuse("SEND_CHAIN_MISMATCH", sentence, { field: "parameters.caip2" })
  }
  return { raw, transaction, from: signerOf(signature, digest), hash }
}

function signerOf(
  { r, s, parity }: ReturnType<typeof readSignedEthereumTransaction>["signature"],
  digest: Uint8Array,
): string {
  try {
    const signature = new secp256k1.Signature(r, s, parity)
    return ethereumAddress(signature.recoverPublicKey(digest).toBytes(false))
  } catch (cause) {
    throw new Fault("transaction", "the signature is of no key", 0, cause)
  }
}
