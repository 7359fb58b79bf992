import { fromBinary } from "@bufbuild/protobuf"
import { UserSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import {
  type ApiKey,
  type Authenticator,
  NotarizedDocumentSchema,
  type OrganizationDocument,
  OrganizationDocumentSchema,
  type User,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { passkeyName } from "../../../signer/core/stamp/index.ts"
import { jsonText } from "../resources/json-text.ts"
import { userResource } from "../resources/resources.ts"

/** A credential that stamps, with its owner. `expiresAtMs` 0: the key lasts. */
export type Holder =
  | { readonly user: User; readonly apiKey: Pick<ApiKey, "publicKey" | "type" | "expiresAtMs"> }
  | { readonly user: User; readonly authenticator: Authenticator }

/**
 * An organization at one version, as this tier reads it: to authenticate early and to answer queries. Nothing
 * here is believed by the signer.
 */
export class Organization {
  readonly document: OrganizationDocument
  /** NotarizedDocument, to be shown to the signer. */
  readonly notarized: Uint8Array
  readonly #users = new Map<string, User>()
  readonly #holders = new Map<string, Holder>()
  readonly #rootUserIds: ReadonlySet<string>
  readonly #userTexts = new Map<string, string>()

  constructor(notarized: Uint8Array) {
    this.notarized = notarized
    const { document } = fromBinary(NotarizedDocumentSchema, notarized)
    this.document = fromBinary(OrganizationDocumentSchema, document)
    for (const user of this.document.users) {
      this.#users.set(user.userId, user)
      for (const apiKey of user.apiKeys) this.#holders.set(apiKey.publicKey, { user, apiKey })
      for (const authenticator of user.authenticators) {
        this.#holders.set(passkeyName(authenticator.credentialId), { user, authenticator })
      }
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

  /** Whose credential this is: a public key in lower-case hexadecimal, or the name of a passkey. */
  holder(credential: string): Holder | undefined {
    return this.#holders.get(credential)
  }

  isRoot(userId: string): boolean {
    return this.#rootUserIds.has(userId)
  }

  /** A user's record as JSON, made once for each version; who has left is shown by his id alone. */
  userText(userId: string): string {
    const known = this.#userTexts.get(userId)
    if (known !== undefined) return known
    const text = jsonText(UserSchema, userResource(this.user(userId), userId))
    this.#userTexts.set(userId, text)
    return text
  }
}
