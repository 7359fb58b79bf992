import {
  type GetOrganizationRequest,
  GetOrganizationResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import {
  featureResource,
  interfaceReferenceResource,
  policyResource,
  quorumResource,
  tagResource,
  userResource,
} from "../resources/resources.ts"
import { listAllRecords } from "../store/records.ts"
import { privateKeysOf } from "../resources/private-keys.ts"
import type { Query } from "./shared/query.ts"
import { withSessions } from "../resources/user-sessions.ts"
import { walletOf } from "../resources/wallets.ts"

/** All of an organization but its wallet accounts, of which there may be any number. */
export const getOrganization: Query<GetOrganizationRequest> = async (_request, context) => {
  const { sql, organization } = context
  const { document, id } = organization
  const users = await withSessions(document.users, context)
  const wallets = await listAllRecords(sql, id, RecordKind.WALLET)
  return jsonText(GetOrganizationResponseSchema, {
    organizationData: {
      organizationId: id,
      name: document.name,
      users: users.map((user) => userResource(user, user.userId)),
      policies: document.policies.map(policyResource),
      tags: document.tags.map(tagResource),
      rootQuorum: quorumResource(document.rootQuorum),
      features: document.features.map(featureResource),
      smartContractInterfaceReferences: document.interfaces.map(interfaceReferenceResource),
      wallets: wallets.map(walletOf),
      privateKeys: await privateKeysOf(sql, organization),
    },
  })
}
