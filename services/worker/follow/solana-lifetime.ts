import {
  readSolanaTransaction,
  type SolanaTransaction,
} from "../../../signer/core/transaction/solana/transaction.ts"
import type { SolanaNode } from "../../chains/solana.ts"

/** The System program: 32 zero bytes in Base58. */
const SYSTEM_PROGRAM = "1".repeat(32)
/** Number of the system program's instruction AdvanceNonceAccount, little-endian, four bytes. */
const ADVANCE_NONCE = 4

/** True while a transaction whose author named the block hash can be included, or while that is unknown. */
export async function canBeIncluded(raw: Uint8Array, node: SolanaNode): Promise<boolean> {
  const transaction = readSolanaTransaction(raw)
  const account = nonceAccountOf(transaction)
  if (account !== undefined) return (await node.durableNonce(account)) === transaction.recentBlockhash
  return node.isUsable(transaction.recentBlockhash)
}

/** A first instruction that advances a nonce makes the block hash a durable nonce: it ends with the nonce. */
function nonceAccountOf({ accountKeys, instructions }: SolanaTransaction): string | undefined {
  const [first] = instructions
  if (first === undefined || accountKeys[first.program] !== SYSTEM_PROGRAM) return undefined
  const data = Buffer.from(first.data)
  if (data.length < 4 || data.readUInt32LE() !== ADVANCE_NONCE) return undefined
  const [account] = first.accounts
  return account === undefined ? undefined : accountKeys[account]
}
