import { SmartContractInterfaceType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { readAbi } from "../../signer/core/contract-interface/abi.ts"
import { readIdl } from "../../signer/core/contract-interface/idl.ts"
import type { Interfaces } from "../../signer/core/contract-interface/interfaces.ts"
import { boundedInterfaces, type ReadInterface } from "../../signer/core/contract-interface/bounded.ts"

/** An uploaded interface. `address`: canonical, as the organization's document has it. `text`: JSON of the ABI or IDL. */
export type InterfaceText = { type: SmartContractInterfaceType; address: string; text: string }

/** Reads an interface when a transaction calls its contract. */
export function interfacesOf(texts: readonly InterfaceText[]): Interfaces {
  const find = (type: SmartContractInterfaceType, address: string) =>
    texts.find((one) => one.type === type && one.address === address)?.text
  return boundedInterfaces({
    abi: (address) => readWith(readAbi, find(SmartContractInterfaceType.ETHEREUM, address)),
    idl: (program) => readWith(readIdl, find(SmartContractInterfaceType.SOLANA, program)),
  })
}

function readWith<Read>(
  read: (text: string) => Read,
  text: string | undefined,
): ReadInterface<Read> | undefined {
  return text === undefined ? undefined : { read: read(text), length: text.length }
}
