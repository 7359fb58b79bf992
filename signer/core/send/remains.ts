import type { EthereumTransaction } from "../transaction/ethereum/transaction.ts"
import { type SignedTerms, termsOfCalls } from "./gas-station.ts"

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

/** Sentence about a batch whose calls end with the transaction in its place, as that uses their nonce too. */
export function endOf({ nonce, deadline }: SignedTerms): string {
  return `Once this transaction is included without error, nobody can run its calls any more: both use nonce ${nonce} of the delegate contract. If this one reverts, anyone who has its bytes can run them until ${utcText({ deadline })}.`
}

function utcText({ deadline }: Pick<SignedTerms, "deadline">): string {
  return `${new Date(Number(deadline) * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`
}

function callsLeft(data: string, isOwnCall: boolean): string[] {
  const terms = termsOfCalls(data)
  if (terms !== undefined)
    return [
      `Its calls stay valid without its nonce: anyone who has its bytes can run them until ${utcText(terms)}. Do not pay anew before.`,
    ]
  if (!isOwnCall || data === "0x") return []
  return ["It calls the account's own contract: what its data sign may stay valid without its nonce."]
}
