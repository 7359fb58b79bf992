import { fromBinary } from "@bufbuild/protobuf"
import { EmailTemplateType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  EmailTemplateRecordSchema,
  RecordKind,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { MailTemplate } from "../../../../core/messages/otp-message.ts"
import type { Organization } from "../../../../core/organization/organization.ts"
import { refuse } from "../../../../core/refusal.ts"
import { isOfTemplate, requireEmailTemplate } from "../../../organization/email-templates.ts"
import { recordName } from "../../../execution/state/archived-records.ts"
import type { ExecutionDeps } from "../../../execution/state/deps.ts"

/**
 * A template of an organization for mails with codes, from the ledger's archive: no text that the API tier stores is read.
 * Without an id the newest one; with the id "", or without any template, undefined: the built-in mail.
 *
 * @throws RESOURCE_UNKNOWN, RECORD_FORGED
 */
export function mailTemplateOf(
  { id: organizationId, document }: Organization,
  templateId: string | undefined,
  field: string,
  { archive }: Pick<ExecutionDeps, "archive">,
): MailTemplate | undefined {
  if (templateId === "") return undefined
  const reference =
    templateId === undefined
      ? document.emailTemplates.findLast(({ type }) => type === EmailTemplateType.OTP)
      : requireEmailTemplate(document, templateId, field)
  if (reference === undefined) return undefined
  const { payload } = archive.open(
    organizationId,
    recordName(RecordKind.EMAIL_TEMPLATE, reference.templateId, field),
  )
  if (!isOfTemplate(reference, payload))
    throw refuse("RECORD_FORGED", "a stored template is not the one of the organization's document")
  const { subject, html, text } = fromBinary(EmailTemplateRecordSchema, payload)
  return { subject, html, text }
}
