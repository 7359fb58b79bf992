import { type Fixture } from "../hostile/setup.ts"
import { type Tenant, valueOf } from "./api-client.ts"
import { codes, MAIL } from "./otp.ts"
import { newKey, type TestKey } from "./stamper.ts"
import { otpLoginParams } from "./verification.ts"

export const INVITED = { receiverUserName: "ann", receiverUserEmail: MAIL }

/** Parameters that invite persons in the name of a user. */
export function inviting(senderUserId: string, ...persons: object[]) {
  const invitation = { receiverUserTags: [], accessType: "ACCESS_TYPE_ALL", senderUserId }
  return { invitations: persons.map((person) => ({ ...invitation, ...person })) }
}

/** Invitations by the root user, and logins of the persons who can read the mails. */
export async function invitations(fixture: Fixture, acme: Tenant = fixture.acme) {
  const root = await codes(fixture, acme)
  const { client, boundary } = fixture
  return {
    ...root,
    /** Invites Ann, or the person that differs by these members; returns the invitation's id. */
    async invite(changes: object = {}): Promise<string> {
      const parameters = inviting(acme.rootUserId, { ...INVITED, ...changes })
      const outcome = await root.submit("CREATE_INVITATIONS", parameters)
      return valueOf(outcome, "createInvitationsResult").invitationIds[0]!
    },
    /** The order of a login with a new token for a contact; the root user stamps it. */
    login(contact: string = MAIL, key: TestKey = newKey(), changes: object = {}) {
      boundary.clock.pass(1)
      const parameters = { ...otpLoginParams(fixture, key, { contact }), ...changes }
      const body = client.body("ACTIVITY_TYPE_OTP_LOGIN_V2", acme.organizationId, parameters)
      return () => client.send(body, acme.root)
    },
  }
}
