import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { valueOf } from "../harness/api-client.ts"
import { asRoot, refused, setup } from "./setup.ts"

const CREATE = "CREATE_SMART_CONTRACT_INTERFACE"
const DELETE = "DELETE_SMART_CONTRACT_INTERFACE"
const token = {
  smartContractAddress: `0x${"11".repeat(20)}`,
  smartContractInterface: JSON.stringify([{ name: "f", inputs: [] }]),
  type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
  label: "token",
}

t.test("A1: an older document does not restore a deleted contract interface", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { submit, order } = asRoot(fixture)
  const made = await submit(CREATE, token)
  const { smartContractInterfaceId } = valueOf(made, "createSmartContractInterfaceResult")
  const old = client.documents.get(acme.organizationId)!
  await submit(DELETE, { smartContractInterfaceId })
  const current = client.documents.get(acme.organizationId)!
  const remove = order(DELETE, { smartContractInterfaceId })
  const again = order(CREATE, token)
  for (const restarts of [0, 1]) {
    if (restarts > 0) await boundary.restart()
    client.documents.set(acme.organizationId, old)
    await refused(t, fixture, "DOCUMENT_ROLLED_BACK", () => remove())
    await refused(t, fixture, "DOCUMENT_ROLLED_BACK", () => again(), "nor is its place taken by the old one")
    client.documents.set(acme.organizationId, current)
    await refused(t, fixture, "RECORD_DELETED", () => remove())
  }
  t.match(await again(), { is: "outcome" })
})

t.test("A1: a contract interface that the API tier wrote into the document is refused", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { submit, order } = asRoot(fixture)
  await submit(CREATE, token)
  const honest = client.documents.get(acme.organizationId)!
  const { document, signature } = fromBinary(NotarizedDocumentSchema, honest)
  const read = fromBinary(OrganizationDocumentSchema, document)
  read.interfaces[0]!.digest = new Uint8Array(32).fill(7)
  const changed = { document: toBinary(OrganizationDocumentSchema, read), signature }
  const forged = toBinary(NotarizedDocumentSchema, {
    $typeName: NotarizedDocumentSchema.typeName,
    ...changed,
  })
  const again = order(CREATE, token)
  client.documents.set(acme.organizationId, forged)
  await refused(t, fixture, "DOCUMENT_FORGED", () => again())
  client.documents.set(acme.organizationId, honest)
  await refused(t, fixture, "INTERFACE_TAKEN", () => again())
})
