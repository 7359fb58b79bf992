import { escapeHtml } from "./escape.ts"
import { heading, mailPage, paragraph } from "./mail-page.ts"
import { CONTROL, type Mail } from "./otp-message.ts"

/** An invitation in a mail. */
export type InvitationToTell = { organizationName: string; userName: string; email: string }

/**
 * The mail with an invitation. It has no code, no link and no id. Nothing in it accepts the invitation, so nobody gains by
 * reading it. No text of the inviting organization can become a link of this mail.
 */
export function renderInvitationMail({ organizationName, userName, email }: InvitationToTell): Mail {
  const [organization, name] = [oneLine(organizationName), oneLine(userName)]
  const lines = [
    `${organization} invites you to become its user ${name}.`,
    `To accept, sign in there with the address ${email}. You get a one-time code by mail, and the first sign-in with it makes you a user.`,
    "If you do not know this organization, ignore this mail. It contains no code and no link.",
  ]
  const title = `Invitation to ${organization}`
  const html = mailPage(escapeHtml(title), [
    heading(escapeHtml(title)),
    ...lines.map((line, index) => paragraph(escapeHtml(line), index === lines.length - 1 ? "quiet" : "ink")),
  ])
  return { subject: title, text: lines.join("\n\n"), html }
}

/** A line break would begin another header of the mail. */
function oneLine(text: string): string {
  return text.replace(new RegExp(CONTROL, "gu"), " ")
}
