import { fromBinary } from "@bufbuild/protobuf"
import { SmartContractInterfaceType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { InterfaceReference } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  RecordKind,
  SmartContractInterfaceRecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { readAbi } from "../../../../core/contract-interface/abi.ts"
import { readIdl } from "../../../../core/contract-interface/idl.ts"
import type { Interfaces } from "../../../../core/contract-interface/interfaces.ts"
import type { Organization } from "../../../../core/organization/organization.ts"
import {
  boundedInterfaces,
  MAX_INTERFACE_CHARACTERS,
  type ReadInterface,
} from "../../../../core/contract-interface/bounded.ts"
import { RecentlyUsed } from "../../../../core/recently-used.ts"
import { recordName } from "../../../execution/state/archived-records.ts"
import type { ExecutionDeps } from "../../../execution/state/deps.ts"

/** Characters of interfaces, of all organizations, that are kept read. A read one takes about fifteen times its text. */
const MAX_KEPT_CHARACTERS = 4 * MAX_INTERFACE_CHARACTERS

/** Interfaces of one type by the digest of their text. */
class InterfaceReader<Read> {
  readonly #type: SmartContractInterfaceType
  readonly #read: (text: string) => Read
  readonly #kept = new RecentlyUsed<string, ReadInterface<Read>>(MAX_KEPT_CHARACTERS)

  constructor(type: SmartContractInterfaceType, read: (text: string) => Read) {
    this.#type = type
    this.#read = read
  }

  /** The interface of a contract. `open` returns the text of one that is not kept. */
  find(
    { document }: Organization,
    address: string,
    open: (reference: InterfaceReference) => string,
  ): ReadInterface<Read> | undefined {
    const reference = document.interfaces.find((one) => one.type === this.#type && one.address === address)
    if (reference === undefined) return undefined
    const digest = Buffer.from(reference.digest).toString("hex")
    const known = this.#kept.get(digest)
    if (known !== undefined) return known
    const text = open(reference)
    const one = { read: this.#read(text), length: text.length }
    this.#kept.set(digest, one, one.length)
    return one
  }
}

const abis = new InterfaceReader(SmartContractInterfaceType.ETHEREUM, readAbi)
const idls = new InterfaceReader(SmartContractInterfaceType.SOLANA, readIdl)

/** The organization's interfaces for one request, from its own archive. */
export function interfacesOf(organization: Organization, deps: Pick<ExecutionDeps, "archive">): Interfaces {
  const open = (reference: InterfaceReference) => textOf(reference, organization, deps)
  return boundedInterfaces({
    abi: (address) => abis.find(organization, address, open),
    idl: (program) => idls.find(organization, program, open),
  })
}

function textOf(
  { interfaceId }: InterfaceReference,
  { id }: Organization,
  { archive }: Pick<ExecutionDeps, "archive">,
): string {
  const { payload } = archive.open(id, recordName(RecordKind.SMART_CONTRACT_INTERFACE, interfaceId))
  return fromBinary(SmartContractInterfaceRecordSchema, payload).text
}
