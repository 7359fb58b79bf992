import { useQuery } from "../../api/data.ts"
import { requireLogin } from "../../api/login.ts"
import { Empty, Section } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { type FormField, textOf, textsOf, type FormValues } from "../../ui/fields.tsx"
import { ListSection } from "../../ui/list-section.tsx"
import { actsColumn } from "../../ui/row-menu.tsx"
import { faultOfTemplate, MessagePreview, Refused } from "./preview.tsx"
import { changeSettings, type ProxySettings } from "./proxy.ts"

type Template = { templateId: string; templateName: string; subject: string; html: string; text: string }

const NEWEST = "newest"
const BUILT_IN = "built-in"

/** The template of e-mails with codes: chosen, else the newest; undefined: the built-in mail. */
function templateOf(templates: readonly Template[], chosen: string): Template | undefined {
  return chosen === NEWEST ? templates.at(-1) : templates.find(({ templateId }) => templateId === chosen)
}

function chosenIn({ otpTemplateId, emailCustomizationParams: mail }: ProxySettings): string {
  const id = otpTemplateId ?? mail?.templateId
  return id === undefined ? NEWEST : id === "" ? BUILT_IN : id
}

/** E-mails and text messages with codes: their wording, their templates, and how they look. */
export function Messages({ settings }: { settings: ProxySettings }) {
  const state = useQuery<{ emailTemplates: Template[] }>("list_email_templates")
  const templates = state.data?.emailTemplates ?? []
  const mail = settings.emailCustomizationParams ?? {}
  const terms = {
    ...mail,
    appName: mail.appName ?? requireLogin().organizationName,
    smsTemplate: settings.smsCustomizationParams?.template,
    senderAddress: settings.sendFromEmailAddress,
    senderName: settings.sendFromEmailSenderName,
    replyTo: settings.replyToEmailAddress,
  }
  return (
    <>
      <Section
        title="E-mails and text messages"
        aside={
          <button type="button" class="button tight" onClick={() => changeWording(settings, templates)}>
            Change the wording
          </button>
        }
      >
        <div class="card">
          <MessagePreview
            terms={terms}
            template={templateOf(templates, chosenIn(settings))}
            sample={settings}
          />
        </div>
        <p class="quiet small">Rendered in this browser by the fetcher’s own renderer, with a sample code.</p>
      </Section>
      <ListSection<Template>
        title="E-mail templates"
        verb="Create template"
        onAdd={() => createTemplate(settings)}
        columns={[
          { title: "Name", cell: ({ templateName }) => <b>{templateName}</b> },
          {
            title: "Subject",
            wide: true,
            cell: ({ subject }) => subject || <span class="quiet">the built-in one</span>,
          },
          {
            title: "Use",
            cell: ({ templateId }) =>
              templateOf(templates, chosenIn(settings))?.templateId === templateId
                ? "e-mails with codes"
                : "",
          },
          actsColumn(
            ({ templateName }) => templateName,
            (template) => [{ verb: "Delete", act: () => deleteTemplate(template), grave: true }],
          ),
        ]}
        rows={state.data?.emailTemplates}
        state={state}
        keyOf={({ templateId }) => templateId}
        empty={<Empty sentence="There is no template: e-mails have the built-in text." />}
      />
    </>
  )
}

/** Members of the dialog that a text field sets, and where they are. */
const MAIL_TEXTS = ["appName", "logoUrl", "magicLinkTemplate", "templateVariables"] as const
const SENDER_TEXTS = ["sendFromEmailSenderName", "sendFromEmailAddress", "replyToEmailAddress"] as const

function changeWording(settings: ProxySettings, templates: readonly Template[]): void {
  changeSettings({
    title: "Change the wording",
    fields: wordingFields(settings, templates),
    parameters: wordingParameters,
    preview: (values) => (
      <MessagePreview
        terms={{
          ...textsOf(values, ...MAIL_TEXTS),
          appName: textOf(values, "appName") || requireLogin().organizationName,
          smsTemplate: textOf(values, "template"),
          senderAddress: textOf(values, "sendFromEmailAddress"),
          senderName: textOf(values, "sendFromEmailSenderName"),
          replyTo: textOf(values, "replyToEmailAddress"),
        }}
        template={templateOf(templates, textOf(values, "otpTemplateId"))}
        sample={settings}
      />
    ),
  })
}

