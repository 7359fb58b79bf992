import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf"
import type { EmailTemplateSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { EmailTemplateRecordSchema, RecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { RecordRow } from "../store/records.ts"
import { timestamps } from "./time.ts"

/** The text as it is stored, with the digest that the signed document has for it, in hexadecimal. */
export function emailTemplateResource(
  { id, organizationId, bytes }: RecordRow,
  { emailTemplates }: Pick<OrganizationDocument, "emailTemplates">,
): MessageInitShape<typeof EmailTemplateSchema> {
  const { payload } = fromBinary(RecordSchema, bytes)
  const { name, type, html, text, subject, createdAtMs } = fromBinary(EmailTemplateRecordSchema, payload)
  const reference = emailTemplates.find(({ templateId }) => templateId === id)
  return {
    organizationId,
    templateId: id,
    templateName: name,
    templateType: type,
    html,
    text,
    subject,
    digest: Buffer.from(reference?.digest ?? []).toString("hex"),
    ...timestamps({ createdAtMs, updatedAtMs: createdAtMs }),
  }
}
