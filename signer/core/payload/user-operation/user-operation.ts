import { ethereumAddressBytes } from "../../address/ethereum.ts"
import { Fault } from "../../fault.ts"
import { memberOf, readInteger, readPayloadJson, requireObject } from "../json.ts"

/** The entry point's version, which decides how the hash is made. 0.9 hashes as 0.8 does. */
export type EntryPointVersion = "0.6" | "0.7" | "0.8"

/** A user operation of ERC-4337 without its signature. Addresses and bytes are lower-case hexadecimal with 0x. */
export type UserOperation = {
  readonly version: EntryPointVersion
  readonly entryPoint: string
  readonly chainId: bigint
  readonly sender: string
  readonly nonce: bigint
  /**
   * `factory(20) || data`, or `0x`. In the hash of 0.8 an account that has delegated its code (EIP-7702) has its delegate in place of
   * a factory, so the hash does not say which of the two it is.
   */
  readonly initCode: string
  readonly callData: string
  readonly callGasLimit: bigint
  readonly verificationGasLimit: bigint
  readonly preVerificationGas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** 0.6: `paymaster(20) || data`. Later: `paymaster(20) || verification gas(16) || gas after it(16) || data`. Or `0x`. */
  readonly paymasterAndData: string
}

const MAX_UINT256 = 2n ** 256n - 1n
export const MAX_UINT128 = 2n ** 128n - 1n
const MAX_UINT64 = 2n ** 64n - 1n
const HEX_BYTES = /^0x(?:[0-9a-fA-F]{2})*$/
/** In place of a factory: the account has delegated its code (EIP-7702). */
const DELEGATED = /^0x7702(?:0{36})?$/

/** Numbers of 128 bits from version 0.7 on. */
const GAS = ["callGasLimit", "verificationGasLimit", "maxFeePerGas", "maxPriorityFeePerGas"] as const
const COMMON = ["sender", "nonce", "callData", ...GAS, "preVerificationGas", "signature"]
const PAYMASTER_GAS = ["paymasterVerificationGasLimit", "paymasterPostOpGasLimit"] as const
const UNPACKED = ["factory", "factoryData", "paymaster", "paymasterData", ...PAYMASTER_GAS]
const MEMBERS: Readonly<Record<EntryPointVersion, readonly string[]>> = {
  "0.6": [...COMMON, "initCode", "paymasterAndData"],
  "0.7": [...COMMON, ...UNPACKED],
  "0.8": [...COMMON, ...UNPACKED, "authorization"],
}

type Json = Readonly<Record<string, unknown>>

/**
 * Reads the JSON text {entryPointAddress, entryPointVersion, chainId, userOperation}. The operation has the members with which bundlers
 * take it (ERC-7769), and its `signature` is not read. Members that are null are absent.
 * @throws {Fault payload}
 */
export function readUserOperation(text: string): UserOperation {
  const json = requireObject(readPayloadJson(text), "the payload")
  requireKnown(json, ["entryPointAddress", "entryPointVersion", "chainId", "userOperation"], "the payload")
  const version = versionOf(json["entryPointVersion"])
  const operation = requireObject(json["userOperation"], "userOperation")
  requireKnown(operation, MEMBERS[version], `userOperation of version ${version}`)
  const gas = numbersOf(operation, GAS, version === "0.6" ? MAX_UINT256 : MAX_UINT128)
  return {
    version,
    entryPoint: addressOf(json, "entryPointAddress"),
    chainId: integerOf(json, "chainId", MAX_UINT64),
    sender: addressOf(operation, "sender"),
    nonce: integerOf(operation, "nonce", MAX_UINT256),
    initCode: version === "0.6" ? bytesOf(operation, "initCode") : initCodeOf(operation, version),
    callData: bytesOf(operation, "callData"),
    ...gas,
    preVerificationGas: integerOf(operation, "preVerificationGas", MAX_UINT256),
    paymasterAndData: version === "0.6" ? paymasterOf06(operation) : paymasterAndDataOf(operation),
  }
}

