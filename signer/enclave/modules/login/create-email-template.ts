import { create, toBinary } from "@bufbuild/protobuf"
import {
  EmailTemplateRecordSchema,
  RecordKind,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { requireMailTemplate } from "../../../core/messages/wording.ts"
import { addEmailTemplate } from "../../organization/email-templates.ts"
import { requireTopLevel } from "../../organization/lifecycle.ts"
import type { Activity } from "../../activities/activity.ts"

const FIELDS = { subject: "parameters.subject", html: "parameters.html", text: "parameters.text" }

/** Adds a digest to the document and the text as a record, so both are authenticated like policies. */
export const createEmailTemplate: Activity<"createEmailTemplate"> = {
  check({ subject = "", html, text = "" }) {
    requireMailTemplate({ subject, html, text }, FIELDS)
  },
  run(parameters, { organization, changes, newId, nowMs }) {
    requireTopLevel(organization, "create_email_template")
    const { templateName: name, templateType: type, subject = "", html, text = "" } = parameters
    const record = create(EmailTemplateRecordSchema, {
      name,
      type,
      subject,
      html,
      text,
      createdAtMs: BigInt(nowMs),
    })
    const payload = toBinary(EmailTemplateRecordSchema, record)
    const templateId = newId()
    addEmailTemplate(organization, { templateId, type }, payload)
    changes.addRecord({ kind: RecordKind.EMAIL_TEMPLATE, id: templateId, payload })
    return { templateId }
  },
}
