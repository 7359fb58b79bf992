import { hash } from "node:crypto"
import { create } from "@bufbuild/protobuf"
import {
  type EmailTemplateReference,
  EmailTemplateReferenceSchema,
  type OrganizationDocument,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { Draft } from "./draft.ts"
import { MAX_EMAIL_TEMPLATES } from "./limits.ts"

type Templates = Pick<OrganizationDocument, "organizationId" | "emailTemplates">

/** Adds the digest of a template's record. @throws LIMIT_EXCEEDED */
export function addEmailTemplate(
  draft: Draft,
  added: Pick<EmailTemplateReference, "templateId" | "type">,
  payload: Uint8Array,
): void {
  const { emailTemplates } = draft.document
  if (emailTemplates.length >= MAX_EMAIL_TEMPLATES)
    throw refuse("LIMIT_EXCEEDED", `an organization has at most ${MAX_EMAIL_TEMPLATES} e-mail templates`)
  emailTemplates.push(create(EmailTemplateReferenceSchema, { ...added, digest: digestOf(payload) }))
  draft.markChanged()
}

/** @throws RESOURCE_UNKNOWN, EMAIL_TEMPLATE_IN_USE */
export function removeEmailTemplate(draft: Draft, id: string, field: string): void {
  const { document } = draft
  const { templateId } = requireEmailTemplate(document, id, field)
  const { otpTemplateId, emailCustomizationParams } = document.authProxy?.settings ?? {}
  const named = { otpTemplateId, emailCustomizationParams: emailCustomizationParams?.templateId }
  for (const [member, name] of Object.entries(named))
    if (name?.toLowerCase() === templateId) {
      const first = document.authProxy?.publicKey === "" ? "enable the auth proxy, and " : ""
      const sentence = `the auth proxy's ${member} names the template: ${first}name another, or reset the member, first`
      throw refuse("EMAIL_TEMPLATE_IN_USE", sentence, { field })
    }
  document.emailTemplates = document.emailTemplates.filter((one) => one.templateId !== templateId)
  draft.markChanged()
}

/** The template with an id, in any case. @throws RESOURCE_UNKNOWN */
export function requireEmailTemplate(
  { organizationId, emailTemplates }: Templates,
  id: string,
  field: string,
): EmailTemplateReference {
  const found = emailTemplates.find(({ templateId }) => templateId === id.toLowerCase())
  if (found !== undefined) return found
  const sentence = `${field}: organization ${organizationId} has no template ${id}; use one of list_email_templates`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field })
}

/** True if a record has the text of this reference. */
export function isOfTemplate({ digest }: EmailTemplateReference, payload: Uint8Array): boolean {
  return digestOf(payload).equals(digest)
}

function digestOf(payload: Uint8Array): Buffer {
  return hash("sha256", payload, "buffer")
}
