// viem.
import { hashAuthorization as hashByViem } from "viem/utils"
import { getUserOperationHash } from "viem/account-abstraction"
import { type Judge, requireSame } from "../engine/reader.ts"
import type { ReadOperation } from "../readers/user-operation.ts"

const A = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
const common = { sender: A, nonce: "0x5", callData: "0xabcd", callGasLimit: 100, verificationGasLimit: "200" }
const gas = { preVerificationGas: "0x1", maxFeePerGas: 9, maxPriorityFeePerGas: 1, signature: "0x" }
const paymaster = {
  paymaster: A,
  paymasterData: "0x01",
  paymasterVerificationGasLimit: 5,
  paymasterPostOpGasLimit: 6,
}
const OPERATIONS = [
  ["0.6", { initCode: `${A}01`, paymasterAndData: `${A}02` }],
  ["0.7", { factory: A, factoryData: "0x05", ...paymaster }],
  ["0.7", {}],
  ["0.8", { factory: "0x7702", authorization: { address: A } }],
] as const

type Json = { [name: string]: unknown }
export const judge: Judge<ReadOperation> = {
  seeds: () => [
    ...OPERATIONS.map(([entryPointVersion, more]) =>
      JSON.stringify({
        entryPointAddress: A,
        entryPointVersion,
        chainId: 1,
        userOperation: { ...common, ...gas, ...more },
      }),
    ),
    `{"address":"${A}","chainId":1,"nonce":0}`,
    `{"address":"${A}","chainId":"0xff","nonce":"18446744073709551614"}`,
  ],
  judge(input, outcome) {
    if ("refusal" in outcome) return
    const { hash, operation } = outcome.value
    const given = JSON.parse(input.toString()) as Json
    requireSame(hash, operation === undefined ? authorizationByViem(given) : operationByViem(given), "viem")
  },
}

const integer = (value: unknown) => BigInt(value as string | number)

function authorizationByViem({ address, chainId, nonce }: Json): string {
  return hashByViem({ address, chainId: integer(chainId), nonce: integer(nonce) } as never)
}

const NUMBERS = /^(?:nonce|.*Gas|.*GasLimit)$/

function operationByViem({ entryPointAddress, entryPointVersion, chainId, userOperation }: Json): string {
  const members = Object.entries(userOperation as Json)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, NUMBERS.test(name) ? integer(value) : value])
  return getUserOperationHash({
    chainId: integer(chainId),
    entryPointAddress,
    entryPointVersion,
    userOperation: Object.fromEntries(members),
  } as never)
}
