// A token of a contact that is offered in several places at once, and by a person who was only invited.
import t from "tap"
import { InvitationStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { apiKey, type Tenant } from "../harness/api-client.ts"
import { AttestedKey } from "../harness/attested.ts"
import { documentOf } from "../harness/document.ts"
import { invitations } from "../harness/invitations.ts"
import { MAIL } from "../harness/otp.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { contactKey, otpLoginParams } from "../harness/verification.ts"
import { ATTESTATION_FIELD, CONTACT_SCHEME } from "../../signer/core/stamp/attested.ts"
import { loginServer } from "./oidc-fixture.ts"
import { type Fixture, refused, setup } from "./setup.ts"

const LOGIN = "ACTIVITY_TYPE_STAMP_LOGIN"
const OTP_LOGIN = "ACTIVITY_TYPE_OTP_LOGIN_V2"
const USED = {
  is: "refused",
  code: "VERIFICATION_TOKEN_USED",
  sentence: /^this verification token has opened a session before/,
}

/** A login that the token's key stamps. */
function attested({ client }: Fixture, { organizationId }: Pick<Tenant, "organizationId">, by: AttestedKey) {
  const body = client.body(LOGIN, organizationId, { publicKey: by.key.publicKeyHex })
  return () => client.offer(body, { xStampAttested: by.stamp(body) })
}

t.test("A8: one token offered in several organizations at the same time opens one session", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const server = await loginServer(fixture, OTP_LOGIN)
  const person = () => {
    const key = newKey()
    const root = { userName: "ann", userEmail: MAIL, authenticators: [], oauthProviders: [] }
    return child(client, acme, { key, rootUsers: [{ ...root, apiKeys: [apiKey(key)] }] })
  }
  const homes = [await person(), await person(), await person()]
  const key = newKey()
  const parameters = otpLoginParams(fixture, key)
  const by = new AttestedKey(key, parameters.verificationToken, CONTACT_SCHEME)
  const stamped = homes.map((home) => attested(fixture, home, by))
  const byServer = homes.map(({ organizationId }) => {
    const body = client.body(OTP_LOGIN, organizationId, parameters)
    return () => client.offer(body, stampWith(server.key, body))
  })
  // Documents are in the signer's memory: nothing but the ledger's commit is between the checks and the sessions.
  for (const login of homes.map((home) => attested(fixture, home, contactKey(fixture))))
    t.match(await login(), { is: "outcome" })
  const answers = await Promise.all([...stamped, ...byServer].map((login) => login()))
  const opened = answers.filter(({ is }) => is === "outcome")
  t.equal(opened.length, 1)
  const lost = answers.flatMap((answer) => (answer.is === "refused" ? [answer.code] : []))
  t.strictSame(
    lost.filter((code) => code !== "VERIFICATION_TOKEN_USED" && code !== "ORGANIZATION_BUSY"),
    [],
    "used, or to be sent again",
  )
  for (const login of [...stamped, ...byServer].filter((_, index) => answers[index] !== opened[0]))
    await refused(t, fixture, "VERIFICATION_TOKEN_USED", login, "afterwards")
})

t.test("A8: a used token is named by the member of the stamp that holds it", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const root = { userName: "ann", userEmail: MAIL, authenticators: [], oauthProviders: [] }
  const key = newKey()
  const home = await child(client, acme, { key, rootUsers: [{ ...root, apiKeys: [apiKey(key)] }] })
  const by = contactKey(fixture)
  t.match(await attested(fixture, home, by)(), { is: "outcome" })
  t.match(await attested(fixture, home, by)(), { ...USED, field: ATTESTATION_FIELD })
})

t.test(
  "O9: an attested stamp of an invited person accepts nothing; after otp_login it logs in",
  async (t) => {
    const fixture = await setup(t)
    const { acme, client } = fixture
    const { invite, login } = await invitations(fixture)
    await invite()
    const statuses = () => documentOf(client, acme.organizationId).invitations.map(({ status }) => status)
    const early = contactKey(fixture)
    await refused(t, fixture, "IDENTITY_UNKNOWN", attested(fixture, acme, early), "nobody's user yet")
    t.strictSame(statuses(), [InvitationStatus.CREATED])
    t.match(await login()(), { is: "outcome" })
    t.strictSame(statuses(), [InvitationStatus.ACCEPTED])
    t.match(await attested(fixture, acme, early)(), { is: "outcome" }, "the same token was not spent")
    t.match(await attested(fixture, acme, early)(), USED)
  },
)
