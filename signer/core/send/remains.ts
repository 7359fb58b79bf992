import type { EthereumTransaction } from "../transaction/ethereum/transaction.ts"
import { deadlineOfCalls } from "./gas-station.ts"

type Signed = Pick<EthereumTransaction, "to" | "data" | "authorizationList">

/**
 * Sentences about parts of a transaction that stay valid after another one has taken its nonce: anyone who has the bytes can send these
 * parts in a transaction of their own. Empty: its nonce holds back all of it.
 * @param from the account that signed the transaction, lower-case hexadecimal with 0x
 */
export function remainsOf({ to, data, authorizationList }: Signed, from: string): string[] {
  const deadline = deadlineOfCalls(data)
  const calls =
    deadline !== undefined || (to === from && data !== "0x")
      ? [
          `Its calls stay valid without its nonce: anyone who has its bytes can run them ${untilText(deadline)}. Do not pay anew before.`,
        ]
      : []
  const delegation =
    authorizationList.length > 0
      ? [
          "Its change of delegation (EIP-7702) stays valid without its nonce, until the account sends another transaction.",
        ]
      : []
  return [...calls, ...delegation]
}

function untilText(deadline: bigint | undefined): string {
  if (deadline === undefined) return "at any time"
  return `until ${new Date(Number(deadline) * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`
}
