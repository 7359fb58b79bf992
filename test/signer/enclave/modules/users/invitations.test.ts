import t from "tap"
import { AccessType, InvitationStatus } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { apiKey, outcomeOf, userParams, valueOf } from "../../../../harness/api-client.ts"
import { Passkey } from "../../../../harness/authenticator.ts"
import { documentOf } from "../../../../harness/document.ts"
import { INVITED, invitations, inviting } from "../../../../harness/invitations.ts"
import { MAIL } from "../../../../harness/otp.ts"
import { newKey } from "../../../../harness/stamper.ts"
import { claimsOfSession } from "../../../../hostile/oidc-fixture.ts"
import { setup } from "../../../../hostile/setup.ts"

const NOWHERE = "0199cccc-0000-7000-8000-000000000000"

async function started(t: { teardown(clean: () => Promise<void>): unknown }) {
  const fixture = await setup(t)
  const invited = await invitations(fixture)
  const { client, acme } = fixture
  const document = () => documentOf(client, acme.organizationId)
  const userOf = (email: string) => document().users.find((user) => user.email === email)
  return { fixture, ...invited, document, userOf }
}

t.test("an invited person becomes the user of the invitation with their first login", async (t) => {
  const { fixture, submit, invite, login, document, userOf } = await started(t)
  const { messages } = fixture.fakeFetcher
  const outcome = await submit("CREATE_USER_TAG", { userTagName: "staff", userIds: [] })
  const { userTagId } = valueOf(outcome, "createUserTagResult")
  const invitationId = await invite({ receiverUserTags: [userTagId], accessType: "ACCESS_TYPE_WEB" })
  const { rootUserId: senderUserId } = fixture.acme
  const open = { invitationId, userName: "ann", email: MAIL, tagIds: [userTagId], senderUserId }
  t.match(document().invitations, [{ ...open, status: InvitationStatus.CREATED }])
  t.equal(userOf(MAIL), undefined, "nobody is a user before they accept")
  const [mail] = messages.splice(0)
  t.match(mail, { channel: "mail", to: MAIL, subject: `Invitation to ${document().name}` })
  t.match(mail!.text, /become its user ann\./)
  t.notMatch(JSON.stringify(mail), invitationId, "a mail proves nothing")

  const key = newKey()
  t.match(await login("Ann@Example.com", key)(), { is: "outcome" }, "letter case of an address is free")
  const user = userOf(MAIL)!
  const accepted = { name: "ann", tagIds: [userTagId], emailVerified: true, accessType: AccessType.WEB }
  t.match(user, { ...accepted, apiKeys: [], authenticators: [], phoneNumber: "" })
  t.match(document().invitations, [{ ...open, status: InvitationStatus.ACCEPTED }])
  const { client, acme } = fixture
  const own = client.body("ACTIVITY_TYPE_STAMP_LOGIN", acme.organizationId, {
    publicKey: newKey().publicKeyHex,
  })
  const { session } = valueOf(outcomeOf(await client.send(own, key)), "stampLoginResult")
  t.match(claimsOfSession(session), { user_id: user.userId }, "the session is the new user's")
  t.match(await login()(), { is: "outcome" }, "a later login is one of the user")
  t.equal(document().users.filter(({ email }) => email === MAIL).length, 1)
  t.equal(messages.length, 0)
})

t.test("an access type says which credentials the user may have", async (t) => {
  const { fixture, invite, login, userOf, attempt } = await started(t)
  const passkey = (userId: string) => ({
    userId,
    authenticators: [new Passkey().create()],
  })
  const key = (userId: string) => ({ userId, apiKeys: [apiKey(newKey())] })
  const excluded = { is: "refused", code: "ACCESS_TYPE_EXCLUDES" }
  for (const [name, keys, passkeys] of [
    ["WEB", excluded, { is: "outcome" }],
    ["API", { is: "outcome" }, excluded],
    ["ALL", { is: "outcome" }, { is: "outcome" }],
  ] as const) {
    const email = `${name.toLowerCase()}@example.com`
    await invite({ receiverUserName: name, receiverUserEmail: email, accessType: `ACCESS_TYPE_${name}` })
    t.match(await login(email)(), { is: "outcome" })
    const { userId } = userOf(email)!
    t.match(await attempt("CREATE_API_KEYS_V2", key(userId)), keys, `${name}: API keys`)
    t.match(await attempt("CREATE_AUTHENTICATORS_V2", passkey(userId)), passkeys, `${name}: passkeys`)
    const oauthProviders = [{ providerName: "issuer", oidcToken: fixture.fakeFetcher.token({ sub: name }) }]
    const identity = await attempt("CREATE_OAUTH_PROVIDERS", { userId, oauthProviders })
    t.match(identity, passkeys, `${name}: OIDC identities`)
  }
})

