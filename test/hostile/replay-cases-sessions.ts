import { valueOf } from "../harness/api-client.ts"
import { nonceOf } from "../harness/attested.ts"
import { Reader } from "../harness/bundles.ts"
import { Target } from "../harness/credential-target.ts"
import { mailedKeys, mailTo } from "../harness/mailed-keys.ts"
import { codes } from "../harness/otp.ts"
import type { Actors, ReplayCase } from "./replay-case.ts"
import { asRoot } from "./setup.ts"

/** Sessions that the service makes itself. */
export const sessionReplayCases: { [type: string]: (actors: Actors) => Promise<Omit<ReplayCase, "type">> } = {
  CREATE_READ_ONLY_SESSION: async () => ({
    first: {},
    second: {},
    harm: "a session for the time of an old stamp",
  }),
  CREATE_READ_WRITE_SESSION: async ({ fixture, acme, alice: { userId } }) => {
    const email = "ann@example.com"
    await asRoot({ client: fixture.client, acme }).submit("UPDATE_USER_EMAIL", { userId, userEmail: email })
    const one = () => ({ email, targetPublicKey: new Reader().targetPublicKey })
    return { first: one(), second: one(), harm: "a second session for one authorization" }
  },
  CREATE_READ_WRITE_SESSION_V2: async () => {
    const one = () => ({ targetPublicKey: new Reader().targetPublicKey, invalidateExisting: true })
    return { first: one(), second: one(), harm: "a session that was ended is open again" }
  },
  INIT_OTP_AUTH: async (actors) => twoCodes(actors),
  INIT_OTP_AUTH_V2: async (actors) => twoCodes(actors),
  INIT_OTP_AUTH_V3: async (actors) => twoCodes(actors, { appName: "Acme" }),
  OTP_AUTH: async (actors) => {
    const { submit, asked } = await codesOfAlice(actors)
    const one = async () => {
      const { otpId } = valueOf(await submit("INIT_OTP_AUTH", asked), "initOtpAuthResult")
      const { targetPublicKey } = new Target()
      return {
        otpId,
        otpCode: actors.fixture.fakeFetcher.newestCode,
        targetPublicKey,
        invalidateExisting: true,
      }
    }
    return { first: await one(), second: await one(), harm: "a session that was ended is open again" }
  },
  EMAIL_AUTH: async (actors) => twoMails(actors),
  EMAIL_AUTH_V2: async (actors) => twoMails(actors),
  EMAIL_AUTH_V3: async (actors) => twoMails(actors),
  INIT_USER_EMAIL_RECOVERY: async (actors) => twoMails(actors),
  INIT_USER_EMAIL_RECOVERY_V2: async (actors) => twoMails(actors),
  OAUTH: async ({ fixture, acme, alice: { userId } }) => {
    const { fakeFetcher } = fixture
    const oauthProviders = [{ providerName: "idp", oidcToken: fakeFetcher.token() }]
    const root = asRoot({ client: fixture.client, acme })
    await root.submit("CREATE_OAUTH_PROVIDERS_V2", { userId, oauthProviders })
    const one = () => {
      const { targetPublicKey } = new Target()
      const nonce = nonceOf({ publicKeyHex: targetPublicKey })
      return { oidcToken: fakeFetcher.token({ nonce }), targetPublicKey, invalidateExisting: true }
    }
    return { first: one(), second: one(), harm: "a session that was ended is open again" }
  },
}

let contacts = 0

/** Alice with a contact of this case alone: the codes of one contact are limited. */
async function codesOfAlice({ fixture, acme, alice: { userId } }: Actors) {
  const { submit } = await codes(fixture, acme)
  const contact = `alice-${++contacts}@example.com`
  await submit("UPDATE_USER_EMAIL", { userId, userEmail: contact })
  return { submit, asked: { otpType: "OTP_TYPE_EMAIL", contact } }
}

async function twoCodes(actors: Actors, changes: object = {}) {
  const { asked } = await codesOfAlice(actors)
  const [first, second] = [
    { ...asked, ...changes },
    { ...asked, ...changes, userIdentifier: "another" },
  ]
  return { first, second, harm: "a second message for one authorization" }
}

async function twoMails({ fixture, acme }: Actors) {
  const email = `root-${++contacts}@example.com`
  await mailedKeys(fixture, acme, email)
  const one = () => mailTo(new Target(), { email, emailCustomization: { appName: "Acme" } })
  return { first: one(), second: one(), harm: "a second mail, and a session that was ended is open again" }
}
