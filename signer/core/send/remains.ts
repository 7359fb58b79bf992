import type { EthereumTransaction } from "../transaction/ethereum/transaction.ts"
import { deadlineOfCalls } from "./gas-station.ts"

type Signed = Pick<EthereumTransaction, "to" | "data" | "authorizationList">

/**
 * Sentences about parts of a transaction that stay valid after another one has taken its nonce: anyone who has the bytes can send these
 * parts in a transaction of their own. Empty: its nonce holds back all of it.
 * @param from the account that signed the transaction, lower-case hexadecimal with 0x
 */
export function remainsOf({ to, data, authorizationList }: Signed, from: string): string[] {
  return [...callsLeft(data, to === from), ...(authorizationList.length > 0 ? [DELEGATION] : [])]
}

const DELEGATION =
  "Its change of delegation (EIP-7702) stays valid without its nonce, until the account sends another transaction."

function callsLeft(data: string, isOwnCall: boolean): string[] {
  const deadline = deadlineOfCalls(data)
  if (deadline !== undefined) {
    const time = new Date(Number(deadline) * 1000).toISOString().slice(0, 19).replace("T", " ")
    return [
      `Its calls stay valid without its nonce: anyone who has its bytes can run them until ${time} UTC. Do not pay anew before.`,
    ]
  }
  if (!isOwnCall || data === "0x") return []
  return ["It calls the account's own contract: what its data sign may stay valid without its nonce."]
}
