import type { EthereumNode, StateBlock } from "./ethereum.ts"

/** Where delegates keep their state: ERC-7201, as the published gas station contracts do. */
const STATE_SLOT = "0x34d5be385818fa5c8c4e7f9d5a028251d28ebab8aaf203a072d1dde2d49a1100"

/** The nonce is in the low 16 bytes of the slot. */
const NONCE_BITS = 128

/** Code of an account that delegates (EIP-7702): this prefix and the delegate's address. */
const DELEGATION = "0xef0100"

/** The delegate contract's next nonce for an account; 0 before its first delegation. */
export async function gasStationNonce(
  node: EthereumNode,
  address: string,
  at: StateBlock = "latest",
): Promise<bigint> {
  return BigInt.asUintN(NONCE_BITS, await node.storage(address, STATE_SLOT, at))
}

/** True if the account's code is the delegation to this contract. */
export async function isDelegatedTo(node: EthereumNode, address: string, delegate: string): Promise<boolean> {
  const code = await node.code(address)
  return code.toLowerCase() === `${DELEGATION}${delegate.toLowerCase().slice(2)}`
}

/** True if the account's code is a delegation to any contract. */
export async function isDelegated(node: EthereumNode, address: string): Promise<boolean> {
  return (await node.code(address)).toLowerCase().startsWith(DELEGATION)
}
