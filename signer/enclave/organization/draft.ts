import { clone, create } from "@bufbuild/protobuf"
import type { OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { OrganizationDocumentSchema } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { SessionRecord } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Limits } from "./limits.ts"
import { Organization } from "../../core/organization/organization.ts"

/** A key that stamps for a user until it expires; stored beside the document. `id`: of the session's record. */
export type Session = Omit<SessionRecord, "$typeName" | "$unknown"> & { id: string }

/** An organization's sessions while an activity changes them. */
export type DraftSessions = {
  /** Sessions of a user, including expired ones that are not purged yet. */
  of(userId: string): readonly Session[]
  /** The session of a key, of any user, expired or not. */
  find(publicKey: string): Session | undefined
  end(session: Session): void
}

/** Opens sessions of an organization. A draft cannot: only logins get an opener. */
export type SessionOpener = { open(session: Session): void }

/** The next version of an organization. The other files of this folder change it: each keeps its invariants or refuses. */
export class Draft {
  readonly #base: Organization
  /** Unix time of the change, milliseconds. */
  readonly nowMs: bigint
  readonly sessions: DraftSessions
  readonly limits: Readonly<Limits>
  #copy: OrganizationDocument | undefined
  #changed = false

  constructor(
    base: Organization,
    nowMs: number,
    limits: Readonly<Limits>,
    sessions: DraftSessions = NO_SESSIONS,
  ) {
    this.#base = base
    this.limits = limits
    this.nowMs = BigInt(nowMs)
    this.sessions = sessions
  }

  get id(): string {
    return this.#base.id
  }

  /** The drafted document; copied when first read, because most activities never read it. */
  get document(): OrganizationDocument {
    this.#copy ??= clone(OrganizationDocumentSchema, this.#base.document)
    return this.#copy
  }

  /** Timestamps of a resource created by this change. */
  get created(): { createdAtMs: bigint; updatedAtMs: bigint } {
    return { createdAtMs: this.nowMs, updatedAtMs: this.nowMs }
  }

  /** Must be called with every change; a draft without it has no next version. */
  markChanged(): void {
    this.#changed = true
  }

  /** Sets the timestamp of a changed resource, and marks the draft changed. */
  touch(resource: { updatedAtMs: bigint }): void {
    resource.updatedAtMs = this.nowMs
    this.markChanged()
  }

  /** The document at the version after `latest`; undefined when nothing was changed. */
  nextVersion(latest: bigint): OrganizationDocument | undefined {
    if (!this.#changed) return undefined
    this.document.version = latest + 1n
    this.document.previousDigest = this.#base.digest
    this.document.updatedAtMs = this.nowMs
    return this.document
  }
}

/** An organization before its first version, to draft the first version on. `parentId`: "" for a top-level one. */
export function newOrganization(
  identity: { organizationId: string; parentId: string; name: string },
  nowMs: number,
): Organization {
  const times = { createdAtMs: BigInt(nowMs), updatedAtMs: BigInt(nowMs) }
  const document = create(OrganizationDocumentSchema, { ...identity, ...times, version: 0n })
  return new Organization(document, new Uint8Array(0), 0)
}

/** Sessions of an organization that is being created. */
const NO_SESSIONS: DraftSessions = {
  of: () => [],
  find: () => undefined,
  end: () => {
    throw new Error("a new organization has no sessions to end")
  },
}
