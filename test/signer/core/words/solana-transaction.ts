import { Keypair, PublicKey, Transaction, type TransactionInstruction } from "@solana/web3.js"

export const payer = Keypair.fromSeed(new Uint8Array(32).fill(1)).publicKey
export const recipient = Keypair.fromSeed(new Uint8Array(32).fill(2)).publicKey
export const program = Keypair.fromSeed(new Uint8Array(32).fill(3)).publicKey
export const TOKENS = new PublicKey("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
const blockhash = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"

/** A transaction as web3.js serializes it, without signatures. */
export function solana(...instructions: readonly TransactionInstruction[]): Buffer {
  const transaction = new Transaction({ feePayer: payer, blockhash, lastValidBlockHeight: 1 }).add(
    ...instructions,
  )
  return transaction.serialize({ requireAllSignatures: false, verifySignatures: false })
}
