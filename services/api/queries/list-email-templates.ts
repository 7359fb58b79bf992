import type { ListEmailTemplatesRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { EmailTemplateSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { emailTemplateResource } from "../resources/email-template.ts"
import { jsonText } from "../resources/json-text.ts"
import type { RecordRow } from "../store/records.ts"
import { AnswerSize } from "./shared/answer-size.ts"
import type { Query } from "./shared/query.ts"
import { recordsText } from "./shared/records-text.ts"

/** All e-mail templates with their texts, oldest first. */
export const listEmailTemplates: Query<ListEmailTemplatesRequest> = async (_request, context) => {
  const { document } = context.organization
  const textOf = (row: RecordRow) => jsonText(EmailTemplateSchema, emailTemplateResource(row, document))
  const size = new AnswerSize("delete_email_template for templates that are no longer used")
  const text = await recordsText(RecordKind.EMAIL_TEMPLATE, textOf, context, size)
  return `{"emailTemplates":[${text}]}`
}