function versionOf(value: unknown): EntryPointVersion {
  if (value === "0.6" || value === "0.7" || value === "0.8") return value
  throw new Fault("payload", 'entryPointVersion is not "0.6", "0.7" or "0.8"')
}

function initCodeOf(operation: Json, version: EntryPointVersion): string {
  const data = optionalBytes(operation, "factoryData")
  const factory = present(operation, "factory")
  if (factory === undefined) {
    if (data !== "0x") throw new Fault("payload", "userOperation has factoryData and no factory")
    return "0x"
  }
  if (typeof factory !== "string" || !DELEGATED.test(factory))
    return `${addressOf(operation, "factory")}${data.slice(2)}`
  if (version !== "0.8")
    throw new Fault("payload", "factory 0x7702 is of EIP-7702, which entry points know from version 0.8 on")
  const authorization = requireObject(present(operation, "authorization"), "userOperation.authorization")
  return `${addressOf(authorization, "address")}${data.slice(2)}`
}

function paymasterOf06(operation: Json): string {
  const value = bytesOf(operation, "paymasterAndData")
  if (value !== "0x" && value.length < ADDRESS_DIGITS)
    throw new Fault("payload", "userOperation.paymasterAndData is shorter than an address")
  return value
}

const ADDRESS_DIGITS = 42

function paymasterAndDataOf(operation: Json): string {
  const data = optionalBytes(operation, "paymasterData")
  if (present(operation, "paymaster") === undefined) {
    const extra = PAYMASTER_GAS.find((name) => present(operation, name) !== undefined)
    if (data === "0x" && extra === undefined) return "0x"
    throw new Fault("payload", `userOperation has ${extra ?? "paymasterData"} and no paymaster`)
  }
  const gas = PAYMASTER_GAS.map((name) =>
    integerOf(operation, name, MAX_UINT128).toString(16).padStart(32, "0"),
  )
  return `${addressOf(operation, "paymaster")}${gas.join("")}${data.slice(2)}`
}

function numbersOf<Name extends string>(
  object: Json,
  names: readonly Name[],
  max: bigint,
): { [name in Name]: bigint } {
  const entries = names.map((name) => [name, integerOf(object, name, max)] as const)
  return Object.fromEntries(entries) as { [name in Name]: bigint }
}

function integerOf(object: Json, name: string, max: bigint): bigint {
  const value = readInteger(memberOf(object, name))
  if (value !== undefined && value >= 0n && value <= max) return value
  throw new Fault("payload", `${name} is no integer of 0 to ${max}`)
}

function addressOf(object: Json, name: string): string {
  const value = memberOf(object, name)
  const bytes = typeof value === "string" ? ethereumAddressBytes(value) : undefined
  if (bytes === undefined) throw new Fault("payload", `${name} is no Ethereum address`)
  return `0x${Buffer.from(bytes).toString("hex")}`
}

function bytesOf(object: Json, name: string): string {
  const value = memberOf(object, name)
  if (typeof value === "string" && HEX_BYTES.test(value)) return value.toLowerCase()
  throw new Fault("payload", `${name} is not 0x and pairs of hexadecimal digits`)
}

function optionalBytes(object: Json, name: string): string {
  return present(object, name) === undefined ? "0x" : bytesOf(object, name)
}

function present(object: Json, name: string): unknown {
  return memberOf(object, name) ?? undefined
}

function requireKnown(object: Json, names: readonly string[], what: string): void {
  const other = Object.keys(object).find((name) => !names.includes(name))
  if (other !== undefined) throw new Fault("payload", `${what} has other members than ${names.join(", ")}`)
}

/** The first 20 bytes of `initCode` or `paymasterAndData`; "" where it is empty. */
export function leadingAddress(bytes: string): string {
  return bytes.length < ADDRESS_DIGITS ? "" : bytes.slice(0, ADDRESS_DIGITS)
}