t.test("an invitation is refused that could not be accepted as it stands", async (t) => {
  const { fixture, submit, attempt, invite, document } = await started(t)
  const { acme, fakeFetcher } = fixture
  const { rootUserId } = acme
  await invite()
  await submit("CREATE_USERS_V4", {
    users: [{ ...userParams("bob", newKey()), userEmail: "bob@example.com" }],
  })
  const sent = fakeFetcher.messages.length
  const refused = async (code: string, changes: object, more: object = {}) => {
    const parameters = inviting(rootUserId, {
      receiverUserName: "new",
      receiverUserEmail: "new@x.org",
      ...changes,
    })
    const [member = ""] = Object.keys(changes)
    const field = member === "" ? "" : `parameters.invitations[0].${member}`
    const wanted = { is: "refused", code, ...(code !== "REQUEST_INVALID" && { field }), ...more }
    t.match(await attempt("CREATE_INVITATIONS", parameters), wanted, JSON.stringify(changes))
  }
  await refused("INVITATION_CONTACT_TAKEN", { receiverUserEmail: "ANN@example.com" })
  await refused("INVITATION_CONTACT_TAKEN", { receiverUserEmail: "bob@example.com" })
  await refused("NAME_TAKEN", { receiverUserName: "ann" }, { sentence: /user name/ })
  await refused("NAME_TAKEN", { receiverUserName: "bob" })
  await refused("RESOURCE_UNKNOWN", { receiverUserTags: [NOWHERE] })
  await refused("RESOURCE_UNKNOWN", { senderUserId: NOWHERE })
  await refused("REQUEST_INVALID", { accessType: "ACCESS_TYPE_NONE" })
  await refused("REQUEST_INVALID", { receiverUserEmail: "no address" })
  const twins = inviting(
    rootUserId,
    { ...INVITED, receiverUserName: "a" },
    { ...INVITED, receiverUserName: "b" },
  )
  t.match(await attempt("CREATE_INVITATIONS", twins), { code: "INVITATION_CONTACT_TAKEN" })
  await submit("REMOVE_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_OTP_EMAIL_AUTH" })
  t.match(
    await attempt("CREATE_INVITATIONS", inviting(rootUserId, { ...INVITED, receiverUserName: "new" })),
    {
      code: "OTP_DISABLED",
    },
  )
  t.equal(fakeFetcher.messages.length, sent, "no mail is sent for a refused invitation")
  t.equal(document().invitations.length, 1)
})

t.test("a hundred invitations are open at a time, and as many ended ones stay listed", async (t) => {
  const { fixture, submit, attempt, document } = await started(t)
  const { rootUserId } = fixture.acme
  const many = (from: number, count: number) =>
    inviting(
      rootUserId,
      ...Array.from({ length: count }, (_, index) => ({
        receiverUserName: `user ${from + index}`,
        receiverUserEmail: `user${from + index}@example.com`,
      })),
    )
  const outcome = await submit("CREATE_INVITATIONS", many(0, 100))
  const { invitationIds } = valueOf(outcome, "createInvitationsResult")
  t.equal(fixture.fakeFetcher.messages.length, 100)
  const field = "parameters.invitations[0]"
  t.match(await attempt("CREATE_INVITATIONS", many(100, 1)), { code: "LIMIT_EXCEEDED", field })
  // The oldest one stays open, and the last one listed ends first.
  const [oldest, ...others] = invitationIds
  for (const invitationId of others.toReversed()) await submit("DELETE_INVITATION", { invitationId })
  const more = valueOf(await submit("CREATE_INVITATIONS", many(100, 2)), "createInvitationsResult")
  const [hundredth, next] = more.invitationIds
  await submit("DELETE_INVITATION", { invitationId: hundredth! })
  t.equal(document().invitations.length, 102, "open ones do not count")
  await submit("DELETE_INVITATION", { invitationId: next! })
  t.equal(document().invitations.length, 101)
  const isListed = (id: string | undefined) =>
    document().invitations.some(({ invitationId }) => invitationId === id)
  t.notOk(isListed(others.at(-1)), "the one that ended first")
  t.ok([oldest, others[0], hundredth, next].every(isListed), "an open one stays, however old it is")
})

