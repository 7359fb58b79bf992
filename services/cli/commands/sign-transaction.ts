import { type ApiClient, activityBody, submit } from "../api-client.ts"
import { printResult, type Terminal } from "../terminal.ts"

export type SignTransactionOptions = { type: string; signWith: string; json?: boolean }

/** Has an unsigned transaction signed, and prints it. It is not broadcast. */
export async function signTransaction(
  unsignedTransaction: string,
  { type, signWith, json }: SignTransactionOptions,
  { client, organizationId, terminal }: { client: ApiClient; organizationId: string; terminal: Terminal },
): Promise<void> {
  const parameters = { signWith, unsignedTransaction, type: `TRANSACTION_TYPE_${type.toUpperCase()}` }
  const body = activityBody("ACTIVITY_TYPE_SIGN_TRANSACTION_V2", organizationId, parameters)
  const result = await submit(client, "sign_transaction", body)
  if (json) printResult(terminal, result, { json })
  else terminal.print(String(result["signedTransaction"]))
}
