import { create } from "@bufbuild/protobuf"
import {
  type OrganizationDocument,
  type SessionProfile,
  SessionProfileSchema,
} from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import { requireTextSize, requireUniqueName } from "../../organization/checks.ts"
import type { Draft } from "../../organization/draft.ts"
import { MAX_SESSION_PROFILE_BYTES } from "../../organization/limits.ts"

export type NewSessionProfile = Omit<SessionProfile, "$typeName" | "$unknown" | "createdAtMs">

/** The scope is compiled. @throws ACTIVITY_CALLER_INVALID, LIMIT_EXCEEDED, NAME_TAKEN, SESSION_PROFILES_TOO_LARGE */
export function addSessionProfile(draft: Draft, profile: NewSessionProfile, field: string): void {
  requireTopLevel(draft)
  const { sessionProfiles } = draft.document
  const { sessionProfiles: max } = draft.limits
  if (sessionProfiles.length >= max)
    throw refuse("LIMIT_EXCEEDED", `an organization has at most ${max} session profiles`)
  requireUniqueName(sessionProfiles, profile.name, "session profile name", `${field}.sessionProfileName`)
  sessionProfiles.push(create(SessionProfileSchema, { ...profile, createdAtMs: draft.nowMs }))
  const texts = sessionProfiles.flatMap(({ name, scope, notes }) => [name, scope, notes])
  requireTextSize(texts, SIZE, field)
  draft.markChanged()
}

/** Deletes a profile; returns its id. @throws ACTIVITY_CALLER_INVALID, RESOURCE_UNKNOWN */
export function removeSessionProfile(draft: Draft, id: string, field: string): string {
  requireTopLevel(draft)
  const { document } = draft
  const profile = requireSessionProfile(document, id, field)
  document.sessionProfiles = document.sessionProfiles.filter((other) => other !== profile)
  draft.markChanged()
  return profile.sessionProfileId
}

/** A profile of the top-level organization; `id` in upper or lower case. @throws RESOURCE_UNKNOWN */
export function requireSessionProfile(
  { sessionProfiles, organizationId }: Pick<OrganizationDocument, "sessionProfiles" | "organizationId">,
  id: string,
  field: string,
): SessionProfile {
  const profileId = id.toLowerCase()
  const profile = sessionProfiles.find(({ sessionProfileId }) => sessionProfileId === profileId)
  if (profile !== undefined) return profile
  const sentence = `unable to find session profile ${profileId} in organization ${organizationId}`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field })
}

function requireTopLevel({ document }: Draft): void {
  if (document.parentId === "") return
  const sentence = "only a top-level organization has session profiles; its sub-organizations use them"
  throw refuse("ACTIVITY_CALLER_INVALID", sentence)
}

const SIZE = {
  max: MAX_SESSION_PROFILE_BYTES,
  texts: "names, scopes and notes of all session profiles",
  code: "SESSION_PROFILES_TOO_LARGE",
} as const
