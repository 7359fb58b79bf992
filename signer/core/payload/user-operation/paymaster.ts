import { leadingAddress, type UserOperation } from "./user-operation.ts"

/** Who pays the fee in the account's place. `gas`: limits of its own calls; 0.6 has none. */
export type OperationPaymaster = {
  readonly address: string
  readonly gas: bigint
  readonly data: string
}

/** Digits of 0x, an address and two numbers of 128 bits. */
const [ADDRESS_END, VERIFICATION_END, GAS_END] = [42, 74, 106]

/** The parts of `paymasterAndData`; undefined: the account pays. Missing bytes are read as zeros. */
export function paymasterOf({ version, paymasterAndData }: UserOperation): OperationPaymaster | undefined {
  const address = leadingAddress(paymasterAndData)
  if (address === "") return undefined
  if (version === "0.6") return { address, gas: 0n, data: `0x${paymasterAndData.slice(ADDRESS_END)}` }
  const number = (from: number, to: number) => BigInt(`0x${paymasterAndData.slice(from, to).padEnd(32, "0")}`)
  return {
    address,
    gas: number(ADDRESS_END, VERIFICATION_END) + number(VERIFICATION_END, GAS_END),
    data: `0x${paymasterAndData.slice(GAS_END)}`,
  }
}