function wordingFields(settings: ProxySettings, templates: readonly Template[]): FormField[] {
  const mail = settings.emailCustomizationParams ?? {}
  const inMail = (name: (typeof MAIL_TEXTS)[number], label: string, more: Partial<FormField>): FormField => ({
    name,
    label,
    path: `emailCustomizationParams.${name}`,
    initial: mail[name] ?? "",
    ...more,
  })
  const options = [
    { value: NEWEST, label: "The newest one, if there is any" },
    { value: BUILT_IN, label: "The built-in text" },
    ...templates.map(({ templateId, templateName }) => ({ value: templateId, label: templateName })),
  ]
  return [
    inMail("appName", "Application’s name", { hint: "Empty: the organization’s name." }),
    inMail("logoUrl", "Address of the logo", { code: true, placeholder: "https://" }),
    inMail("magicLinkTemplate", "Link with the code", {
      code: true,
      hint: "%s stands for the code. Empty: the e-mail has no link.",
      placeholder: "https://app.example.com/login#%s",
    }),
    inMail("templateVariables", "Values for the template", {
      kind: "area",
      code: true,
      hint: 'A JSON object of texts, such as {"colour":"#4f46e5"}.',
    }),
    { name: "otpTemplateId", label: "Template", kind: "select", options, initial: chosenIn(settings) },
    ...SENDER_TEXTS.map((name, index) => ({
      name,
      label: ["Sender’s name", "Sender’s address", "Address for replies"][index] ?? name,
      initial: settings[name] ?? "",
    })),
    {
      name: "template",
      label: "Text message",
      kind: "area",
      path: "smsCustomizationParams",
      initial: settings.smsCustomizationParams?.template ?? "",
      hint: "Empty: the built-in text. It has to show {{ .OtpCode }}.",
    },
  ]
}

/** All members of the dialog return to their defaults first, so that an emptied field is empty. */
function wordingParameters(values: FormValues): object {
  const mail = textsOf(values, ...MAIL_TEXTS)
  const template = textOf(values, "template")
  const chosen = textOf(values, "otpTemplateId")
  return {
    resetMembers: ["emailCustomizationParams", "smsCustomizationParams", "otpTemplateId", ...SENDER_TEXTS],
    ...textsOf(values, ...SENDER_TEXTS),
    ...(Object.keys(mail).length > 0 && { emailCustomizationParams: mail }),
    ...(template !== "" && { smsCustomizationParams: { template } }),
    ...(chosen !== NEWEST && { otpTemplateId: chosen === BUILT_IN ? "" : chosen }),
  }
}

const SAMPLE_HTML = `<html><body style="font-family:sans-serif">
<p>Your code for {{ .AppName }}:</p>
<p style="font-size:1.8em"><strong>{{ .OtpCode }}</strong></p>
<p>It expires in {{ .ExpiresIn }}.</p>
</body></html>`

function createTemplate(settings: ProxySettings): void {
  openChange({
    title: "Create template",
    verb: "Create template",
    type: "ACTIVITY_TYPE_CREATE_EMAIL_TEMPLATE",
    fields: [
      { name: "templateName", label: "Name" },
      {
        name: "subject",
        label: "Subject",
        placeholder: "Sign in to {{ .AppName }}",
        hint: "Empty: built in.",
      },
      { name: "html", label: "HTML", kind: "area", code: true, rows: 9, initial: SAMPLE_HTML },
      { name: "text", label: "Plain text", kind: "area", code: true, hint: "Empty: built in." },
    ],
    preview: (values) => <TemplatePreview settings={settings} values={values} />,
    parameters: (values) => ({
      templateName: textOf(values, "templateName"),
      templateType: "EMAIL_TEMPLATE_TYPE_OTP",
      html: textOf(values, "html"),
      ...textsOf(values, "subject", "text"),
    }),
  })
}

function TemplatePreview({ settings, values }: { settings: ProxySettings; values: FormValues }) {
  const template = {
    subject: textOf(values, "subject"),
    html: textOf(values, "html"),
    text: textOf(values, "text"),
  }
  const fault = faultOfTemplate(template)
  if (fault !== undefined) return <Refused sentence={fault} />
  const mail = settings.emailCustomizationParams ?? {}
  const appName = mail.appName ?? requireLogin().organizationName
  return <MessagePreview terms={{ ...mail, appName }} template={template} sample={settings} only="mail" />
}

function deleteTemplate({ templateId, templateName }: Template): void {
  openChange({
    title: "Delete template",
    verb: "Delete template",
    type: "ACTIVITY_TYPE_DELETE_EMAIL_TEMPLATE",
    sentence: `Delete template “${templateName}”: e-mails that had it get the newest one left, or the built-in text.`,
    parameters: () => ({ templateId }),
  })
}
