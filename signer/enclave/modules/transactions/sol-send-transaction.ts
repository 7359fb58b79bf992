import { readingTransaction } from "../../../core/fault-refusals.ts"
import { planSolanaSend, type SolanaSendParameters } from "../../../core/send/solana-send.ts"
import { requireKeyOn } from "../../../core/transaction/refusal.ts"
import type { Activity, ActivityContext } from "../../activities/activity.ts"

const needs = ["broadcast", "send", "signingKey"] as const

export const solSendTransaction: Activity<"solSendTransaction", typeof needs> = {
  needs,
  check: requireSolanaSend,
  run: signSolanaSend,
}

export const solSendTransactionV2: Activity<"solSendTransaction", typeof needs, "V2", "V2"> = {
  needs,
  check: requireSolanaSend,
  run: signSolanaSend,
}

/** A send that waits for votes gets its block hash when they are complete. */
function requireSolanaSend(parameters: SolanaSendParameters): void {
  readingTransaction(() => planSolanaSend(parameters, undefined))
}

/** Signs a send by all its keys, to be broadcast; returns the id that it is followed by. */
function signSolanaSend(
  { caip2 }: SolanaSendParameters,
  { send, broadcast, signingKey, newId }: ActivityContext<typeof needs>,
): { sendTransactionStatusId: string } {
  const plan = send.solana()
  const { raw, hash } = plan.sign(({ address, field }, message) => {
    const key = signingKey(address, field)
    requireKeyOn("CURVE_ED25519", { curve: key.curve, publicKey: key.publicKeyHex }, "Solana")
    const { r, s } = key.sign({ message })
    return Buffer.from(r + s, "hex")
  })
  const sendTransactionStatusId = newId()
  const { transaction, lastValidBlockHeight } = plan
  broadcast.add({
    sendTransactionStatusId,
    caip2,
    raw,
    transactionHash: hash,
    // The first key pays.
    account: transaction.accountKeys[0] ?? "",
    nonce: 0n,
    validUntilMs: 0n,
    lastValidBlockHeight,
  })
  return { sendTransactionStatusId }
}
