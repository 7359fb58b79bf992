import { refuse } from "../refusal.ts"

/** Gas of a transaction before any call runs (Yellow Paper §6.2, EIP-2028, EIP-7623, EIP-7702), in units of gas. */
const TRANSACTION_GAS = 21_000n
const TOKEN_GAS = 4n
const TOKEN_FLOOR_GAS = 10n
/** Tokens of a byte of data: a zero has one. */
const BYTE_TOKENS = 4n
const AUTHORIZATION_GAS = 25_000n
/** Greatest gas limit of a transaction (EIP-7825). */
const MAX_GAS = 2n ** 24n

/**
 * Refuses a gas limit with which no node takes a sponsored transaction. The paymaster's nonce would stay unused, and all later
 * sponsored sends of all organizations would wait for it.
 * @param data of the transaction, hexadecimal with 0x
 * @throws SEND_INVALID
 */
export function requireSponsoredGas(gas: bigint, data: string, authorizations: number): void {
  const least = leastGas(data, BigInt(authorizations))
  if (gas >= least && gas <= MAX_GAS) return
  const sentence = `gasLimit ${gas}: nodes take this sponsored transaction with ${least} to ${MAX_GAS} gas; name a limit between, or leave gasLimit out`
  throw refuse("SEND_INVALID", sentence, { field: "parameters.gasLimit" })
}

/** Gas with which every delegate uses up a nonce: a signature, a nonce in storage, and a call of the account. */
const ENDING_GAS = 60_000n

/** Refuses a gas limit with which the end of a batch would revert, and leave the batch's calls valid. @throws SEND_INVALID */
export function requireEndingGas(gas: bigint, data: string, authorizations: number): void {
  const least = leastGas(data, BigInt(authorizations)) + ENDING_GAS
  if (gas >= least) return
  const sentence = `gasLimit ${gas} is too low to cancel a batch, whose calls would stay valid; name ${least} or more, or cancelGasLimit of get_send_replacement`
  throw refuse("SEND_INVALID", sentence, { field: "parameters.gasLimit" })
}

function leastGas(data: string, authorizations: bigint): bigint {
  const bytes = Buffer.from(data.slice(2), "hex")
  const zeros = BigInt(bytes.filter((byte) => byte === 0).length)
  const tokens = zeros + (BigInt(bytes.length) - zeros) * BYTE_TOKENS
  const standard = tokens * TOKEN_GAS + authorizations * AUTHORIZATION_GAS
  const floor = tokens * TOKEN_FLOOR_GAS
  return TRANSACTION_GAS + (standard > floor ? standard : floor)
}
