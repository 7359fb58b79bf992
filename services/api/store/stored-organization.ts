import { fromBinary } from "@bufbuild/protobuf"
import {
  type ApiKey,
  type Authenticator,
  NotarizedDocumentSchema,
  type OauthProvider,
  type OrganizationDocument,
  OrganizationDocumentSchema,
  type User,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { identityName } from "../../../signer/core/oidc/identity.ts"
import { type ContactOwner, contactOwners, isContactName } from "../../../signer/core/otp/user-contact.ts"
import { passkeyName } from "../../../signer/core/webauthn/credential-id.ts"

/** A user with the one credential of theirs that is looked at. `expiresAtMs` 0: the key does not expire. */
export type StoredCredentialOwner =
  | {
      readonly user: User
      readonly apiKey: Pick<ApiKey, "publicKey" | "type" | "expiresAtMs" | "createdAtMs">
    }
  | { readonly user: User; readonly authenticator: Authenticator }
  | { readonly user: User; readonly oauthProvider: OauthProvider }
  | ContactOwner

/**
 * An organization at one version, as this tier reads it: for early authentication and for queries. The signer verifies
 * the document's signature itself.
 */
export class StoredOrganization {
  readonly document: OrganizationDocument
  /** Serialized NotarizedDocument, as the signer expects it back. */
  readonly notarized: Uint8Array
  readonly #users = new Map<string, User>()
  readonly #owners = new Map<string, StoredCredentialOwner>()
  /** Made when a stamp first names a contact. */
  #contactOwners: ReadonlyMap<string, ContactOwner> | undefined
  readonly #rootUserIds: ReadonlySet<string>

  constructor(notarized: Uint8Array) {
    this.notarized = notarized
    const { document } = fromBinary(NotarizedDocumentSchema, notarized)
    this.document = fromBinary(OrganizationDocumentSchema, document)
    for (const user of this.document.users) {
      this.#users.set(user.userId, user)
      for (const apiKey of user.apiKeys) this.#owners.set(apiKey.publicKey, { user, apiKey })
      for (const authenticator of user.authenticators) {
        this.#owners.set(passkeyName(authenticator.credentialId), { user, authenticator })
      }
      for (const oauthProvider of user.oauthProviders)
        this.#owners.set(identityName(oauthProvider), { user, oauthProvider })
    }
    this.#rootUserIds = new Set(this.document.rootQuorum?.userIds)
  }

  get id(): string {
    return this.document.organizationId
  }

  get version(): bigint {
    return this.document.version
  }

  user(userId: string): User | undefined {
    return this.#users.get(userId)
  }

  /** The owner of a public key (lower-case hexadecimal), or of a passkey, an OIDC identity or a contact (its name). */
  credentialOwner(credential: string): StoredCredentialOwner | undefined {
    if (isContactName(credential)) {
      this.#contactOwners ??= contactOwners(this.document.users)
      return this.#contactOwners.get(credential)
    }
    return this.#owners.get(credential)
  }

  isRoot(userId: string): boolean {
    return this.#rootUserIds.has(userId)
  }
}
