// Erasure of a deleted organization in the ledger. No data of a person stay, nothing that was deleted comes back, and an
// organization that its users have not deleted cannot be erased.
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { SignerService } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { OUTCOMES } from "../../signer/enclave/ledger/ledger.ts"
import { recover } from "../../signer/enclave/rpc/reads.ts"
import { eraseOrganization } from "../../signer/enclave/rpc/operator.ts"
import type { SignerContext } from "../../signer/enclave/rpc/context.ts"
import { signParams } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { type Fixture, refused, setup } from "./setup.ts"

const DELETE = "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION"
const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const NAME = "jane.doe@customers.example"

const erase = (signer: SignerContext, organizationId: string) =>
  eraseOrganization({ organizationId } as never, signer)

/** Acknowledges every outcome, as an API tier that has stored it. */
async function acknowledgeAll({ boundary, client }: Fixture): Promise<void> {
  const { outcomes } = await recover({ organizationId: "", after: "" } as never, boundary.signer)
  for (const { body, stamp } of outcomes) {
    const { organizationId } = JSON.parse(Buffer.from(body).toString()) as { organizationId: string }
    const fingerprint = createHash("sha256").update(body).digest("hex")
    await client.acknowledge(organizationId, fingerprint, stamp?.credential ?? "")
  }
}

function archivedDocument({ boundary }: Fixture, organizationId: string) {
  const row = boundary.signer.state().ledger.row(organizationId, "archive-document", "")
  const { document } = fromBinary(NotarizedDocumentSchema, row ?? new Uint8Array())
  return fromBinary(OrganizationDocumentSchema, document)
}

t.test("W37: an erased organization has no name left, and stays deleted", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const { organizationId, root, address } = await child(client, acme, { subOrganizationName: NAME })
  const living = client.documents.get(organizationId)!
  const deletion = client.body(DELETE, organizationId, { deleteWithoutExport: true })
  await client.send(deletion, root)
  const deleted = client.documents.get(organizationId)!
  await acknowledgeAll(fixture)
  t.equal(archivedDocument(fixture, organizationId).name, NAME)
  const { version } = await erase(boundary.signer, organizationId)
  const document = archivedDocument(fixture, organizationId)
  t.match(document, { name: "", users: [], version, organizationId, parentId: acme.organizationId })
  t.equal(document.previousDigest.length, 0, "no digest by which a name could be guessed")
  t.ok(document.deletedAtMs > 0n)
  t.match(await erase(boundary.signer, organizationId), { version }, "a second time nothing changes")

  const body = client.body(SIGN, organizationId, signParams(address))
  const xStamp = stampWith(root, body)
  for (const restart of [false, true]) {
    if (restart) await boundary.restart()
    for (const older of [living, deleted])
      await refused(t, fixture, "DOCUMENT_ROLLED_BACK", () => client.order(body, xStamp, { document: older }))
    // Before a start the signer has the erased document in memory, and asks for none.
    const code = restart ? "DOCUMENT_ROLLED_BACK" : "ORGANIZATION_DELETED"
    const again = () => client.offer(deletion, stampWith(root, deletion))
    await refused(t, fixture, code, again, "the deletion again, with the document that the API has")
  }
})

t.test("W37: an organization that was not deleted cannot be erased", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const customer = await child(client, acme, { subOrganizationName: NAME })
  await acknowledgeAll(fixture)
  for (const { organizationId } of [customer, acme]) {
    await t.rejects(erase(boundary.signer, organizationId), { code: "ORGANIZATION_NOT_DELETED" })
    t.not(archivedDocument(fixture, organizationId).name, "")
  }
  await t.rejects(erase(boundary.signer, "0199b2c4-7a10-7000-8000-3f6d5c2b1a09"), {
    code: "ORGANIZATION_UNKNOWN",
  })
  await t.rejects(erase(boundary.signer, "nobody"), { code: "REQUEST_INVALID" })
  t.ok(await client.submit(customer.root, SIGN, customer.organizationId, signParams(customer.address)))
  t.notOk(
    SignerService.methods.some(({ input }) => input === OperatorService.method.eraseOrganization.input),
    "no call of the API tier erases",
  )
})

t.test("W37: an organization is erased only once the API has stored its outcomes", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const { organizationId, root } = await child(client, acme, { subOrganizationName: NAME })
  await client.submit(root, DELETE, organizationId, { deleteWithoutExport: true })
  await t.rejects(erase(boundary.signer, organizationId), { code: "OUTCOME_UNACKNOWLEDGED" })
  t.equal(archivedDocument(fixture, organizationId).name, NAME)
  await acknowledgeAll(fixture)
  t.ok(await erase(boundary.signer, organizationId))
})

t.test("W37, C-1924: an erasure waits until acknowledged outcomes are removed", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const { organizationId, root } = await child(client, acme, { subOrganizationName: NAME })
  await client.submit(root, DELETE, organizationId, { deleteWithoutExport: true })
  const { ledger } = boundary.signer.state()
  const keys = ledger.rows(OUTCOMES, "outcome").map(({ key }) => key)
  t.ok(keys.length > 0)
  const events: string[] = []
  const { commit } = ledger
  t.intercept(ledger, "commit", {
    value: (...changes: Parameters<typeof commit>) => {
      events.push("erased")
      return commit(...changes)
    },
  })
  const removals = keys.map(async (key) => {
    await ledger.forgetOutcome(key)
    events.push("removed")
  })
  await erase(boundary.signer, organizationId)
  await Promise.all(removals)
  // A removal that a full disk fails brings its outcome back: then the erasure must not have been written.
  t.strictSame(events, [...keys.map(() => "removed"), "erased"])
})

t.test("W37: the files of the ledger no longer contain removed rows", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const { organizationId, root } = await child(client, acme, { subOrganizationName: NAME })
  const directory = join(boundary.directory, "signer", "ledger")
  const isInFiles = () => {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
    return files.some((content) => content.includes(NAME))
  }
  t.ok(isInFiles())
  await client.submit(root, DELETE, organizationId, { deleteWithoutExport: true })
  await acknowledgeAll(fixture)
  await erase(boundary.signer, organizationId)
  // A restart writes the log into the database and empties it.
  await boundary.restart()
  t.notOk(isInFiles())
})
