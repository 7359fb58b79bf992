import { create } from "@bufbuild/protobuf"
import { CredentialType, FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type OrganizationDocument,
  OrganizationDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { usage } from "../../terminal-client/exit.ts"
import { controlsOf } from "./controls.ts"
import { tagTypeOf, type TestOrganization } from "./test-file.ts"

const PREFIX = "CREDENTIAL_TYPE_"

/** The document of an organization in a test file. It is not notarized and serves tests alone. */
export function documentOf(organization: TestOrganization): OrganizationDocument {
  return create(OrganizationDocumentSchema, {
    organizationId: "00000000-0000-4000-8000-000000000000",
    users: organization.users.map((user) => ({
      userId: user.userId,
      name: user.userName ?? user.userId,
      email: user.userEmail ?? "",
      tagIds: user.userTags,
      ...credentialsOf(user),
    })),
    tags: organization.tags.map((tag) => ({ tagId: tag.tagId, name: tag.tagName, type: tagTypeOf(tag) })),
    rootQuorum: organization.rootQuorum,
    velocityControls: controlsOf(organization),
    features: organization.strictDeny ? [{ name: FeatureName.STRICT_DENY, value: "true" }] : [],
  })
}

function credentialsOf({ userId, credentialTypes }: TestOrganization["users"][number]) {
  const types = credentialTypes.map((name) => typeOf(name, userId))
  return {
    apiKeys: types
      .filter((type) => !isPasskey(type))
      .map((type, index) => ({ apiKeyId: `${userId}-key-${index}`, publicKey: `${userId}-${index}`, type })),
    authenticators: types.filter(isPasskey).map((_type, index) => ({
      authenticatorId: `${userId}-passkey-${index}`,
      credentialId: Buffer.from(userId),
    })),
  }
}

function isPasskey(type: CredentialType): boolean {
  return type === CredentialType.WEBAUTHN_AUTHENTICATOR
}

function typeOf(name: string, userId: string): CredentialType {
  const member = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : ""
  const type = Object.hasOwn(CredentialType, member)
    ? CredentialType[member as keyof typeof CredentialType]
    : undefined
  if (type !== undefined && member !== "UNSPECIFIED") return type
  throw usage(`user ${userId}: there is no credential type ${name}`)
}
