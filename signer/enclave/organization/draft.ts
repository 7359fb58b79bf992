import { clone, create } from "@bufbuild/protobuf"
import {
  type OrganizationDocument,
  OrganizationDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../core/organization/organization.ts"
import type { SessionStore } from "./sessions.ts"

/**
 * The next version of an organization while an activity changes it. What may be changed how is in the files
 * beside this one (users.ts, tags.ts, features.ts and so on): each keeps the document's invariants or refuses.
 */
export class OrganizationDraft {
  readonly #base: Organization
  /** Unix time of the change, milliseconds. */
  readonly nowMs: bigint
  /** What stands beside the document. */
  readonly sessions: SessionStore
  #copy: OrganizationDocument | undefined
  #changed = false

  constructor(base: Organization, nowMs: number, sessions: SessionStore = EMPTY_SESSIONS) {
    this.#base = base
    this.nowMs = BigInt(nowMs)
    this.sessions = sessions
  }

  get id(): string {
    return this.#base.id
  }

  /** The document as it stands in this draft; copied when first asked for, most activities never ask. */
  get document(): OrganizationDocument {
    this.#copy ??= clone(OrganizationDocumentSchema, this.#base.document)
    return this.#copy
  }

  /** To be called with every change: without it the draft finishes as it began. */
  markChanged(): void {
    this.#changed = true
  }

  /** The next version, or undefined when nothing was changed. */
  nextVersion(): OrganizationDocument | undefined {
    if (!this.#changed) return undefined
    this.document.version = this.#base.document.version + 1n
    this.document.previousDigest = this.#base.digest
    this.document.updatedAtMs = this.nowMs
    return this.document
  }
}

/** The organization before its first version: what a birth is drafted on. `parentId`: "" for a top-level one. */
export function newOrganization(
  identity: { organizationId: string; parentId: string; name: string },
  nowMs: number,
): Organization {
  const document = create(OrganizationDocumentSchema, {
    ...identity,
    version: 0n,
    createdAtMs: BigInt(nowMs),
    updatedAtMs: BigInt(nowMs),
  })
  return new Organization(document, new Uint8Array(0), 0)
}

/** Of an organization that is being born: nobody has logged in. */
const EMPTY_SESSIONS: SessionStore = {
  of: () => [],
  find: () => undefined,
  open: () => {
    throw new Error("nobody logs in to an organization that is being born")
  },
  end: () => {
    throw new Error("there is no session to end")
  },
}
