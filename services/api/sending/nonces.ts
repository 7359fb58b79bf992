import { FillValue, type NeededFill } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { canonicalChain } from "../../chains/chains.ts"
import { gasStationNonce, isDelegatedTo } from "../../chains/delegation.ts"
import type { EthereumNode } from "../../chains/ethereum.ts"
import type { Database } from "../../database/database.ts"
import { type ChainAccount, delegationUse, noncesInUse } from "../store/sends.ts"
import { firstFree } from "./free-nonce.ts"

/** Nonces of a fill; absent: not asked for, or not used. */
export type NextNonces = {
  nonce?: bigint
  paymasterNonce?: bigint
  gasStationNonce?: string
  isDelegated?: boolean
}

/** Accounts whose nonces a send takes. The sender is first, as in every order: two orders never wait for each other. */
export function accountsOf({ caip2, from, paymaster, values }: NeededFill): ChainAccount[] {
  const chain = canonicalChain(caip2)
  const takesOwn = values.includes(FillValue.NONCE) || values.includes(FillValue.GAS_STATION_NONCE)
  return [
    ...(takesOwn ? [{ chain, account: from.toLowerCase() }] : []),
    ...(values.includes(FillValue.PAYMASTER_NONCE) ? [{ chain, account: paymaster.toLowerCase() }] : []),
  ]
}

/**
 * The lowest nonces that neither the chain nor an open send uses. A nonce that a failed send released is used first,
 * so no gap remains. The caller holds the locks of the accounts.
 */
export async function nextNonces(needed: NeededFill, node: EthereumNode, sql: Database): Promise<NextNonces> {
  const { caip2, from, paymaster, delegate, sponsor, calls, values } = needed
  const wants = (value: FillValue) => values.includes(value)
  const [sender, payer] = [from, paymaster].map((address) => {
    return { chain: canonicalChain(caip2), account: address.toLowerCase() }
  }) as [ChainAccount, ChainAccount]
  // The database before the node: a send that is mined in between is then counted by both, and not by neither.
  const [own, paid, use] = await Promise.all([
    wants(FillValue.NONCE) ? noncesInUse(sql, sender) : [],
    wants(FillValue.PAYMASTER_NONCE) ? noncesInUse(sql, payer) : [],
    delegationUse(sql, sender),
  ])
  const [nextOwn, nextPaid, nextOfStation, delegated] = await Promise.all([
    wants(FillValue.NONCE) ? node.nonce(from, "pending") : undefined,
    wants(FillValue.PAYMASTER_NONCE) ? node.nonce(paymaster, "pending") : undefined,
    wants(FillValue.GAS_STATION_NONCE) ? gasStationNonce(node, from, "pending") : undefined,
    wants(FillValue.IS_DELEGATED) ? isDelegatedTo(node, from, delegate) : undefined,
  ])
  // Behind an open change of the delegation the send brings an authorization of its own: it is right in either case.
  const isDelegated = delegated === undefined ? undefined : delegated && use.authorizationNonces.length === 0
  const authorizes = calls.length === 0 || isDelegated === false
  return {
    // A transaction of the sender is counted before its authorization (EIP-7702): it uses two nonces.
    ...(nextOwn !== undefined && {
      nonce: firstFree(nextOwn, [...own, ...use.authorizationNonces], authorizes && !sponsor ? 2n : 1n),
    }),
    ...(nextPaid !== undefined && { paymasterNonce: firstFree(nextPaid, paid) }),
    ...(nextOfStation !== undefined && {
      gasStationNonce: String(firstFree(nextOfStation, use.gasStationNonces)),
    }),
    ...(isDelegated !== undefined && { isDelegated }),
  }
}
