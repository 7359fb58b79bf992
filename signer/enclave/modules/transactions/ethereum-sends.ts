import type { EthereumSend } from "../../../core/send/ethereum-send.ts"
import { requireKeyOn } from "../../../core/transaction/refusal.ts"
import { signDigest } from "../../keys/paymaster.ts"
import type { SigningKey } from "../../keys/signing-key.ts"
import type { ActivityContext } from "../../activities/activity.ts"

/**
 * Signs a send's one transaction, to be broadcast; returns the id that it is followed by.
 *
 * @param from the sender as the body spells it
 */
export function signEthereumSend(
  send: EthereumSend,
  from: string,
  { send: plans, broadcast, signingKey, newId }: ActivityContext<["broadcast", "send", "signingKey"]>,
): { sendTransactionStatusId: string } {
  const plan = plans.plan(send)
  const key = requireEthereumKey(signingKey(from, "parameters.from"))
  const { raw, hash } = plans.sign(plan, (digest) => signDigest(key, digest))
  const { account, nonce, validUntilMs, gasStationNonce, authorization } = plan
  const isDelegators = gasStationNonce !== undefined || authorization !== undefined
  const sendTransactionStatusId = newId()
  broadcast.add({
    sendTransactionStatusId,
    caip2: send.caip2,
    raw,
    transactionHash: hash,
    account,
    nonce,
    validUntilMs: BigInt(validUntilMs),
    lastValidBlockHeight: 0n,
    delegator: isDelegators ? send.from : "",
    gasStationNonce: gasStationNonce === undefined ? "" : String(gasStationNonce),
    ...(authorization !== undefined && { authorizationNonce: authorization.nonce }),
  })
  return { sendTransactionStatusId }
}

function requireEthereumKey(key: SigningKey): SigningKey {
  requireKeyOn("CURVE_SECP256K1", { curve: key.curve, publicKey: key.publicKeyHex }, "Ethereum")
  return key
}
