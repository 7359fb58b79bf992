// The API tier, a stranger and a former user want to become the user of somebody else's invitation.
import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { OtpType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { valueOf } from "../harness/api-client.ts"
import { documentOf } from "../harness/document.ts"
import { INVITED, invitations, inviting } from "../harness/invitations.ts"
import { MAIL } from "../harness/otp.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { otpLoginParams } from "../harness/verification.ts"
import { refused, setup } from "./setup.ts"

async function started(t: Test) {
  const fixture = await setup(t)
  const invited = await invitations(fixture)
  const users = () => documentOf(fixture.client, fixture.acme.organizationId).users
  return { fixture, ...invited, users }
}

t.test(
  "O9: nobody accepts an invitation without a token for its address and its key's signature",
  async (t) => {
    const { fixture, invite, login } = await started(t)
    await invite()
    const bob = await child(fixture.client, fixture.acme)
    const attempts = {
      "another contact": { contact: "bob@example.com" },
      "a longer address": { contact: `${MAIL}.evil.org` },
      "another letter that looks alike": { contact: "\u0430nn@example.com" },
      "another channel": { channel: OtpType.SMS },
    }
    for (const [what, changes] of Object.entries(attempts)) {
      const parameters = otpLoginParams(fixture, newKey(), changes)
      await refused(t, fixture, "RESOURCE_UNKNOWN", login(MAIL, newKey(), parameters), what)
    }
    const ofChild = otpLoginParams(fixture, newKey(), { organizationId: bob.organizationId })
    await refused(t, fixture, "VERIFICATION_TOKEN_INVALID", login(MAIL, newKey(), ofChild), "a child's token")
    const { clientSignature } = otpLoginParams(fixture)
    const unsigned = login(MAIL, newKey(), { clientSignature })
    await refused(t, fixture, "CLIENT_SIGNATURE_INVALID", unsigned, "a signature about another token")
    t.match(await login()(), { is: "outcome" }, "the untouched twin")
  },
)

t.test("O9: an invitation is of one organization", async (t) => {
  const { fixture, invite } = await started(t)
  await invite()
  const { client, acme } = fixture
  const { organizationId } = await child(client, acme)
  const body = client.body("ACTIVITY_TYPE_OTP_LOGIN_V2", organizationId, otpLoginParams(fixture))
  await refused(
    t,
    fixture,
    "RESOURCE_UNKNOWN",
    () => client.offer(body, stampWith(acme.root, body)),
    "a child",
  )
})

t.test(
  "O9: an invitation is accepted once: not after its user was deleted, nor after it was withdrawn",
  async (t) => {
    const { fixture, invite, login, submit, users } = await started(t)
    await invite()
    t.match(await login()(), { is: "outcome" })
    const { userId } = users().find(({ email }) => email === MAIL)!
    await submit("DELETE_USERS", { userIds: [userId] })
    await refused(t, fixture, "RESOURCE_UNKNOWN", login(), "a user who was deleted")
    const invitationId = await invite()
    const early = login()
    await submit("DELETE_INVITATION", { invitationId })
    await refused(t, fixture, "RESOURCE_UNKNOWN", early, "a body from before the withdrawal")
  },
)

t.test("O9: an address that a user got by another way is no longer invited", async (t) => {
  for (const way of ["create", "update"] as const) {
    const { fixture, invite, login, submit, users } = await started(t)
    await invite()
    const userEmail = MAIL.toUpperCase().replace("EXAMPLE.COM", "example.com")
    const user = { userName: "other", apiKeys: [], authenticators: [], oauthProviders: [], userTags: [] }
    const email = way === "create" ? { userEmail } : {}
    const outcome = await submit("CREATE_USERS_V4", { users: [{ ...user, ...email }] })
    const [userId = ""] = valueOf(outcome, "createUsersResult").userIds
    if (way === "update") await submit("UPDATE_USER_EMAIL", { userId, userEmail })
    await submit("DELETE_USERS", { userIds: [userId] })
    await refused(t, fixture, "RESOURCE_UNKNOWN", login(), way)
    t.notOk(users().some(({ name }) => name === "ann"))
  }
})

t.test("O9: the API tier changes no invitation, and restores no earlier one", async (t) => {
  const { fixture, invite, login, submit } = await started(t)
  const { client, acme } = fixture
  const { organizationId } = acme
  const invitationId = await invite()
  const shown = client.documents.get(organizationId)!
  const notarized = fromBinary(NotarizedDocumentSchema, shown)
  const document = fromBinary(OrganizationDocumentSchema, notarized.document)
  document.invitations[0]!.email = "eve@example.com"
  notarized.document = toBinary(OrganizationDocumentSchema, document)
  const body = client.body("ACTIVITY_TYPE_OTP_LOGIN_V2", organizationId, {
    ...otpLoginParams(fixture, newKey(), { contact: "eve@example.com" }),
  })
  const xStamp = stampWith(acme.root, body)
  await fixture.boundary.restart()
  fixture.fakeFetcher.obey(fixture.boundary)
  const forged = toBinary(NotarizedDocumentSchema, notarized)
  t.match(await client.order(body, xStamp, { documents: [forged] }), { code: "DOCUMENT_FORGED" })
  await submit("DELETE_INVITATION", { invitationId })
  await fixture.boundary.restart()
  fixture.fakeFetcher.obey(fixture.boundary)
  const mine = client.body("ACTIVITY_TYPE_OTP_LOGIN_V2", organizationId, otpLoginParams(fixture))
  const old = await client.order(mine, stampWith(acme.root, mine), { documents: [shown] })
  t.match(old, { code: "DOCUMENT_ROLLED_BACK" })
  await refused(t, fixture, "RESOURCE_UNKNOWN", login())
})

t.test("O9: neither replays nor restarts of the fetcher send a mail twice", async (t) => {
  const { fixture } = await started(t)
  const { client, acme, fakeFetcher, boundary } = fixture
  const parameters = inviting(acme.rootUserId, INVITED)
  const body = client.body("ACTIVITY_TYPE_CREATE_INVITATIONS", acme.organizationId, parameters)
  const xStamp = stampWith(acme.root, body)
  const documents = [client.documents.get(acme.organizationId)!]
  const order = async () => {
    const answer = await client.order(body, xStamp, { documents })
    if (answer.is !== "needed") throw new Error(`the signer asks for nothing: ${answer.is}`)
    return answer.needed.fetchOrders[0]!
  }
  const before = fakeFetcher.messages.length
  const [first, second] = [await order(), await order()]
  await fakeFetcher.fetch(first)
  await t.rejects(fakeFetcher.fetch(first), { code: "FETCH_ORDER_SPENT" })
  await fakeFetcher.fetch(second)
  boundary.clock.pass(1)
  fakeFetcher.restart()
  boundary.clock.pass(1)
  await t.rejects(fakeFetcher.fetch(second), { code: "FETCH_ORDER_SPENT" })
  const fetched = [await fakeFetcher.fetch(await order())]
  t.equal(fakeFetcher.messages.length, before + 1)
  t.match(await client.order(body, xStamp, { documents, fetched }), { is: "outcome" })
})

t.test("O9: a statement about the mails of one activity serves no other", async (t) => {
  const { fixture } = await started(t)
  const { client, acme, fakeFetcher } = fixture
  const documents = [client.documents.get(acme.organizationId)!]
  const made = (name: string) => {
    const person = { receiverUserName: name, receiverUserEmail: `${name}@example.com` }
    const body = client.body(
      "ACTIVITY_TYPE_CREATE_INVITATIONS",
      acme.organizationId,
      inviting(acme.rootUserId, person),
    )
    return { body, xStamp: stampWith(acme.root, body) }
  }
  const [one, other] = [made("one"), made("other")]
  const answer = await client.order(one.body, one.xStamp, { documents })
  if (answer.is !== "needed") throw new Error("the signer asks for nothing")
  const fetched = [await fakeFetcher.fetch(answer.needed.fetchOrders[0]!)]
  const unsent = await client.order(other.body, other.xStamp, { documents, fetched })
  t.match(unsent, { is: "refused", code: "STATEMENT_INVALID" })
})
