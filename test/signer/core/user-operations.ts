// User operations of tests, with the calls of a common account, as viem writes them.
import { encodeFunctionData, type Hex, parseAbi, toHex } from "viem"
import { getUserOperationTypedData, type UserOperation } from "viem/account-abstraction"

export const ENTRY_POINT = "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108"
export const SENDER: Hex = `0x${"11".repeat(20)}`
const abi = parseAbi([
  "struct Call { address to; uint256 value; bytes data; }",
  "function executeBatch(Call[] calls)",
])
export type Call = { to: Hex; value: bigint; data: Hex }

/** Call data of an account that makes these calls. */
export const callsOf = (...calls: readonly Call[]): Hex =>
  encodeFunctionData({ abi, functionName: "executeBatch", args: [calls] })

export const OPERATION: UserOperation<"0.7"> = {
  sender: SENDER,
  nonce: (9n << 64n) + 5n,
  callData: "0x",
  callGasLimit: 100_000n,
  verificationGasLimit: 50_000n,
  preVerificationGas: 21_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  signature: "0x",
}

const bigints = (_name: string, value: unknown) => (typeof value === "bigint" ? toHex(value) : value)

export function parametersOf(change: object, entryPointVersion = "0.7", chainId = 8453) {
  const userOperation = { ...OPERATION, ...change }
  return { chainId, entryPointAddress: ENTRY_POINT, entryPointVersion, userOperation } as const
}

/** The payload of PAYLOAD_ENCODING_ERC4337_USER_OPERATION. */
export const payloadOf = (...given: Parameters<typeof parametersOf>): string =>
  JSON.stringify(parametersOf(...given), bigints)

/** The same operation as typed data of version 0.8, the payload of PAYLOAD_ENCODING_EIP712. */
export function typedPayloadOf(change: object, chainId = 8453): string {
  const { userOperation, entryPointAddress } = parametersOf(change)
  return JSON.stringify(getUserOperationTypedData({ chainId, entryPointAddress, userOperation }), bigints)
}
