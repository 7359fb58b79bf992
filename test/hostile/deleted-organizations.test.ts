import t from "tap"
import { fromBinary } from "@bufbuild/protobuf"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ROW_KINDS } from "../../signer/enclave/ledger/ledger.ts"
import { readArchive } from "../../signer/enclave/rpc/read-archive.ts"
import { outcomeOf, signParams, valueOf } from "../harness/api-seat.ts"
import { fingerprintOf, newKey, stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { refused, stage } from "./stage.ts"

const DELETE = "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION"
const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"

t.test("A3: a deleted sub-organization accepts no request, whatever the API tier supplies", async (t) => {
  const scene = await stage(t)
  const { seat, acme, boundary } = scene
  const customer = await child(seat, acme)
  const { organizationId, root, address } = customer
  const living = seat.documents.get(organizationId)!
  const records = [...seat.records.values()]
  const deletion = seat.body(DELETE, organizationId, { deleteWithoutExport: true })
  const outcome = outcomeOf(await seat.send(deletion, root))
  t.equal(valueOf(outcome, "deleteSubOrganizationResult").subOrganizationUuid, organizationId)
  const { document } = fromBinary(NotarizedDocumentSchema, seat.documents.get(organizationId)!)
  t.match(fromBinary(OrganizationDocumentSchema, document), { users: [], version: 2n })

  const body = seat.body(SIGN, organizationId, signParams(address))
  const xStamp = stampWith(root, body)
  await refused(t, scene, "ORGANIZATION_DELETED", () => seat.offer(body, xStamp))
  const again = () => seat.offer(deletion, stampWith(root, deletion))
  await refused(t, scene, "ORGANIZATION_DELETED", again, "the same body again")
  for (const restart of [false, true]) {
    if (restart) await boundary.restart()
    const older = () => seat.order(body, xStamp, { document: living, records })
    await refused(t, scene, "DOCUMENT_ROLLED_BACK", older, "with the document that it had")
  }
  const { ledger } = boundary.signer.work()
  const left = ROW_KINDS.flatMap((kind) => ledger.rows(organizationId, kind).map(() => kind))
  t.same(new Set(left), new Set(["fingerprint", "archive-document"]), "no key is left in the ledger")
  const archive = await readArchive({ organizationId, afterRecordId: "" } as never, boundary.signer)
  t.equal(archive.records.length, 0)
})

t.test("a sub-organization with keys never exported is deleted only with deleteWithoutExport", async (t) => {
  const scene = await stage(t)
  const { seat, acme } = scene
  const { organizationId, root } = await child(seat, acme)
  for (const parameters of [{}, { deleteWithoutExport: false }]) {
    const body = seat.body(DELETE, organizationId, parameters)
    await refused(t, scene, "KEYS_NOT_EXPORTED", () => seat.offer(body, stampWith(root, body)))
  }
  const empty = await child(seat, acme, { wallet: undefined })
  t.ok(
    await seat.submit(empty.root, DELETE, empty.organizationId, {}),
    "where there is no key there is no loss",
  )
})

t.test("a top-level organization is not deleted, nor a sub-organization by its parent", async (t) => {
  const scene = await stage(t)
  const { seat, acme } = scene
  const customer = await child(seat, acme)
  const own = seat.body(DELETE, acme.organizationId, { deleteWithoutExport: true })
  await refused(t, scene, "ACTIVITY_CALLER_INVALID", () => seat.offer(own, stampWith(acme.root, own)))
  const others = seat.body(DELETE, customer.organizationId, { deleteWithoutExport: true })
  await refused(t, scene, "ORGANIZATION_MISMATCH", () => seat.offer(others, stampWith(acme.root, others)))
})

t.test("credentials of a deleted sub-organization identify users of another one again", async (t) => {
  const { seat, acme, boundary } = await stage(t)
  const key = newKey()
  const { register } = boundary.signer.work()
  const identity = { kind: "public-key", publicKeyHex: key.publicKeyHex } as const
  const first = await child(seat, acme, { key })
  t.same(register.find(acme.organizationId, identity), {
    organizationId: first.organizationId,
    standing: "unproven",
  })
  const second = await child(seat, acme, { key })
  t.equal(register.find(acme.organizationId, identity), "several")
  await seat.submit(key, DELETE, first.organizationId, { deleteWithoutExport: true })
  const now = register.find(acme.organizationId, identity)
  t.same(now, { organizationId: second.organizationId, standing: "unproven" })
})

t.test("B3: pending activities of a deleted sub-organization leave no fingerprint", async (t) => {
  const scene = await stage(t)
  const { seat, acme, boundary } = scene
  const { organizationId, root, rootUserId } = await child(seat, acme)
  const second = await seat.user({ organizationId, root, rootUserId }, "second")
  const quorum = { threshold: 2, userIds: [rootUserId, second.userId] }
  await seat.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, quorum)
  const wish = (walletName: string) =>
    seat.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, { walletName, accounts: [] })
  const bodies = [wish("one"), wish("two")]
  const deletion = seat.body(DELETE, organizationId, { deleteWithoutExport: true })
  for (const body of [...bodies, deletion])
    t.match(await seat.send(body, root), { outcome: { status: ActivityStatus.CONSENSUS_NEEDED } })
  const fingerprint = `sha256:${fingerprintOf(deletion)}`
  const approval = seat.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, { fingerprint })
  t.match(await seat.send(approval, second.key), { outcome: { status: ActivityStatus.COMPLETED } })

  const { ledger } = boundary.signer.work()
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
  t.same(left(), [["archive-document", ""]])
  for (const body of bodies)
    await refused(t, scene, "REQUEST_STALE", () => seat.offer(body, stampWith(root, body)))
})
