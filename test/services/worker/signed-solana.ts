import { randomUUID } from "node:crypto"
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstruction,
  createTransactionMessage,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  getTransactionEncoder,
  type KeyPairSigner,
  type Nonce,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
  signTransactionMessageWithSigners,
} from "@solana/kit"
import { base58 } from "@scure/base"
import type { SolanaChain } from "../../harness/solana-chain.ts"
import type { StoredSend } from "./start-worker.ts"

export const SOLANA = "solana:local"
const SYSTEM_PROGRAM = address("11111111111111111111111111111111")

/** A nonce account of the System program. */
export type NonceAccount = { nonceAccountAddress: Address; nonce: string }

/** An account of ours with lamports. */
export async function fundedSigner(chain: SolanaChain, lamports = 10_000_000_000n): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner()
  if (lamports > 0n) chain.fund(signer.address, lamports)
  return signer
}

/** A transfer that kit signs, as the API would store it. */
export async function signedTransfer(
  chain: SolanaChain,
  payer: KeyPairSigner,
  {
    to,
    lamports = 1_000_000n,
    lastValidBlockHeight = 0n,
    durable,
  }: { to: string; lamports?: bigint; lastValidBlockHeight?: bigint; durable?: NonceAccount },
): Promise<StoredSend> {
  const unlimited = pipe(createTransactionMessage({ version: 0 }), (message) =>
    setTransactionMessageFeePayerSigner(payer, message),
  )
  const transfer = transferInstruction(payer.address, address(to), lamports)
  const blockhash = chain.svm.latestBlockhash()
  const signed = await (durable === undefined
    ? signTransactionMessageWithSigners(
        appendTransactionMessageInstruction(
          transfer,
          setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight }, unlimited),
        ),
      )
    : signTransactionMessageWithSigners(
        appendTransactionMessageInstruction(
          transfer,
          setTransactionMessageLifetimeUsingDurableNonce(
            {
              nonce: durable.nonce as Nonce,
              nonceAccountAddress: durable.nonceAccountAddress,
              nonceAuthorityAddress: payer.address,
            },
            unlimited,
          ),
        ),
      ))
  return {
    organizationId: randomUUID(),
    id: randomUUID(),
    caip2: SOLANA,
    account: payer.address,
    nonce: 0n,
    raw: Uint8Array.from(getTransactionEncoder().encode(signed)),
    hash: getSignatureFromTransaction(signed),
    lastValidBlockHeight,
  }
}

/** A nonce account that the authority may advance. Layout: version, state, authority, nonce, fee. */
export async function nonceAccount(chain: SolanaChain, authority: Address): Promise<NonceAccount> {
  const { address: nonceAccountAddress } = await generateKeyPairSigner()
  const nonce = base58.encode(new Uint8Array(32).fill(8))
  writeNonce(chain, { nonceAccountAddress, nonce }, authority)
  return { nonceAccountAddress, nonce }
}

export function writeNonce(
  chain: SolanaChain,
  { nonceAccountAddress, nonce }: NonceAccount,
  authority: Address,
): void {
  const [version, initialized, fee] = [Buffer.alloc(4), Buffer.alloc(4), Buffer.alloc(8)]
  version.writeUInt32LE(1)
  initialized.writeUInt32LE(1)
  fee.writeBigUInt64LE(5_000n)
  const data = Buffer.concat([version, initialized, base58.decode(authority), base58.decode(nonce), fee])
  chain.svm.setAccount({
    address: nonceAccountAddress,
    data: Uint8Array.from(data),
    executable: false,
    lamports: chain.svm.minimumBalanceForRentExemption(BigInt(data.length)) as never,
    programAddress: SYSTEM_PROGRAM,
    space: BigInt(data.length),
  })
}

function transferInstruction(from: Address, to: Address, lamports: bigint) {
  const data = new Uint8Array(12)
  const view = new DataView(data.buffer)
  view.setUint32(0, 2, true)
  view.setBigUint64(4, lamports, true)
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [
      { address: from, role: AccountRole.WRITABLE_SIGNER },
      { address: to, role: AccountRole.WRITABLE },
    ],
    data,
  } as const
}
