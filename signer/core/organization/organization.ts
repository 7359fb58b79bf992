import { fromBinary } from "@bufbuild/protobuf"
import {
  type ApiKey,
  type Authenticator,
  type Feature,
  type OauthProvider,
  type OrganizationDocument,
  OrganizationDocumentSchema,
  type User,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { identityName } from "../oidc/identity.ts"
import { type ContactOwner, contactOwners, isContactName } from "../otp/user-contact.ts"
import { passkeyName } from "../webauthn/credential-id.ts"
import type { FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"

/** A credential of an organization's document, with its owner. */
export type DocumentCredentialOwner =
  | { readonly user: User; readonly apiKey: ApiKey }
  | { readonly user: User; readonly authenticator: Authenticator }
  | { readonly user: User; readonly oauthProvider: OauthProvider }
  | ContactOwner

/** An organization at one version: its document with look-ups for decisions. Only drafts change (draft.ts). */
export class Organization {
  readonly document: OrganizationDocument
  /** SHA-256 of the serialized document. */
  readonly digest: Uint8Array
  /** Length of the serialized document, which estimates the memory of the parsed one. */
  readonly bytes: number
  readonly #users = new Map<string, User>()
  readonly #owners = new Map<string, DocumentCredentialOwner>()
  /** Made when a stamp first names a contact. */
  #contactOwners: ReadonlyMap<string, ContactOwner> | undefined
  readonly #rootUserIds: ReadonlySet<string>

  constructor(document: OrganizationDocument, digest: Uint8Array, bytes: number) {
    this.document = document
    this.digest = digest
    this.bytes = bytes
    for (const user of document.users) {
      this.#users.set(user.userId, user)
      for (const apiKey of user.apiKeys) this.#owners.set(apiKey.publicKey, { user, apiKey })
      for (const authenticator of user.authenticators)
        this.#owners.set(passkeyName(authenticator.credentialId), { user, authenticator })
      for (const oauthProvider of user.oauthProviders)
        this.#owners.set(identityName(oauthProvider), { user, oauthProvider })
    }
    this.#rootUserIds = new Set(document.rootQuorum?.userIds)
  }

  get id(): string {
    return this.document.organizationId
  }

  user(userId: string): User | undefined {
    return this.#users.get(userId)
  }

  /**
   * Owner of a credential, by its name: a public key in lower-case hexadecimal, or the name of a passkey, an OIDC identity
   * or a contact.
   */
  credentialOwner(credential: string): DocumentCredentialOwner | undefined {
    if (isContactName(credential)) {
      this.#contactOwners ??= contactOwners(this.document.users)
      return this.#contactOwners.get(credential)
    }
    return this.#owners.get(credential)
  }

  isRoot(userId: string): boolean {
    return this.#rootUserIds.has(userId)
  }

  /** True if these users together meet the root quorum. Duplicate and unknown ids do not count. */
  isRootQuorum(userIds: Iterable<string>): boolean {
    const members = new Set<string>()
    for (const userId of userIds) {
      if (this.#rootUserIds.has(userId) && this.#users.has(userId)) members.add(userId)
    }
    const threshold = this.document.rootQuorum?.threshold ?? 0
    return threshold > 0 && members.size >= threshold
  }
}

/** Reads a document whose authenticity was checked before. */
export function readOrganization(document: Uint8Array, digest: Uint8Array): Organization {
  return new Organization(fromBinary(OrganizationDocumentSchema, document), digest, document.length)
}

export function featureOf(
  document: Pick<OrganizationDocument, "features">,
  name: FeatureName,
): Feature | undefined {
  return document.features.find((feature) => feature.name === name)
}
