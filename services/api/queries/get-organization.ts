import type { GetOrganizationRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import {
  OrganizationDataSchema,
  PolicySchema,
  PrivateKeySchema,
  UserSchema,
  WalletSchema,
} from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText, jsonTextWith } from "../resources/json-text.ts"
import {
  featureResource,
  invitationResource,
  quorumResource,
  tagResource,
} from "../resources/organization.ts"
import { policyResource } from "../resources/policy.ts"
import { privateKeyResource, tagIdsByKey } from "../resources/private-key.ts"
import { interfaceReferenceResource } from "../resources/smart-contract-interface.ts"
import { userResource, withSessions } from "../resources/user.ts"
import { walletResource } from "../resources/wallet.ts"
import { AnswerSize } from "./shared/answer-size.ts"
import type { Query } from "./shared/query.ts"
import { recordsText } from "./shared/records-text.ts"
import { textInSlices } from "./shared/text-in-slices.ts"

/** An organization with all of its objects except wallet accounts, whose number is unlimited. */
export const getOrganization: Query<GetOrganizationRequest> = async ({ omitUsers }, context) => {
  const { organization, callerOrganization } = context
  const { document, id } = organization
  const size = new AnswerSize("the queries of its parts, such as list_users, get_wallet and get_private_key")
  const writing = { callerOrganization, size }
  const keyTags = tagIdsByKey(organization)
  const lists = {
    users: await textInSlices(
      omitUsers ? [] : await withSessions(document.users, context),
      (user) => jsonText(UserSchema, userResource(user, user.userId)),
      writing,
    ),
    policies: await textInSlices(
      document.policies,
      (policy) => jsonText(PolicySchema, policyResource(policy)),
      writing,
    ),
    wallets: await recordsText(
      RecordKind.WALLET,
      (row) => jsonText(WalletSchema, walletResource(row)),
      context,
      size,
    ),
    privateKeys: await recordsText(
      RecordKind.PRIVATE_KEY,
      (row) => jsonText(PrivateKeySchema, privateKeyResource(row, keyTags)),
      context,
      size,
    ),
  }
  const data = {
    organizationId: id,
    name: document.name,
    invitations: document.invitations.map(invitationResource),
    tags: document.tags.map(tagResource),
    rootQuorum: quorumResource(document.rootQuorum),
    features: document.features.map(featureResource),
    smartContractInterfaceReferences: document.interfaces.map(interfaceReferenceResource),
  }
  return `{"organizationData":${jsonTextWith(OrganizationDataSchema, data, lists)}}`
}
