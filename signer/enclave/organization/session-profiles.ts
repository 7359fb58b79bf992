import { create } from "@bufbuild/protobuf"
import {
  type OrganizationDocument,
  type SessionProfile,
  SessionProfileSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { OrganizationDraft } from "./draft.ts"
import { MAX_SESSION_PROFILE_BYTES, MAX_SESSION_PROFILES } from "./limits.ts"

export type NewSessionProfile = Pick<
  SessionProfile,
  "sessionProfileId" | "name" | "scope" | "expirationSeconds" | "notes"
>

/**
 * Adds a session profile, for good. Its scope was compiled by the caller. Sub-organizations use those of their parent.
 *
 * @throws ACTIVITY_CALLER_INVALID, LIMIT_EXCEEDED, NAME_TAKEN, SESSION_PROFILES_TOO_LARGE
 */
export function addSessionProfile(draft: OrganizationDraft, profile: NewSessionProfile, field: string): void {
  const { parentId, sessionProfiles } = draft.document
  if (parentId !== "") {
    const sentence = "only a top-level organization makes session profiles; its sub-organizations use them"
    throw refuse("ACTIVITY_CALLER_INVALID", sentence)
  }
  if (sessionProfiles.length >= MAX_SESSION_PROFILES) {
    const sentence = `an organization has at most ${MAX_SESSION_PROFILES} session profiles`
    throw refuse("LIMIT_EXCEEDED", sentence)
  }
  const { name } = profile
  if (sessionProfiles.some((other) => other.name === name)) {
    const sentence = `session profile name must be unique: ${name} is taken`
    throw refuse("NAME_TAKEN", sentence, { field: `${field}.sessionProfileName` })
  }
  sessionProfiles.push(create(SessionProfileSchema, { ...profile, createdAtMs: draft.nowMs }))
  requireSmall(sessionProfiles, field)
  draft.markChanged()
}

/**
 * A profile that a login names, in the document of the top-level organization. The id in any case.
 *
 * @throws RESOURCE_UNKNOWN
 */
export function requireSessionProfile(
  { sessionProfiles, organizationId }: OrganizationDocument,
  named: string,
  field: string,
): SessionProfile {
  const id = named.toLowerCase()
  const profile = sessionProfiles.find(({ sessionProfileId }) => sessionProfileId === id)
  if (profile !== undefined) return profile
  const sentence = `unable to find session profile ${id} in organization ${organizationId}`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field })
}

function requireSmall(profiles: readonly SessionProfile[], field: string): void {
  const bytes = profiles
    .flatMap(({ name, scope, notes }) => [name, scope, notes])
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes <= MAX_SESSION_PROFILE_BYTES) return
  const sentence = `names, scopes and notes of all session profiles are over ${MAX_SESSION_PROFILE_BYTES} bytes together`
  throw refuse("SESSION_PROFILES_TOO_LARGE", sentence, { field })
}
