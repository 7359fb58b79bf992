import { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { removeEmailTemplate } from "../../organization/email-templates.ts"
import type { Activity } from "../../activities/activity.ts"

const FIELD = "parameters.templateId"

export const deleteEmailTemplate: Activity<"deleteEmailTemplate"> = {
  run({ templateId: id }, { organization, changes }) {
    const templateId = id.toLowerCase()
    removeEmailTemplate(organization, templateId, FIELD)
    changes.deleteRecord(RecordKind.EMAIL_TEMPLATE, templateId, FIELD)
    return { templateId }
  },
}
