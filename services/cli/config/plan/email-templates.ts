import type { FileEmailTemplate } from "../file-access.ts"
import type { LiveEmailTemplate } from "../live.ts"
import {
  change,
  differing,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  Stage,
} from "./change.ts"

/**
 * Templates of mails by name. A template cannot be changed, and one that the auth proxy's settings name cannot be deleted. A
 * new text needs another name, to which the settings change first.
 */
export function planEmailTemplates({ file, live, prune }: PlanContext): Part {
  const { emailTemplates: wanted } = file
  if (wanted === undefined) return { activities: [] }
  const kept: string[] = []
  const byHand: string[] = []
  const named = JSON.stringify(live.proxy.settings)
  const activities = wanted.flatMap((template) => {
    const { templateName } = template
    const before = live.emailTemplates.find((one) => one.templateName === templateName)
    if (before === undefined) return [creation(template)]
    const members = differencesOf(before, template)
    if (members.length === 0) return []
    if (named.includes(before.templateId)) {
      byHand.push(
        `e-mail template ${templateName} is used by the auth proxy and cannot be changed: give the new text another name, and name it in authProxy.settings`,
      )
      return []
    }
    if (prune) return [deletion(before, "replace", members)]
    kept.push(
      `e-mail template ${templateName} as it is: it cannot be changed; --prune deletes it and creates it again`,
    )
    return []
  })
  const extra = live.emailTemplates.filter(
    (one) => !wanted.some(({ templateName }) => templateName === one.templateName),
  )
  if (!prune)
    return {
      activities,
      byHand,
      kept: [...kept, ...extra.map(({ templateName }) => `e-mail template ${templateName}`)],
    }
  return { activities: [...activities, ...extra.map((one) => deletion(one, "delete"))], byHand, kept }
}

function differencesOf(before: LiveEmailTemplate, { templateType, subject, text, html }: FileEmailTemplate) {
  return differing({
    templateType: [before.templateType, templateType],
    subject: [before.subject, subject],
    text: [before.text, text],
    html: [before.html, html],
  })
}

function creation(template: FileEmailTemplate): PlannedActivity {
  const { templateName, templateType, html, subject, text } = template
  const words = change("create", "e-mail template", templateName, {
    members: differing({ html: ["", html] }),
  })
  const parameters = { templateName, templateType, html, ...(text && { text }), ...(subject && { subject }) }
  return planned("CREATE_EMAIL_TEMPLATE", Stage.change, [words], parameters)
}

function deletion(
  { templateId, templateName }: LiveEmailTemplate,
  action: "replace" | "delete",
  members: ReturnType<typeof differing> = [],
): PlannedActivity {
  const lost = ["its text; e-mails have the built-in one unless another template is named"]
  const stage = action === "replace" ? Stage.change : Stage.remove
  const words = change(action, "e-mail template", templateName, { lost, members })
  return planned("DELETE_EMAIL_TEMPLATE", stage, [words], { templateId })
}
