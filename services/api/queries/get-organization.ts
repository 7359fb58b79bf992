import {
  type GetOrganizationRequest,
  GetOrganizationResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { featureResource, quorumResource, tagResource } from "../resources/organization.ts"
import { policyResource } from "../resources/policy.ts"
import { interfaceReferenceResource } from "../resources/smart-contract-interface.ts"
import { userResource, withSessions } from "../resources/user.ts"
import { listAllRecords } from "../store/records.ts"
import { listPrivateKeyResources } from "../resources/private-key.ts"
import type { Query } from "./shared/query.ts"
import { walletResource } from "../resources/wallet.ts"

/** An organization with all of its objects except wallet accounts, whose number is unlimited. */
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
      wallets: wallets.map(walletResource),
      privateKeys: await listPrivateKeyResources(sql, organization),
    },
  })
}
