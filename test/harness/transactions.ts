import { base58 } from "@scure/base"

/** Parameters that sign a transaction of nothing to another account, on Ethereum's main chain. `nonce`: 1 to 127. */
export function transactionParams(signWith: string, nonce = 1) {
  const digits = nonce.toString(16).padStart(2, "0")
  const unsignedTransaction = `02df01${digits}80808252089470997970c51812dc3a010c7d01b50e0d17dc79c88080c0`
  return { signWith, unsignedTransaction, type: "TRANSACTION_TYPE_ETHEREUM" }
}

const SYSTEM_PROGRAM = new Uint8Array(32)

/** A legacy transaction of Solana: the last signer sends lamports, the first one pays. Signatures are zero. */
export function solanaTransfer({
  signers,
  lamports,
  to = base58.encode(new Uint8Array(32).fill(7)),
  blockhash = new Uint8Array(32).fill(4),
}: {
  signers: readonly string[]
  lamports: bigint
  to?: string
  /** Zero bytes leave it to the service. */
  blockhash?: Uint8Array
}): { bytes: Uint8Array<ArrayBuffer>; message: Uint8Array<ArrayBuffer> } {
  const data = Buffer.alloc(12)
  data.writeUInt32LE(2)
  data.writeBigUInt64LE(lamports, 4)
  const keys = [...signers, to].map((address) => base58.decode(address))
  const [from, recipient, program] = [signers.length - 1, signers.length, signers.length + 1]
  const message = Uint8Array.of(
    signers.length,
    0,
    1,
    keys.length + 1,
    ...keys.flatMap((key) => [...key]),
    ...SYSTEM_PROGRAM,
    ...blockhash,
    1,
    program,
    2,
    from,
    recipient,
    data.length,
    ...data,
  )
  const signatures = new Uint8Array(64 * signers.length)
  return { bytes: Uint8Array.of(signers.length, ...signatures, ...message), message }
}
