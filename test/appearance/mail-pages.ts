// The built-in mails, as a browser shows them.
import type { Page } from "playwright-core"
import { renderInvitationMail } from "../../signer/core/messages/invitation-mail.ts"
import { type CodeToTell, renderOtpMail } from "../../signer/core/messages/otp-message.ts"
import type { DashboardSystem } from "../harness/dashboard.ts"
import type { Shown } from "./look.ts"

const WORDING = {
  appName: "Acme Treasury",
  logoUrl: "",
  magicLinkTemplate: "",
  smsTemplate: "",
  templateVariables: {},
}
const CODE: CodeToTell = { code: "7K2QX9R4M", lifetimeSeconds: 300 }
const KEY: CodeToTell = { code: "w7Bf".repeat(30), lifetimeSeconds: 900, kind: "session" }

const MAILS: { readonly [name: string]: () => { html: string } } = {
  code: () => renderOtpMail(CODE, WORDING),
  link: () => renderOtpMail(CODE, { ...WORDING, magicLinkTemplate: "https://app.example/login#%s" }),
  key: () => renderOtpMail(KEY, WORDING),
  invitation: () =>
    renderInvitationMail({
      organizationName: "Acme Treasury",
      userName: "carol",
      email: "carol@example.com",
    }),
}

export async function mailPages({ context }: Pick<DashboardSystem, "context">): Promise<Shown[]> {
  const page: Page = await context.newPage()
  return Object.entries(MAILS).map(([name, render]) => ({
    name: `mail-${name}`,
    open: async () => {
      await page.setContent(render().html)
      return page
    },
  }))
}
