import t from "tap"
import { fromBinary } from "@bufbuild/protobuf"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ROW_KINDS } from "../../signer/enclave/ledger/ledger.ts"
import { readArchive } from "../../signer/enclave/rpc/reads.ts"
import { outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { fingerprintOf, newKey, stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { refused, setup } from "./setup.ts"

const DELETE = "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION"
const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"

t.test("A8: a deleted sub-organization accepts no request, whatever the API tier supplies", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const customer = await child(client, acme)
  const { organizationId, root, address } = customer
  const living = client.documents.get(organizationId)!
  const records = [...client.records.values()]
  const deletion = client.body(DELETE, organizationId, { deleteWithoutExport: true })
  const outcome = outcomeOf(await client.send(deletion, root))
  t.equal(valueOf(outcome, "deleteSubOrganizationResult").subOrganizationUuid, organizationId)
  const { document } = fromBinary(NotarizedDocumentSchema, client.documents.get(organizationId)!)
  t.match(fromBinary(OrganizationDocumentSchema, document), { users: [], version: 2n })

  const body = client.body(SIGN, organizationId, signParams(address))
  const xStamp = stampWith(root, body)
  await refused(t, fixture, "ORGANIZATION_DELETED", () => client.offer(body, xStamp))
  const again = () => client.offer(deletion, stampWith(root, deletion))
  await refused(t, fixture, "ORGANIZATION_DELETED", again, "the same body again")
  for (const restart of [false, true]) {
    if (restart) await boundary.restart()
    const older = () => client.order(body, xStamp, { document: living, records })
    await refused(t, fixture, "DOCUMENT_ROLLED_BACK", older, "with the document that it had")
  }
  const { ledger } = boundary.signer.state()
  const left = ROW_KINDS.flatMap((kind) => ledger.rows(organizationId, kind).map(() => kind))
  t.same(
    new Set(left),
    new Set(["fingerprint", "archive-document", "changed"]),
    "no key is left in the ledger",
  )
  const archive = await readArchive(
    { organizationId, afterRecordId: "", activityFingerprints: [] } as never,
    boundary.signer,
  )
  t.equal(archive.records.length, 0)
})

t.test("a sub-organization with keys never exported is deleted only with deleteWithoutExport", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { organizationId, root } = await child(client, acme)
  for (const parameters of [{}, { deleteWithoutExport: false }]) {
    const body = client.body(DELETE, organizationId, parameters)
    await refused(t, fixture, "KEYS_NOT_EXPORTED", () => client.offer(body, stampWith(root, body)))
  }
  const empty = await child(client, acme, { wallet: undefined })
  t.ok(
    await client.submit(empty.root, DELETE, empty.organizationId, {}),
    "where there is no key there is no loss",
  )
})

t.test("a top-level organization is not deleted, nor a sub-organization by its parent", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const customer = await child(client, acme)
  const own = client.body(DELETE, acme.organizationId, { deleteWithoutExport: true })
  await refused(t, fixture, "ACTIVITY_CALLER_INVALID", () => client.offer(own, stampWith(acme.root, own)))
  const others = client.body(DELETE, customer.organizationId, { deleteWithoutExport: true })
  await refused(t, fixture, "ORGANIZATION_MISMATCH", () => client.offer(others, stampWith(acme.root, others)))
})

t.test("credentials of a deleted sub-organization identify users of another one again", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const key = newKey()
  const login = (organizationId: string) => {
    const body = client.body("ACTIVITY_TYPE_STAMP_LOGIN", organizationId, {
      publicKey: newKey().publicKeyHex,
    })
    return client.send(body, key)
  }
  const atParent = async () => outcomeOf(await login(acme.organizationId)).organizationId
  const first = await child(client, acme, { key })
  const second = await child(client, acme, { key })
  t.equal(await atParent(), first.organizationId)
  await client.submit(key, DELETE, first.organizationId, { deleteWithoutExport: true })
  const body = client.body("ACTIVITY_TYPE_STAMP_LOGIN", acme.organizationId, {
    publicKey: newKey().publicKeyHex,
  })
  await refused(
    t,
    fixture,
    "CREDENTIAL_CONFLICT",
    () => client.offer(body, stampWith(key, body)),
    "not by itself",
  )
  outcomeOf(await login(second.organizationId))
  t.equal(await atParent(), second.organizationId, "after a login that named it")
  await client.submit(key, DELETE, second.organizationId, { deleteWithoutExport: true })
  const third = await child(client, acme, { key })
  t.equal(await atParent(), third.organizationId, "after all have gone")
})

t.test("B3: pending activities of a deleted sub-organization leave no fingerprint", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const { organizationId, root, rootUserId } = await child(client, acme)
  const second = await client.user({ organizationId, root, rootUserId }, "second")
  const quorum = { threshold: 2, userIds: [rootUserId, second.userId] }
  await client.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, quorum)
  const request = (walletName: string) =>
    client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, { walletName, accounts: [] })
  const bodies = [request("one"), request("two")]
  const deletion = client.body(DELETE, organizationId, { deleteWithoutExport: true })
  for (const body of [...bodies, deletion])
    t.match(await client.send(body, root), { outcome: { status: ActivityStatus.CONSENSUS_NEEDED } })
  const fingerprint = `sha256:${fingerprintOf(deletion)}`
  const approval = client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, { fingerprint })
  t.match(await client.send(approval, second.key), { outcome: { status: ActivityStatus.COMPLETED } })

  const { ledger } = boundary.signer.state()
  const left = () =>
    ROW_KINDS.flatMap((kind) => ledger.rows(organizationId, kind).map(({ key }) => [kind, key]))
  boundary.clock.pass(64 * 60 * 1000)
  await boundary.signer.purge()
  const kept = left()
  for (const body of bodies)
    t.ok(
      kept.some(([, key]) => key === fingerprintOf(body)),
      "while it may be live",
    )
  boundary.clock.pass(2 * 60 * 1000)
  await boundary.signer.purge()
  t.same(left(), [
    ["archive-document", ""],
    ["changed", ""],
  ])
  for (const body of bodies)
    await refused(t, fixture, "REQUEST_STALE", () => client.offer(body, stampWith(root, body)))
})
