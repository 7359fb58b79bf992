import { keccak_256 } from "@noble/hashes/sha3.js"
import { type UserOperation } from "./user-operation.ts"

/**
 * The hash of a user operation, which its account verifies (ERC-4337; `getUserOpHash` of the entry point):
 *
 *     0.6, 0.7   keccak256(keccak256(fields) || entry point || chain id), each a word
 *     0.8        keccak256(19 01 || hash of the domain || keccak256(type hash || fields)) (EIP-712)
 */
export function userOperationHash(operation: UserOperation): Uint8Array {
  const { version, entryPoint, chainId } = operation
  if (version !== "0.8")
    return keccak_256(Buffer.concat([keccak_256(fieldsOf(operation)), address(entryPoint), word(chainId)]))
  const domain = Buffer.concat([DOMAIN_TYPE, NAME, VERSION, word(chainId), address(entryPoint)])
  const struct = Buffer.concat([OPERATION_TYPE, fieldsOf(operation)])
  return keccak_256(Buffer.concat([Uint8Array.of(0x19, 0x01), keccak_256(domain), keccak_256(struct)]))
}

/** EIP-191: what accounts verify that take the hash as a message (`eth_sign`). */
export function userOperationMessage(operation: UserOperation): Uint8Array {
  return Buffer.concat([Buffer.from("\u0019Ethereum Signed Message:\n32"), userOperationHash(operation)])
}

const ofText = (text: string) => keccak_256(Buffer.from(text))
const DOMAIN_TYPE = ofText(
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
)
const NAME = ofText("ERC4337")
const VERSION = ofText("1")
const OPERATION_TYPE = ofText(
  "PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)",
)

/** `abi.encode` of the fields, bytes by their hashes. From 0.7 on two numbers of 128 bits share a word. */
function fieldsOf(operation: UserOperation): Uint8Array {
  const { version, sender, nonce, initCode, callData, paymasterAndData, preVerificationGas } = operation
  const { callGasLimit, verificationGasLimit, maxFeePerGas, maxPriorityFeePerGas } = operation
  const [limits, fees] =
    version === "0.6"
      ? [
          [callGasLimit, verificationGasLimit],
          [maxFeePerGas, maxPriorityFeePerGas],
        ]
      : [[pair(verificationGasLimit, callGasLimit)], [pair(maxPriorityFeePerGas, maxFeePerGas)]]
  return Buffer.concat([
    address(sender),
    word(nonce),
    keccak_256(bytes(initCode)),
    keccak_256(bytes(callData)),
    ...limits.map(word),
    word(preVerificationGas),
    ...fees.map(word),
    keccak_256(bytes(paymasterAndData)),
  ])
}

const pair = (high: bigint, low: bigint) => (high << 128n) | low

function word(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex")
}

const address = (hex: string) => word(BigInt(hex))
const bytes = (hex: string) => Buffer.from(hex.slice(2), "hex")
