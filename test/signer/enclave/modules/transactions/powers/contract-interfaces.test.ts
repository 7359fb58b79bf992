import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { SmartContractInterfaceType } from "../../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  RecordSchema,
  SmartContractInterfaceRecordSchema,
} from "../../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { interfaceDigest } from "../../../../../../signer/core/contract-interface/index.ts"
import { Organization } from "../../../../../../signer/core/organization/organization.ts"
import type { ExecutionDeps } from "../../../../../../signer/enclave/execution/state/deps.ts"
import { interfacesOf } from "../../../../../../signer/enclave/modules/transactions/powers/contract-interfaces.ts"

/** The longest interface of one function with this name. */
function textOf(name: string): string {
  return JSON.stringify([{ name, inputs: [] }]).padEnd(400_000)
}

/** Interfaces of an organization whose contracts have these functions, and the names of those that were opened. */
function interfaces(names: readonly string[]) {
  const document = create(OrganizationDocumentSchema, {
    organizationId: "acme",
    interfaces: names.map((name) => ({
      interfaceId: name,
      type: SmartContractInterfaceType.ETHEREUM,
      address: name,
      digest: interfaceDigest(textOf(name)),
    })),
  })
  const opened: string[] = []
  const open = (_organizationId: string, { id }: { id: string }) => {
    opened.push(id)
    const payload = toBinary(
      SmartContractInterfaceRecordSchema,
      create(SmartContractInterfaceRecordSchema, { text: textOf(id) }),
    )
    return create(RecordSchema, { id, payload })
  }
  const deps = { archive: { open } } as unknown as Pick<ExecutionDeps, "archive">
  const organization = new Organization(document, new Uint8Array(0), 1)
  const functionsOf = (address: string) =>
    Array.from(interfacesOf(organization, deps).abi(address)?.functions.values() ?? [], ({ name }) => name)
  return { opened, functionsOf }
}

t.test("B3: interfaces are kept read by the digest of their text, up to a total length", async (t) => {
  const names = Array.from({ length: 12 }, (_, index) => `f${index}`)
  const { opened, functionsOf } = interfaces(names)
  for (const name of names) t.strictSame(functionsOf(name), [name])
  t.strictSame(opened, names, "each is opened once")
  t.strictSame(functionsOf("f11"), ["f11"])
  t.strictSame(opened, names, "the last one is kept")
  t.strictSame(functionsOf("f0"), ["f0"])
  t.strictSame(opened, [...names, "f0"], "the first one is not: twelve are too long together")
  const other = interfaces(["f0"])
  t.strictSame(other.functionsOf("f0"), ["f0"])
  t.strictSame(other.opened, [], "the same text of another organization is read already")
  t.strictSame(functionsOf("elsewhere"), [])
})
