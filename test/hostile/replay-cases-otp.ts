import { valueOf } from "../harness/api-client.ts"
import { inviting } from "../harness/invitations.ts"
import { asking, codes, emailTemplate, sealCode } from "../harness/otp.ts"
import { newKey } from "../harness/stamper.ts"
import type { Actors, ReplayCase } from "./replay-case.ts"
import { asRoot } from "./setup.ts"

type Case = Omit<ReplayCase, "type">

/** One-time codes, and templates of their mails. */
export const otpReplayCases: { [type: string]: (actors: Actors) => Promise<Case> } = {
  INIT_OTP: async (actors) => twoStarts(actors, { appName: undefined }),
  INIT_OTP_V2: async (actors) => twoStarts(actors),
  INIT_OTP_V3: async (actors) => twoStarts(actors),
  VERIFY_OTP: async ({ fixture, acme }) => {
    const { startPlain } = await codes(fixture, acme)
    const one = () => startPlain({ contact: newContact() })
    return { first: await one(), second: await one(), harm: TOKEN }
  },
  VERIFY_OTP_V2: async ({ fixture, acme }) => {
    const { start } = await codes(fixture, acme)
    const one = async () => {
      const { otpId, bundle, code } = await start({ contact: newContact() })
      const sealed = await sealCode(code, bundle, newKey().publicKeyHex, fixture.fakeFetcher)
      return { otpId, encryptedOtpBundle: sealed }
    }
    return { first: await one(), second: await one(), harm: TOKEN }
  },
  CREATE_EMAIL_TEMPLATE: async () => ({
    first: emailTemplate({ templateName: "one" }),
    second: emailTemplate({ templateName: "two" }),
    harm: "a deleted template comes back",
  }),
  CREATE_INVITATIONS: async (actors) => {
    await codes(actors.fixture, actors.acme)
    const { rootUserId } = actors.acme
    const [first, second] = [inviting(rootUserId, newInvited()), inviting(rootUserId, newInvited())]
    return { first, second, harm: "a withdrawn invitation is open again" }
  },
  DELETE_INVITATION: async (actors) => {
    const { submit } = await codes(actors.fixture, actors.acme)
    const made = async () => {
      const outcome = await submit("CREATE_INVITATIONS", inviting(actors.acme.rootUserId, newInvited()))
      return { invitationId: valueOf(outcome, "createInvitationsResult").invitationIds[0] }
    }
    return { first: await made(), second: await made(), harm: "an invitation is withdrawn twice" }
  },
  DELETE_EMAIL_TEMPLATE: async ({ fixture: { client }, acme }) => {
    const { submit } = asRoot({ client, acme })
    const made = async (templateName: string) =>
      valueOf(
        await submit("CREATE_EMAIL_TEMPLATE", emailTemplate({ templateName })),
        "createEmailTemplateResult",
      )
    return { first: await made("one"), second: await made("two"), harm: "a template is deleted twice" }
  },
}

const TOKEN = "a second token for one code"

/** A person who has not been invited yet. */
function newInvited() {
  const receiverUserEmail = newContact()
  return { receiverUserName: receiverUserEmail, receiverUserEmail }
}

let contacts = 0

/** A contact of its own for each code: one contact has few live codes. */
function newContact(): string {
  return `user${contacts++}@example.com`
}

/** `changes`: the first version has no name of the application. */
async function twoStarts({ fixture, acme }: Actors, changes: { appName?: undefined } = {}): Promise<Case> {
  await codes(fixture, acme)
  const [first, second] = [
    asking({ contact: newContact(), ...changes }),
    asking({ contact: newContact(), ...changes }),
  ]
  return { first, second, harm: "a second message for one authorization" }
}
