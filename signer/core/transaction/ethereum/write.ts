import type { SignedAuthorization } from "./fields.ts"
import { rlpInteger, rlpList, rlpString } from "./rlp.ts"

/** Amounts in wei; addresses and data in lower-case hexadecimal with 0x. */
export type FeeMarketTransaction = {
  readonly chainId: bigint
  readonly nonce: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
  readonly gas: bigint
  readonly to: string
  readonly value: bigint
  readonly data: string
  readonly authorizations: readonly SignedAuthorization[]
}

/** Encodes an unsigned transaction without access list: of EIP-1559, or of EIP-7702 if it has authorizations. */
export function writeEthereumTransaction(transaction: FeeMarketTransaction): Uint8Array {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value, data } = transaction
  const authorizations = transaction.authorizations.map(writeAuthorization)
  const numbers = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas].map(rlpInteger)
  const call = [rlpHex(to), rlpInteger(value), rlpHex(data)]
  const noAccessList = rlpList()
  const lists = authorizations.length === 0 ? [noAccessList] : [noAccessList, rlpList(...authorizations)]
  const type = authorizations.length === 0 ? 2 : 4
  return Buffer.concat([Uint8Array.of(type), rlpList(...numbers, ...call, ...lists)])
}

/** `[chain id, address, nonce]` of an authorization, as it is signed (EIP-7702). */
export function authorizationFields({
  chainId,
  address,
  nonce,
}: Pick<SignedAuthorization, "chainId" | "address" | "nonce">): Uint8Array[] {
  return [rlpInteger(chainId), rlpHex(address), rlpInteger(nonce)]
}

function writeAuthorization(authorization: SignedAuthorization): Uint8Array {
  const { yParity, r, s } = authorization
  return rlpList(...authorizationFields(authorization), ...[yParity, r, s].map(rlpInteger))
}

function rlpHex(hex: string): Uint8Array {
  return rlpString(Buffer.from(hex.slice(2), "hex"))
}
