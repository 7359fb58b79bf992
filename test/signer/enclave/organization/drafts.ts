import { create, type MessageInitShape } from "@bufbuild/protobuf"
import { OrganizationDocumentSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Draft } from "../../../../signer/enclave/organization/draft.ts"
import { DEFAULT_LIMITS, type Limits } from "../../../../signer/enclave/organization/limits.ts"
import { Organization } from "../../../../signer/core/organization/organization.ts"
import type { RefusalName } from "../../../../signer/core/refusal.ts"

export const NOW = 1_700_000_000_000

/** A draft on an organization at version 1. */
export function draftOf(
  init: MessageInitShape<typeof OrganizationDocumentSchema> = {},
  limits: Readonly<Limits> = DEFAULT_LIMITS,
): Draft {
  const document = create(OrganizationDocumentSchema, { organizationId: "acme", version: 1n, ...init })
  return new Draft(new Organization(document, new Uint8Array(32), 0), NOW, limits)
}

/** The value that t.throws compares with a refusal. */
export function refusal(code: RefusalName, field?: string) {
  return field === undefined ? { name: "Refusal", code } : { name: "Refusal", code, field }
}
