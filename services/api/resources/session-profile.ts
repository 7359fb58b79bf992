import type { MessageInitShape } from "@bufbuild/protobuf"
import type { SessionProfileSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { SessionProfile } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { governingDocument } from "./governing-document.ts"
import { timestamp } from "./time.ts"

/** Profiles that logins to an organization may name: its own, or its parent's. */
export async function sessionProfilesOf(
  context: Parameters<typeof governingDocument>[0],
): Promise<readonly SessionProfile[]> {
  return (await governingDocument(context))?.sessionProfiles ?? []
}

export function sessionProfileResource(
  profile: SessionProfile,
): MessageInitShape<typeof SessionProfileSchema> {
  const { sessionProfileId, name: sessionProfileName, scope, expirationSeconds, notes } = profile
  const createdAt = timestamp(profile.createdAtMs)
  return {
    sessionProfileId,
    sessionProfileName,
    scope,
    ...(expirationSeconds > 0n ? { expirationSeconds: expirationSeconds.toString() } : {}),
    notes,
    createdAt,
    updatedAt: createdAt,
  }
}
