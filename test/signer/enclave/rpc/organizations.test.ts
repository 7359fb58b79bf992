// The signer's data that the API compares its database with: organizations, and statuses of pending activities.
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  ListOrganizationsRequestSchema,
  ReadArchiveRequestSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { listOrganizations, readArchive } from "../../../../signer/enclave/rpc/reads.ts"
import { ApiClient, userParams } from "../../../harness/api-client.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"
import { newKey } from "../../../harness/stamper.ts"
import { child } from "../../../harness/sub-organization.ts"

async function started(t: { teardown(clean: () => Promise<void>): unknown }) {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary)
  const acme = await client.createOrganization()
  const list = async (afterOrganizationId = "") => {
    const request = create(ListOrganizationsRequestSchema, { afterOrganizationId })
    return (await listOrganizations(request, boundary.signer)).organizations
  }
  const sequenceOf = async (id: string) =>
    (await list()).find(({ organizationId }) => organizationId === id)?.ledgerSequence
  const archive = (organizationId: string, activityFingerprints: Uint8Array[] = []) =>
    readArchive(create(ReadArchiveRequestSchema, { organizationId, activityFingerprints }), boundary.signer)
  return { client, acme, list, sequenceOf, archive }
}

t.test("lists every organization, deleted ones too, and no shard of one", async (t) => {
  const { client, acme, list } = await started(t)
  const customers = [await child(client, acme), await child(client, acme)]
  const [gone] = customers
  const all = { deleteWithoutExport: true }
  await client.submit(gone!.root, "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION", gone!.organizationId, all)
  const ids = (await list()).map(({ organizationId }) => organizationId)
  t.same(ids, [acme, ...customers].map(({ organizationId }) => organizationId).toSorted())
  t.same(await list(ids[0]), (await list()).slice(1), "after an id")
  t.equal(
    (await list()).find(({ organizationId }) => organizationId === gone!.organizationId)?.documentVersion,
    2n,
  )
})

t.test(
  "every change of an organization raises its sequence, which the outcome and the archive name",
  async (t) => {
    const { client, acme, sequenceOf, archive } = await started(t)
    const { organizationId, root } = acme
    const before = await sequenceOf(organizationId)
    const made = await client.submit(root, "ACTIVITY_TYPE_CREATE_WALLET", organizationId, {
      walletName: "W",
      accounts: [],
    })
    const after = await sequenceOf(organizationId)
    t.ok(before !== undefined && after !== undefined && before > 0n && after > before)
    t.equal(made.ledgerSequence, after)
    t.equal((await archive(organizationId)).ledgerSequence, after)
    const created = await child(client, acme)
    t.equal(await sequenceOf(organizationId), after, "a sub-organization leaves its parent as it was")
    t.ok((await sequenceOf(created.organizationId))! > after!)
  },
)

t.test("tells the statuses of activities that were pending", async (t) => {
  const { client, acme, archive } = await started(t)
  const { organizationId, root, rootUserId } = acme
  const alice = newKey()
  const users = [userParams("alice", alice)]
  const { result } = await client.submit(root, "ACTIVITY_TYPE_CREATE_USERS_V4", organizationId, { users })
  const made = result?.result.case === "createUsersResult" ? result.result.value.userIds : []
  const quorum = { threshold: 2, userIds: [rootUserId, ...made] }
  await client.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, quorum)
  const propose = (walletName: string) =>
    client.submit(root, "ACTIVITY_TYPE_CREATE_WALLET", organizationId, { walletName, accounts: [] })
  const [pending, rejected] = [await propose("One"), await propose("Two")]
  const fingerprint = `sha256:${Buffer.from(rejected.activityFingerprint).toString("hex")}`
  await client.submit(alice, "ACTIVITY_TYPE_REJECT_ACTIVITY", organizationId, { fingerprint })
  const asked = [pending.activityFingerprint, rejected.activityFingerprint, new Uint8Array(32)]
  const { activityStatuses } = await archive(organizationId, asked)
  const { CONSENSUS_NEEDED, REJECTED, UNSPECIFIED } = ActivityStatus
  t.same(activityStatuses, [CONSENSUS_NEEDED, REJECTED, UNSPECIFIED])
  for (const wrong of [[new Uint8Array(31)], Array.from({ length: 1001 }, () => new Uint8Array(32))])
    await t.rejects(archive(organizationId, wrong), {
      code: "REQUEST_INVALID",
      field: "activityFingerprints",
    })
})
