// An account's transactions with the same nonce. A chain includes at most one, so the state of one decides about the others.
import type { KnownTransaction } from "../../chains/ethereum.ts"
import { isFinal, type Rival, type Send, type SendFailure } from "../store/sends.ts"

/** Texts of nodes that keep another transaction of the same nonce (go-ethereum, Erigon, Nethermind, Besu, Reth, anvil). */
const UNDERPRICED =
  /replacement ?(?:transaction )?(?:underpriced|not ?allowed)|could not replace existing|already reserved/i

/**
 * The reason why an open transaction waits, beside others of its nonce.
 *
 * @param reason the node's refusal, or what else keeps the transaction from its end
 * @param rivals newest first
 */
export function waitsBeside(
  send: Pick<Send, "account" | "nonce" | "createdMs">,
  reason: SendFailure | undefined,
  rivals: readonly Rival[],
): SendFailure | undefined {
  const [newest] = rivals.filter((rival) => !isFinal(rival))
  if (newest !== undefined && newest.createdMs > send.createdMs)
    return besides(
      newest,
      `${nameOf(newest)} was sent in its place, with the same nonce ${send.nonce}, and waits; a chain includes at most one of them`,
    )
  if (reason === undefined || !UNDERPRICED.test(reason.message)) return reason
  const advice = "nodes take another transaction of the same nonce only with fees that are 10 % higher"
  if (newest !== undefined)
    return besides(newest, `${nameOf(newest)} waits with nonce ${send.nonce}; ${advice}`)
  return { message: `another transaction of ${send.account} waits with nonce ${send.nonce}; ${advice}` }
}

/** The failure of a transaction whose nonce another one of this system has used. */
export function lostTo(
  rival: Rival,
  winner: KnownTransaction | undefined,
  { account, nonce, createdMs }: Pick<Send, "account" | "nonce" | "createdMs">,
): SendFailure {
  const isEarlier = rival.createdMs < createdMs
  const how = isEarlier
    ? "an earlier transaction was included first"
    : `it was ${winner !== undefined && isCancellation(winner) ? "cancelled" : "replaced"}`
  return besides(rival, `${how}: ${nameOf(rival)} of ${account} has used nonce ${nonce}`)
}

/** A batch of one call, executeBatch of the delegate. Sends of one call are no batches, so it only ends the calls of another batch. */
const ENDS_BATCH = /^0x5885bbcf[0-9a-f]{128}0{63}1/

/** True for a transaction that only uses up nonces of its sender. */
function isCancellation({ from, to, value, data = "" }: KnownTransaction): boolean {
  return to?.toLowerCase() === from.toLowerCase() && value === 0n && (data === "0x" || ENDS_BATCH.test(data))
}

function nameOf({ id, hash }: Rival): string {
  return `transaction ${hash} (${id})`
}

function besides({ id }: Rival, message: string): SendFailure {
  return { message, sameNonceId: id }
}
