import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  NotarizedDocumentSchema,
  type OrganizationDocument,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { valueOf } from "../harness/api-client.ts"
import { documentOf } from "../harness/document.ts"
import { asRoot, refused, setup } from "./setup.ts"

const policy = { policyName: "fence", effect: "EFFECT_DENY", condition: "true", notes: "" }

/** The document with a change that its signature does not cover. */
function altered(notarized: Uint8Array, change: (document: OrganizationDocument) => void): Uint8Array {
  const signed = fromBinary(NotarizedDocumentSchema, notarized)
  const document = fromBinary(OrganizationDocumentSchema, signed.document)
  change(document)
  signed.document = toBinary(OrganizationDocumentSchema, document)
  return toBinary(NotarizedDocumentSchema, signed)
}

t.test("A1: a document with a policy dropped, added or rewritten is refused", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { submit, order } = asRoot(fixture)
  await submit("CREATE_POLICY_V3", policy)
  const honest = client.documents.get(acme.organizationId)!
  const attempt = order("CREATE_POLICY_V3", { ...policy, policyName: "next" })
  const changes: { [what: string]: (document: OrganizationDocument) => void } = {
    dropped: (document) => document.policies.splice(0),
    doubled: (document) => document.policies.push(document.policies[0]!),
    "made to allow": ({ policies: [first] }) => {
      first!.effect = 1
    },
    "with another condition": ({ policies: [first] }) => {
      first!.condition = "false"
    },
    "without condition": ({ policies: [first] }) => {
      delete first!.condition
    },
    "with a consensus": ({ policies: [first] }) => {
      first!.consensus = "approvers.count() > 100"
    },
    "out of time": ({ policies: [first] }) => {
      first!.time = "time.now != time.now"
    },
  }
  await boundary.restart()
  for (const [what, change] of Object.entries(changes)) {
    client.documents.set(acme.organizationId, altered(honest, change))
    await refused(t, fixture, "DOCUMENT_FORGED", () => attempt(), what)
  }
  client.documents.set(acme.organizationId, honest)
  t.match(await attempt(), { is: "outcome" })
})

t.test("A1: an older document restores neither a deleted policy nor an older text of one", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { submit, order } = asRoot(fixture)
  const policyOf = () => documentOf(client, acme.organizationId).policies[0]
  const { policyId } = valueOf(await submit("CREATE_POLICY_V3", policy), "createPolicyResult")
  const first = client.documents.get(acme.organizationId)!
  await submit("UPDATE_POLICY_V2", { policyId, policyCondition: "activity.resource == 'WALLET'" })
  const second = client.documents.get(acme.organizationId)!
  await submit("DELETE_POLICY", { policyId })
  const current = client.documents.get(acme.organizationId)!
  t.equal(policyOf(), undefined)
  const attempt = order("UPDATE_POLICY_V2", { policyId, policyName: "still there" })
  for (const restarts of [0, 1]) {
    if (restarts > 0) await boundary.restart()
    for (const old of [first, second]) {
      client.documents.set(acme.organizationId, old)
      await refused(t, fixture, "DOCUMENT_ROLLED_BACK", () => attempt())
    }
    client.documents.set(acme.organizationId, current)
    await refused(t, fixture, "RESOURCE_UNKNOWN", () => attempt())
  }
})

t.test("A8: a policy of another organization can be neither read nor changed", async (t) => {
  const fixture = await setup(t)
  const { client } = fixture
  const { policyId } = valueOf(await asRoot(fixture).submit("CREATE_POLICY_V3", policy), "createPolicyResult")
  const other = asRoot({ client, acme: await client.createOrganization("Other") })
  const update = { policyId, policyEffect: "EFFECT_ALLOW" }
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => other.attempt("UPDATE_POLICY_V2", update))
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => other.attempt("DELETE_POLICY", { policyId }))
  t.match(
    await other.attempt("CREATE_POLICY_V3", policy),
    { is: "outcome" },
    "names are an organization's own",
  )
})
