import { requireInvariant } from "../../../core/invariant.ts"
import { Organization } from "../../../core/organization/organization.ts"
import { refuse } from "../../../core/refusal.ts"
import { MAX_DOCUMENT_BYTES } from "../../organization/limits.ts"
import { notarizeDocument } from "../../organization/notarize.ts"
import type { Changes } from "./changes.ts"
import type { Workspace } from "./workspace.ts"

/** A new version of an organization, with its NotarizedDocument. */
export type NewVersion = { organization: Organization; notarized: Uint8Array }

/** An organization that the activity created. `changes`: undefined when it has no records yet. */
export type CreatedOrganization = NewVersion & { changes: Changes | undefined }

/** The organization's new version; undefined when the activity left its document as it was. @throws DOCUMENT_TOO_LARGE */
export function newVersion({ run: { organization: before }, deps, made }: Workspace): NewVersion | undefined {
  const document = made.draft?.nextVersion(deps.rollback.latest(before.document.version))
  if (document === undefined) return undefined
  const { notarized, digest } = notarizeDocument(document, deps.keyring.notary)
  requireWeight(notarized.length, before.bytes)
  return { organization: new Organization(document, digest, notarized.length), notarized }
}

/** The organizations that the activity created. @throws DOCUMENT_TOO_LARGE */
export function createdOrganizations({ children }: Workspace): CreatedOrganization[] {
  return children.map((child) => {
    const version = newVersion(child)
    requireInvariant(version !== undefined, "a new organization has a document")
    return { ...version, changes: child.made.changes }
  })
}

/** Refuses a change that makes a document too large. One that is larger already may shrink. */
function requireWeight(bytes: number, bytesBefore: number): void {
  if (bytes <= Math.max(MAX_DOCUMENT_BYTES, bytesBefore)) return
  const sentence = `users, credentials, tags, policies and settings would take ${bytes} bytes, over ${MAX_DOCUMENT_BYTES}`
  throw refuse("DOCUMENT_TOO_LARGE", sentence)
}