t.test("a withdrawn invitation is listed as revoked, and ended ones are not withdrawn again", async (t) => {
  const { submit, attempt, invite, login, document } = await started(t)
  const invitationId = (await invite()).toUpperCase()
  await submit("DELETE_INVITATION", { invitationId })
  t.match(document().invitations, [{ status: InvitationStatus.REVOKED }])
  const field = "parameters.invitationId"
  t.match(await attempt("DELETE_INVITATION", { invitationId }), { code: "INVITATION_SETTLED", field })
  t.match(await attempt("DELETE_INVITATION", { invitationId: NOWHERE }), { code: "RESOURCE_UNKNOWN", field })
  const again = await invite()
  t.match(await login()(), { is: "outcome" })
  t.match(await attempt("DELETE_INVITATION", { invitationId: again }), { code: "INVITATION_SETTLED" })
})

t.test("a tag that is deleted leaves invitations, as it leaves users", async (t) => {
  const { submit, invite, login, userOf } = await started(t)
  const tag = async (userTagName: string) =>
    valueOf(await submit("CREATE_USER_TAG", { userTagName, userIds: [] }), "createUserTagResult").userTagId
  const [one, other] = [await tag("one"), await tag("other")]
  await invite({ receiverUserTags: [one, other] })
  await submit("DELETE_USER_TAGS", { userTagIds: [one] })
  t.match(await login()(), { is: "outcome" })
  t.strictSame(userOf(MAIL)?.tagIds, [other])
})

t.test("an address gets three invitations a day, however it is spelt", async (t) => {
  const { fixture, submit, attempt, invite } = await started(t)
  const limited = { code: "INVITATION_LIMIT_EXCEEDED" }
  const again = (receiverUserEmail: string) =>
    attempt("CREATE_INVITATIONS", inviting(fixture.acme.rootUserId, { ...INVITED, receiverUserEmail }))
  for (const email of [MAIL, "ANN@example.com", "\uff41nn@example.com"])
    await submit("DELETE_INVITATION", { invitationId: await invite({ receiverUserEmail: email }) })
  t.match(await again(MAIL), limited)
  t.match(await again("bob@example.com"), { is: "outcome" })
  fixture.boundary.clock.pass(24 * 60 * 60_000)
  t.match(await again("ANN@EXAMPLE.com"), { code: "NAME_TAKEN" })
  await submit(
    "CREATE_INVITATIONS",
    inviting(fixture.acme.rootUserId, { ...INVITED, receiverUserName: "ann 2" }),
  )
})

t.test("mails that are not taken are sent with the same body, and no other is sent twice", async (t) => {
  const { fixture, document } = await started(t)
  const { client, acme, fakeFetcher } = fixture
  const persons = ["one", "two"].map((name) => ({
    receiverUserName: name,
    receiverUserEmail: `${name}@example.com`,
  }))
  const body = client.body(
    "ACTIVITY_TYPE_CREATE_INVITATIONS",
    acme.organizationId,
    inviting(acme.rootUserId, ...persons),
  )
  const before = fakeFetcher.messages.length
  fakeFetcher.deliveryFault = new Error("421 try again later")
  t.match(await client.send(body, acme.root), { is: "refused", code: "OTP_DELIVERY_FAILED" })
  t.equal(document().invitations.length, 0)
  fakeFetcher.deliveryFault = undefined
  t.match(await client.send(body, acme.root), { is: "outcome" })
  t.match(await client.send(body, acme.root), { is: "outcome" }, "a replay")
  t.strictSame(
    fakeFetcher.messages.slice(before).map(({ to }) => to),
    ["one@example.com", "two@example.com"],
  )
})

t.test("no name of an organization or person becomes a header or an element of a mail", async (t) => {
  const { fixture, submit, invite } = await started(t)
  await submit("UPDATE_ORGANIZATION_NAME", { organizationName: "Acme\r\nBcc: eve@x.org <a href=x>" })
  await invite({ receiverUserName: '<img src="https://x.org/">' })
  const mail = fixture.fakeFetcher.messages.at(-1) as { subject: string; html: string }
  t.equal(mail.subject, "Invitation to Acme  Bcc: eve@x.org <a href=x>")
  t.notMatch(mail.html, /<(a|img)\b/)
})
