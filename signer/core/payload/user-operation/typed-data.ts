import type { TypedData } from "../typed-data/read.ts"
import { DOMAIN } from "../typed-data/types.ts"
import { isStruct, type TypedValue } from "../typed-data/value.ts"
import { MAX_UINT128, type UserOperation } from "./user-operation.ts"

const DOMAIN_TYPE = "string name,string version,uint256 chainId,address verifyingContract"
const OPERATION_TYPE =
  "address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData"

/**
 * The user operation that typed data are: those of the entry point from version 0.8 on. Undefined for all others. Types, names and
 * order are compared, as the digest covers them: other typed data have another digest than any user operation.
 */
export function userOperationOf({
  types,
  primaryType,
  domain,
  message,
}: TypedData): UserOperation | undefined {
  if (primaryType !== "PackedUserOperation") return undefined
  if (declared(types, DOMAIN) !== DOMAIN_TYPE || declared(types, primaryType) !== OPERATION_TYPE)
    return undefined
  if (domain.get("name") !== "ERC4337" || domain.get("version") !== "1") return undefined
  const [verificationGasLimit, callGasLimit] = halves(message.get("accountGasLimits"))
  const [maxPriorityFeePerGas, maxFeePerGas] = halves(message.get("gasFees"))
  return {
    version: "0.8",
    entryPoint: hexOf(domain.get("verifyingContract")),
    chainId: integerOf(domain.get("chainId")),
    sender: hexOf(message.get("sender")),
    nonce: integerOf(message.get("nonce")),
    initCode: hexOf(message.get("initCode")),
    callData: hexOf(message.get("callData")),
    callGasLimit,
    verificationGasLimit,
    preVerificationGas: integerOf(message.get("preVerificationGas")),
    maxFeePerGas,
    maxPriorityFeePerGas,
    paymasterAndData: hexOf(message.get("paymasterAndData")),
  }
}

function declared(types: TypedData["types"], name: string): string {
  return (types.get(name) ?? []).map((member) => `${member.type.text} ${member.name}`).join(",")
}

function halves(value: TypedValue | undefined): [high: bigint, low: bigint] {
  const whole = BigInt(hexOf(value))
  return [whole >> 128n, whole & MAX_UINT128]
}

// The types of the members are compared above, so the values have these forms.

function hexOf(value: TypedValue | undefined): string {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`
  throw new TypeError("a value of an address or bytes has another form")
}

function integerOf(value: TypedValue | undefined): bigint {
  if (typeof value === "bigint" && !isStruct(value)) return value
  throw new TypeError("a value of an integer has another form")
}
