import type { OrganizationDocument } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { InheritedSettings } from "../../activities/powers/login.ts"

const frozen = new WeakMap<OrganizationDocument, InheritedSettings>()

/**
 * The settings of a document, which requests share. They are frozen, once for each version: activities change a copy
 * (draft.ts).
 */
export function settingsOf(document: OrganizationDocument): InheritedSettings {
  const known = frozen.get(document)
  if (known !== undefined) return known
  const { organizationId, parentId, features, authProxy } = document
  const { sessionProfiles, onRampCredentials, emailTemplates } = document
  const lists = { features, sessionProfiles, onRampCredentials, emailTemplates }
  const settings: InheritedSettings = { organizationId, parentId, authProxy, ...lists }
  freeze(settings)
  frozen.set(document, settings)
  return settings
}

/** Freezes a message and its members. Bytes cannot be frozen; digests and public keys are the only ones. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return
  Object.freeze(value)
  for (const member of Object.values(value)) freeze(member)
}
