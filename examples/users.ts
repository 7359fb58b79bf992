import { Turnkey } from "@turnkey/sdk-server"
import {
  type Hex,
  parseTransaction,
  recoverAddress,
  recoverTransactionAddress,
  serializeSignature,
} from "viem"
import { keyOf, need } from "./development-values.ts"

/** The first Ethereum account of a wallet. */
export const ETHEREUM = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const

/** A client of a user of organization Dev: root, backend, alice or bob. */
export function clientOf(userName: string) {
  return clientIn(need("ORGANIZATION_ID"), keyOf(userName))
}

/** The published client with one API key. It asks once for the result of an activity that waits for votes. */
export function clientIn(organizationId: string, key: { apiPublicKey: string; apiPrivateKey: string }) {
  return new Turnkey({
    apiBaseUrl: need("BASE_URL"),
    ...key,
    defaultOrganizationId: organizationId,
    activityPoller: { intervalMs: 100, numRetries: 0 },
  }).apiClient()
}

export type Client = ReturnType<typeof clientIn>

/** Deletes the policies whose names begin so, of this and of interrupted runs. */
export async function removePolicies(root: Client, prefix: string): Promise<void> {
  const { policies } = await root.getPolicies()
  const policyIds = policies
    .filter(({ policyName }) => policyName.startsWith(prefix))
    .map(({ policyId }) => policyId)
  if (policyIds.length > 0) await root.deletePolicies({ policyIds })
}

/** Reason of an attempt that must be refused, without the details that follow it. */
export async function refusal(attempt: Promise<unknown>): Promise<string> {
  const reason = await attempt.then(
    () => undefined,
    (error: Error) => error.message.split(" (Details")[0],
  )
  if (reason === undefined) throw new Error("the attempt was not refused")
  return `refused: ${reason}`
}

/** Says who signed a hash. @throws if it was another account */
export async function signedBy(
  account: Hex,
  hash: Hex,
  { r, s, v }: { r: string; s: string; v: string },
): Promise<string> {
  const signature = serializeSignature({ r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) })
  const signer = await recoverAddress({ hash, signature })
  if (signer !== account) throw new Error(`viem recovers ${signer}`)
  return `signed by ${signer}`
}

/** Recipient and amount in wei of a signed payment. @throws if another account signed it */
export async function readPayment(
  account: Hex,
  signedTransaction: string,
): Promise<{ to: string; value: bigint }> {
  const serializedTransaction = `0x02${signedTransaction.replace(/^(0x)?02/, "")}` as const
  const signer = await recoverTransactionAddress({ serializedTransaction })
  if (signer !== account) throw new Error(`viem recovers ${signer}`)
  const { to, value = 0n } = parseTransaction(serializedTransaction)
  return { to: to ?? "", value }
}
