import { TransactionType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { tronAddress } from "../../../core/address/tron.ts"
import type { Curve } from "../../../core/crypto/curve.ts"
import { refuse } from "../../../core/refusal.ts"
import { readBitcoinSigning } from "../../../core/transaction/bitcoin/sign.ts"
import type { SpendingKey } from "../../../core/transaction/bitcoin/spending.ts"
import { bitcoinSchemeOf, readBitcoinTransaction } from "../../../core/transaction/bitcoin/transaction.ts"
import {
  readEthereumTransaction,
  signingHashInSteps,
  withSignature,
} from "../../../core/transaction/ethereum/transaction.ts"
import { requireKeyOn } from "../../../core/transaction/refusal.ts"
import {
  readSolanaTransaction,
  signerPlace,
  withSolanaSignature,
} from "../../../core/transaction/solana/transaction.ts"
import {
  readTronTransaction,
  requireTronOwner,
  tronSigningHash,
  withTronSignature,
} from "../../../core/transaction/tron/transaction.ts"
import { solanaAddress } from "../../keys/address/ed25519-chains.ts"
import { taprootOutputKey } from "../../keys/address/taproot.ts"
import type { Steps } from "../../../core/turns/steps.ts"
import type { SigningKey } from "../../keys/signing-key.ts"

/** The signing of one type: a transaction that cannot be read is refused before anybody is asked to vote. */
export type SigningChain = {
  /** @param signWith name of the key, by which Bitcoin's signatures differ @throws Fault transaction */
  requireReadable(unsigned: Uint8Array, signWith: string): void
  /**
   * The signed transaction as nodes take it, or the PSBT with signatures. It is made in steps.
   * @param key asked for before each signature: between two steps its account may be deleted
   * @throws Fault transaction, TRANSACTION_KEY_UNFIT, TRANSACTION_SIGNER_MISSING
   */
  sign(unsigned: Uint8Array, key: () => SigningKey): Uint8Array | Steps<Uint8Array>
}

const ethereum: SigningChain = {
  requireReadable: (unsigned) => void readEthereumTransaction(unsigned),
  *sign(unsigned, key) {
    const digest = yield* signingHashInSteps(unsigned)
    const { r, s, v } = requireKey(key(), "CURVE_SECP256K1", "Ethereum").sign({ digest })
    return withSignature(unsigned, {
      r: BigInt(`0x${r}`),
      s: BigInt(`0x${s}`),
      parity: v === "01" ? 1 : 0,
    })
  },
}

const solana: SigningChain = {
  requireReadable: (unsigned) => void readSolanaTransaction(unsigned),
  sign(unsigned, key) {
    const own = requireKey(key(), "CURVE_ED25519", "Solana")
    const transaction = readSolanaTransaction(unsigned)
    const signer = solanaAddress(Buffer.from(own.publicKeyHex, "hex"))
    signerPlace(transaction, signer)
    const { r, s } = own.sign({ message: transaction.message })
    return withSolanaSignature(unsigned, signer, Buffer.from(r + s, "hex"))
  },
}

const tron: SigningChain = {
  requireReadable: (unsigned) => void readTronTransaction(unsigned),
  sign(unsigned, key) {
    const own = requireKey(key(), "CURVE_SECP256K1", "Tron")
    requireTronOwner(unsigned, tronAddress(Buffer.from(own.publicKeyUncompressed ?? "", "hex")))
    const { r, s, v } = own.sign({ digest: tronSigningHash(unsigned) })
    return withTronSignature(unsigned, Buffer.from(r + s + v, "hex"))
  },
}

const bitcoin: SigningChain = {
  requireReadable: (unsigned, signWith) => void readBitcoinTransaction(unsigned, bitcoinSchemeOf(signWith)),
  *sign(unsigned, key) {
    const signing = readBitcoinSigning(unsigned, spendingKey(key()))
    const signatures: Uint8Array[] = []
    for (const { digest, merkleRoot } of signing.inputs) {
      const { r, s } = key().sign({ digest: digest(), merkleRoot })
      signatures.push(Buffer.from(r + s, "hex"))
      yield
    }
    return signing.withSignatures(signatures)
  },
}

/** The chains that are served. */
export const chains: ReadonlyMap<TransactionType, SigningChain> = new Map([
  [TransactionType.ETHEREUM, ethereum],
  [TransactionType.SOLANA, solana],
  [TransactionType.TRON, tron],
  [TransactionType.BITCOIN, bitcoin],
])

function spendingKey(key: SigningKey): SpendingKey {
  const publicKey = Buffer.from(key.publicKeyHex, "hex")
  if (key.scheme === "taproot")
    return {
      scheme: "taproot",
      publicKey,
      outputKeyOf: (merkleRoot) => taprootOutputKey(publicKey, merkleRoot),
    }
  requireKey(key, "CURVE_SECP256K1", "Bitcoin")
  return { scheme: "ecdsa", publicKey }
}

/** Requires the curve of a chain, and its ordinary signatures: a Taproot or Spark address signs by Schnorr. */
function requireKey(key: SigningKey, expected: Curve, chain: string): SigningKey {
  const { curve, publicKeyHex: publicKey, scheme } = key
  requireKeyOn(expected, { curve, publicKey }, chain)
  if (scheme === "default") return key
  const sentence = `${chain} transactions are not signed by Schnorr; name another address of the key`
  throw refuse("TRANSACTION_KEY_UNFIT", sentence, { field: "parameters.signWith" })
}
