import type { MessageInitShape } from "@bufbuild/protobuf"
import type {
  FeatureSchema,
  InvitationSchema,
  IpAllowlistSchema,
  QuorumSchema,
  TagSchema,
} from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type {
  Feature,
  Invitation,
  IpAllowlist,
  RootQuorum,
  Tag,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { timestamps } from "./time.ts"

export function featureResource({ name, value }: Feature): MessageInitShape<typeof FeatureSchema> {
  return { name, value }
}

export function quorumResource(quorum: RootQuorum | undefined): MessageInitShape<typeof QuorumSchema> {
  return { threshold: quorum?.threshold ?? 0, userIds: quorum?.userIds ?? [] }
}

export function tagResource(tag: Tag): MessageInitShape<typeof TagSchema> {
  return { tagId: tag.tagId, tagName: tag.name, tagType: tag.type, ...timestamps(tag) }
}

export function invitationResource(invitation: Invitation): MessageInitShape<typeof InvitationSchema> {
  const { invitationId, userName, email, tagIds, accessType, senderUserId, status } = invitation
  return {
    invitationId,
    receiverUserName: userName,
    receiverEmail: email,
    receiverUserTags: tagIds,
    accessType,
    status,
    senderUserId,
    ...timestamps(invitation),
  }
}

/** A list that was never set is shown as empty and not enforced. */
export function ipAllowlistResource(
  organizationId: string,
  publicKey: string,
  list: IpAllowlist | undefined,
): MessageInitShape<typeof IpAllowlistSchema> {
  const rules = (list?.blocks ?? []).map(({ cidr, label, createdAtMs }) => ({
    cidr,
    ...(label === "" ? {} : { label }),
    createdAt: String(createdAtMs),
  }))
  return {
    organizationId,
    rules,
    ...(publicKey === "" ? {} : { publicKey }),
    enabled: list?.enabled ?? false,
    onEvaluationError: list?.allowOnError ? "ALLOW" : "DENY",
  }
}
