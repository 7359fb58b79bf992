import { clone, create } from "@bufbuild/protobuf"
import {
  type ApiKey,
  ApiKeySchema,
  type OrganizationDocument,
  OrganizationDocumentSchema,
  type User,
  UserSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../refusal.ts"
import { MAX_EXPIRING_API_KEYS, MAX_LASTING_API_KEYS, MAX_USERS } from "./limits.ts"
import { Organization } from "./organization.ts"

export type NewApiKey = Pick<ApiKey, "apiKeyId" | "name" | "publicKey" | "type" | "expirationSeconds">
export type NewUser = Pick<User, "userId" | "name" | "email" | "phoneNumber">

/**
 * The next version of an organization while an activity changes it. Every method keeps the document's
 * invariants or refuses; `finish` returns the changed document, or undefined when nothing was changed.
 */
export class OrganizationDraft {
  readonly #base: Organization
  readonly #nowMs: bigint
  #copy: OrganizationDocument | undefined
  #changed = false

  constructor(base: Organization, nowMs: number) {
    this.#base = base
    this.#nowMs = BigInt(nowMs)
  }

  get id(): string {
    return this.#base.id
  }

  /** @throws RESOURCE_UNKNOWN */
  requireUser(userId: string, field: string): User {
    const user = this.#document.users.find((candidate) => candidate.userId === userId)
    if (user === undefined) {
      throw refuse("RESOURCE_UNKNOWN", `unable to find user ${userId} in organization ${this.id}`, { field })
    }
    return user
  }

  /** @throws LIMIT_EXCEEDED, NAME_TAKEN */
  addUser(user: NewUser, field: string): User {
    if (this.#document.users.length >= MAX_USERS) {
      throw refuse("LIMIT_EXCEEDED", `an organization has at most ${MAX_USERS} users`, { field })
    }
    if (this.#document.users.some((other) => other.name === user.name)) {
      throw refuse("NAME_TAKEN", `user name must be unique: ${user.name} is taken`, {
        field: `${field}.userName`,
      })
    }
    const added = create(UserSchema, { ...user, createdAtMs: this.#nowMs, updatedAtMs: this.#nowMs })
    this.#document.users.push(added)
    this.#changed = true
    return added
  }

  /**
   * Gives a user a key. An eleventh expiring key takes the place of one that has expired, else of the oldest.
   *
   * @throws CREDENTIAL_TAKEN, LIMIT_EXCEEDED
   */
  addApiKey(user: User, key: NewApiKey, field: string): void {
    if (this.#holderOf(key.publicKey) !== undefined) {
      throw refuse(
        "CREDENTIAL_TAKEN",
        `public key ${key.publicKey} is already a credential of organization ${this.id}`,
        {
          field: `${field}.publicKey`,
        },
      )
    }
    const expires = key.expirationSeconds > 0n
    if (expires) this.#makeRoomForExpiring(user)
    else if (user.apiKeys.filter(lasts).length >= MAX_LASTING_API_KEYS) {
      throw refuse("LIMIT_EXCEEDED", "user has exceeded maximum long-lived api keys", { field })
    }
    user.apiKeys.push(
      create(ApiKeySchema, {
        ...key,
        expiresAtMs: expires ? this.#nowMs + key.expirationSeconds * 1000n : 0n,
        createdAtMs: this.#nowMs,
        updatedAtMs: this.#nowMs,
      }),
    )
    this.#touch(user)
  }

  /** @throws RESOURCE_UNKNOWN, LAST_CREDENTIAL */
  removeApiKeys(user: User, apiKeyIds: readonly string[], field: string): void {
    apiKeyIds.forEach((apiKeyId, index) => {
      if (user.apiKeys.some((key) => key.apiKeyId === apiKeyId)) return
      throw refuse("RESOURCE_UNKNOWN", `unable to find api key ${apiKeyId} of user ${user.userId}`, {
        field: `${field}[${index}]`,
      })
    })
    const hadLasting = user.apiKeys.some(lasts)
    user.apiKeys = user.apiKeys.filter((key) => !apiKeyIds.includes(key.apiKeyId))
    if (hadLasting && !user.apiKeys.some(lasts)) {
      throw refuse("LAST_CREDENTIAL", `user missing valid credential: ${user.userId}`, { field })
    }
    this.#touch(user)
  }

  /** @throws QUORUM_INVALID */
  setRootQuorum(threshold: number, userIds: readonly string[], field: string): void {
    const members = new Set(userIds)
    if (!Number.isInteger(threshold) || threshold < 1) {
      throw quorum("quorum threshold must be non-zero integer", `${field}.threshold`)
    }
    if (members.size !== userIds.length) throw quorum("a quorum user is named twice", `${field}.userIds`)
    for (const userId of members) {
      if (this.#document.users.some((user) => user.userId === userId)) continue
      throw quorum(
        `quorum users missing: ${userId} is no user of organization ${this.id}`,
        `${field}.userIds`,
      )
    }
    const able = this.#document.users.filter((user) => members.has(user.userId) && user.apiKeys.some(lasts))
    if (able.length < threshold) {
      throw quorum(
        `quorum threshold is ${threshold}, but only ${able.length} of its users have a lasting credential`,
        `${field}.threshold`,
      )
    }
    this.#document.rootQuorum = {
      $typeName: "countersign.state.v1.RootQuorum",
      threshold,
      userIds: [...members],
    }
    this.#changed = true
  }

  /** The next version, or undefined when nothing was changed. */
  finish(): OrganizationDocument | undefined {
    if (!this.#changed) return undefined
    this.#document.version = this.#base.document.version + 1n
    this.#document.previousDigest = this.#base.digest
    this.#document.updatedAtMs = this.#nowMs
    return this.#document
  }

  /** Copied when first touched: most activities change no document. */
  get #document(): OrganizationDocument {
    this.#copy ??= clone(OrganizationDocumentSchema, this.#base.document)
    return this.#copy
  }

  #holderOf(publicKey: string): User | undefined {
    return this.#document.users.find((user) => user.apiKeys.some((key) => key.publicKey === publicKey))
  }

  #makeRoomForExpiring(user: User): void {
    const expiring = user.apiKeys.filter((key) => !lasts(key))
    if (expiring.length < MAX_EXPIRING_API_KEYS) return
    const expired = expiring.find((key) => key.expiresAtMs <= this.#nowMs)
    const oldest = expiring.reduce((a, b) => (b.createdAtMs < a.createdAtMs ? b : a))
    const leaving = expired ?? oldest
    user.apiKeys = user.apiKeys.filter((key) => key !== leaving)
  }

  #touch(user: User): void {
    user.updatedAtMs = this.#nowMs
    this.#changed = true
  }
}

/** The organization before its first version: what a birth is drafted on. */
export function unborn(organizationId: string, name: string, nowMs: number): Organization {
  const document = create(OrganizationDocumentSchema, {
    organizationId,
    name,
    version: 0n,
    createdAtMs: BigInt(nowMs),
    updatedAtMs: BigInt(nowMs),
  })
  return new Organization(document, new Uint8Array(0))
}

function lasts(key: ApiKey): boolean {
  return key.expiresAtMs === 0n
}

function quorum(sentence: string, field: string) {
  return refuse("QUORUM_INVALID", sentence, { field })
}
