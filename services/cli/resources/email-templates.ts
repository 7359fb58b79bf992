import { change, fileOption, list, type Resource, show } from "./resource.ts"

/** E-mail templates with one-time codes, from files: mails have many lines. `email-template preview` is beside them. */
export const emailTemplates: readonly Resource[] = [
  {
    name: "email-template",
    about: "e-mail templates with one-time codes (docs/templates.md)",
    strip: ["template"],
    kind: "email-template",
    commands: [
      change(
        "create",
        "CREATE_EMAIL_TEMPLATE",
        "add a template; it is never changed afterwards",
        [
          "email-template create codes --html code.html --text code.txt --subject 'Your code for {{ .AppName }}'",
        ],
        {
          argument: "templateName",
          options: {
            html: fileOption("html", "file of the HTML body"),
            text: fileOption("text", "file of the plain text body; by default the built-in text"),
          },
          defaults: { templateType: "EMAIL_TEMPLATE_TYPE_OTP" },
        },
      ),
      list("list_email_templates emailTemplates", "list the templates", "email-template list", {
        name: "templateName",
        subject: "subject",
        id: "templateId",
      }),
      show("list_email_templates", "show a template", [
        "email-template show codes",
        "email-template show codes --json",
      ]),
      change(
        "delete",
        "DELETE_EMAIL_TEMPLATE",
        "delete a template, which the settings of the auth proxy must not name",
        ["email-template delete codes"],
      ),
    ],
  },
]
