import { randomUUID } from "node:crypto"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { keccak256, type TransactionSerializable } from "viem"
import type { Anvil } from "../../harness/anvil.ts"
import type { StoredSend } from "./start-worker.ts"

export const GWEI = 1_000_000_000n

/** An account of ours with ether on a local chain. */
export async function fundedAccount(chain: Anvil, ether = 10n): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey())
  await chain.call("anvil_setBalance", account.address, `0x${(ether * 10n ** 18n).toString(16)}`)
  return account
}

/** A transaction that viem signs, as the API would store it. */
export async function signedSend(
  { chainId }: Pick<Anvil, "chainId">,
  account: PrivateKeyAccount,
  transaction: Partial<TransactionSerializable> & { nonce: number },
): Promise<StoredSend> {
  const serialized = await account.signTransaction({
    type: "eip1559",
    chainId,
    gas: 100_000n,
    maxFeePerGas: 20n * GWEI,
    maxPriorityFeePerGas: GWEI,
    ...transaction,
  } as TransactionSerializable & { type: "eip1559" })
  return {
    organizationId: randomUUID(),
    id: randomUUID(),
    caip2: `eip155:${chainId}`,
    account: account.address.toLowerCase(),
    nonce: BigInt(transaction.nonce),
    raw: Buffer.from(serialized.slice(2), "hex"),
    hash: keccak256(serialized),
  }
}
