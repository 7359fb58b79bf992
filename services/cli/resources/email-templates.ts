import { readTextFile } from "./text-file.ts"
import type { FieldOption, Resource } from "./resource.ts"

/** Part of a template, from a file: mails have many lines. */
function part(flag: string, about: string): FieldOption {
  const read: FieldOption["read"] = ([file = ""]) => readTextFile(`--${flag}`, file)
  return { flag, about, single: true, isFile: true, read }
}

/** Templates of mails with one-time codes. `email-template preview` is in groups/email-templates.ts. */
export const emailTemplates: readonly Resource[] = [
  {
    name: "email-template",
    about: "templates of mails with one-time codes (docs/templates.md)",
    strip: ["template"],
    kind: "email-template",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_EMAIL_TEMPLATE",
        about: "add a template; it is never changed afterwards",
        argument: "templateName",
        options: {
          html: part("html", "file of the HTML body"),
          text: part("text", "file of the plain text body; by default the built-in text"),
        },
        defaults: { templateType: "EMAIL_TEMPLATE_TYPE_OTP" },
        examples: [
          "email-template create codes --html code.html --text code.txt --subject 'Your code for {{ .AppName }}'",
        ],
      },
      {
        verb: "list",
        query: "list_email_templates",
        member: "emailTemplates",
        about: "list the templates",
        columns: [
          ["name", "templateName"],
          ["subject", "subject"],
          ["id", "templateId"],
        ],
        examples: ["email-template list"],
      },
      {
        verb: "show",
        query: "list_email_templates",
        member: "",
        about: "show a template",
        argument: { member: "", kind: "email-template" },
        examples: ["email-template show codes", "email-template show codes --json"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_EMAIL_TEMPLATE",
        about: "delete a template, which the settings of the auth proxy must not name",
        argument: "templateId",
        examples: ["email-template delete codes"],
      },
    ],
  },
]
