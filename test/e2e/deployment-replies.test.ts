// The deployment's state and summaries of sub-organizations over HTTP, against the tables that were written by hand.
import t from "tap"
import { requireQueryReply } from "../contract/replies.ts"
import { apiKey } from "../harness/api-client.ts"
import { newKey } from "../harness/stamper.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import type { Json } from "../harness/system.ts"

const system = await sharedSystem()
const { organizationId, root } = await system.createOrganization()
const customer = newKey()
const body = system.body("CREATE_SUB_ORGANIZATION_V7", organizationId, {
  subOrganizationName: "Customer",
  rootQuorumThreshold: 1,
  rootUsers: [
    {
      userName: "carol",
      userEmail: "carol@example.com",
      apiKeys: [apiKey(customer)],
      authenticators: [],
      oauthProviders: [],
    },
  ],
})
const { result } = await system.submit("create_sub_organization", body, root)
const { subOrganizationId } = (result as { createSubOrganizationResultV7: { subOrganizationId: string } })
  .createSubOrganizationResultV7

t.test("users of top-level organizations see the deployment's state, and customers do not", async (t) => {
  const { json } = await system.query("get_deployment_state", { organizationId }, root)
  const { sealEpoch, links, queues } = requireQueryReply("get_deployment_state", json)
  t.equal(sealEpoch, 1)
  t.match(links, [
    { peer: "CALLERS", transport: "PLAIN_HTTP" },
    { peer: "SIGNER", transport: "UNIX_SOCKET" },
  ])
  t.ok((queues as Json[]).length > 0)
  for (const asked of [organizationId, subOrganizationId]) {
    const refused = await system.query("get_deployment_state", { organizationId: asked }, customer)
    t.not(refused.status, 200)
  }
})

t.test("a parent sees its sub-organizations in few words, and no other organization", async (t) => {
  const stranger = await system.createOrganization("Stranger")
  const organizationIds = [subOrganizationId, stranger.organizationId, organizationId]
  const { json } = await system.query("get_suborg_summaries", { organizationId, organizationIds }, root)
  const { suborgSummaries } = requireQueryReply("get_suborg_summaries", json)
  t.strictSame(suborgSummaries, [
    {
      organizationId: subOrganizationId,
      organizationName: "Customer",
      userCount: 1,
      userName: "carol",
      userEmail: "carol@example.com",
    },
  ])
  const asked = { organizationId: stranger.organizationId, organizationIds: [subOrganizationId] }
  const other = await system.query("get_suborg_summaries", asked, stranger.root)
  t.strictSame(requireQueryReply("get_suborg_summaries", other.json)["suborgSummaries"], [])
})
