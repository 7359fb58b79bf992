import { hash } from "node:crypto"
import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { EmailTemplateType } from "../../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { EmailTemplateRecordSchema } from "../../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { mailTemplateOf } from "../../../../../../signer/enclave/modules/login/powers/mail-templates.ts"

t.test("O6: a record that has another text than the document's digest is not used", async (t) => {
  const payloadOf = (html: string) =>
    toBinary(EmailTemplateRecordSchema, create(EmailTemplateRecordSchema, { html }))
  const emailTemplates = [
    { templateId: "t", type: EmailTemplateType.OTP, digest: hash("sha256", payloadOf("a"), "buffer") },
  ]
  const document = create(OrganizationDocumentSchema, { emailTemplates })
  const templateIn = (html: string, id?: string) => {
    const archive = { open: () => ({ payload: payloadOf(html) }) }
    return mailTemplateOf({ id: "o", document } as never, id, "field", { archive } as never)
  }
  for (const id of ["t", undefined]) {
    t.strictSame(templateIn("a", id), { subject: "", html: "a", text: "" })
    t.throws(() => templateIn("b", id), { code: "RECORD_FORGED" })
  }
})
