// Interfaces of contracts, by which calls are described to approvers. A text that cannot be read is left out.
import {
  SmartContractInterfaceType,
  SmartContractInterfaceTypeSchema,
} from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { readAbi } from "../contract-interface/abi.ts"
import { readIdl } from "../contract-interface/idl.ts"
import { sha256Hex } from "./values.ts"
import type { WordsContext } from "./words.ts"

/** An interface as the API lists it. `text`: JSON of an ABI or IDL. */
export type StatedInterface = {
  readonly type: SmartContractInterfaceType
  readonly address: string
  readonly text: string
}

/** An interface as the organization's document names it. `digest`: SHA-256 of its text, hexadecimal. */
export type SignedInterface = Pick<StatedInterface, "type" | "address"> & { readonly digest: string }

/**
 * The interfaces for the words of requests.
 * @param signed of a verified document: only these are used; undefined: there is none, and the words name the API as the source
 */
export function interfacesForWords(
  stated: readonly StatedInterface[],
  signed: readonly SignedInterface[] | undefined,
): Pick<WordsContext, "interfaces" | "hasSignedInterfaces"> {
  const used = signed === undefined ? stated : stated.filter((one) => isSigned(one, signed))
  const { ETHEREUM, SOLANA } = SmartContractInterfaceType
  const abis = reader(used, ETHEREUM, readAbi)
  const idls = reader(used, SOLANA, readIdl)
  return { interfaces: { abi: abis, idl: idls }, hasSignedInterfaces: signed !== undefined }
}

function isSigned({ type, address, text }: StatedInterface, signed: readonly SignedInterface[]): boolean {
  const reference = signed.find((one) => one.type === type && isSameAddress(type, one.address, address))
  return reference !== undefined && reference.digest === sha256Hex(text)
}

type Json = { readonly [member: string]: unknown }

/** The interfaces of a reply of list_smart_contract_interfaces. */
export function statedInterfaces(listed: readonly Json[]): StatedInterface[] {
  return listed.map(({ type, smartContractAddress, smartContractInterface }) => ({
    type: typeOf(type),
    address: String(smartContractAddress),
    text: String(smartContractInterface),
  }))
}

/** The interfaces that a verified organization document names, in the JSON form of that document. */
export function signedInterfaces(content: unknown): SignedInterface[] {
  const { interfaces = [] } = (content ?? {}) as { readonly interfaces?: readonly Json[] }
  return interfaces.map(({ type, address, digest }) => ({
    type: typeOf(type),
    address: String(address),
    digest: Buffer.from(String(digest), "base64").toString("hex"),
  }))
}

function typeOf(name: unknown): SmartContractInterfaceType {
  const known = SmartContractInterfaceTypeSchema.values.find((one) => one.name === name)
  return (known?.number ?? 0) as SmartContractInterfaceType
}

/** Reads an interface when a call of its contract is described. */
function reader<Read>(
  stated: readonly StatedInterface[],
  type: SmartContractInterfaceType,
  read: (text: string) => Read,
): (address: string) => Read | undefined {
  const known = new Map<string, Read | undefined>()
  return (address) => {
    if (known.has(address)) return known.get(address)
    const found = stated.find((one) => one.type === type && isSameAddress(type, one.address, address))
    const made = found === undefined ? undefined : attempt(() => read(found.text))
    known.set(address, made)
    return made
  }
}

/** Ethereum's addresses are the same in any case. */
function isSameAddress(type: SmartContractInterfaceType, one: string, other: string): boolean {
  if (type !== SmartContractInterfaceType.ETHEREUM) return one === other
  return one.toLowerCase() === other.toLowerCase()
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
