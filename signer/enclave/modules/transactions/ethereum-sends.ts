import { requireKeyOn } from "../../../core/transaction/refusal.ts"
import { signDigest } from "../../keys/ethereum-signature.ts"
import type { SigningKey } from "../../keys/signing-key.ts"
import type { ActivityContext } from "../../activities/activity.ts"

/**
 * Signs the activity's one transaction, to be broadcast; returns the id that it is followed by.
 *
 * @param parameters `from`: the sender as the body spells it
 */
export function signEthereumSend(
  { from }: { readonly from: string },
  { send: plans, broadcast, signingKey, newId }: ActivityContext<["broadcast", "send", "signingKey"]>,
): { sendTransactionStatusId: string } {
  const plan = plans.ethereum()
  const key = requireEthereumKey(signingKey(from, "parameters.from"))
  const { raw, hash } = plans.sign((digest) => signDigest(key, digest))
  const { send, account, nonce, validUntilMs, gasStationNonce, authorization } = plan
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
