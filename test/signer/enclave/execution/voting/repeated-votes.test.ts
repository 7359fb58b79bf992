// Users who vote again: to meet an MFA policy, on an activity that can no longer be decided, or with a body used before.
import t, { type Test } from "tap"
import { ActivityStatus } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RefusalCode } from "../../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { Passkey } from "../../../../harness/authenticator.ts"
import { documentOf } from "../../../../harness/document.ts"
import { credentialOf, fingerprintOf, stampBy } from "../../../../harness/stamper.ts"
import { allow, type MemberFixture, request, setupMembers } from "../../../../hostile/consensus-fixture.ts"
import { API_KEY, demand, outcomeOf, PASSKEY, voteOn } from "../../../../hostile/mfa-fixture.ts"
import { asRoot, refused } from "../../../../hostile/setup.ts"

const { AUTHENTICATORS_NEEDED, COMPLETED, CONSENSUS_NEEDED, FAILED } = ActivityStatus

/** Registers a passkey of eva's. */
const register = (fixture: MemberFixture, passkey: Passkey) =>
  asRoot(fixture).submit("CREATE_AUTHENTICATORS_V2", {
    userId: fixture.eva.userId,
    authenticators: [passkey.create()],
  })

const evaOf = ({ client, acme, eva }: MemberFixture) =>
  documentOf(client, acme.organizationId).users.find(({ userId }) => userId === eva.userId)!

/** An activity of dan's that waits for eva, who must use an API key and a passkey. */
async function setupVote(t: Test, fixture: MemberFixture, consensus = "approvers.count() >= 2") {
  await allow(fixture, { consensus })
  const passkey = new Passkey()
  await register(fixture, passkey)
  await demand(fixture, fixture.eva.userId, [API_KEY, PASSKEY])
  const body = request(fixture)
  t.match(await outcomeOf(fixture, body, fixture.dan.key), { status: CONSENSUS_NEEDED })
  return { body, passkey, vote: voteOn(fixture, body) }
}

t.test("a body of a vote that no longer counts is refused from every credential of its user", async (t) => {
  const fixture = await setupMembers(t)
  const { client, eva } = fixture
  const { body, passkey, vote } = await setupVote(t, fixture)
  t.match(await outcomeOf(fixture, vote, eva.key), { status: AUTHENTICATORS_NEEDED })
  const apiKeyIds = evaOf(fixture).apiKeys.map(({ apiKeyId }) => apiKeyId)
  await asRoot(fixture).submit("DELETE_API_KEYS", { userId: eva.userId, apiKeyIds })
  await refused(t, fixture, "ACTIVITY_REPLAYED", () => client.offer(vote, stampBy(passkey, vote)))
  t.match(await outcomeOf(fixture, voteOn(fixture, body), passkey), { status: AUTHENTICATORS_NEEDED })
})

t.test(
  "a passkey registered anew under its id does not stamp the body of its earlier vote again",
  async (t) => {
    const fixture = await setupMembers(t)
    const { client, acme, eva } = fixture
    const { body, passkey, vote } = await setupVote(t, fixture)
    t.match(await outcomeOf(fixture, vote, passkey), { status: AUTHENTICATORS_NEEDED })
    await client.acknowledge(acme.organizationId, fingerprintOf(vote), credentialOf(passkey))
    const authenticatorIds = evaOf(fixture).authenticators.map(({ authenticatorId }) => authenticatorId)
    await asRoot(fixture).submit("DELETE_AUTHENTICATORS", { userId: eva.userId, authenticatorIds })
    const again = new Passkey({ idFrom: passkey })
    await register(fixture, again)
    t.match(await outcomeOf(fixture, voteOn(fixture, body), eva.key), { status: AUTHENTICATORS_NEEDED })
    await refused(t, fixture, "VOTE_REPEATED", () => client.offer(vote, stampBy(again, vote)))
    t.match(await outcomeOf(fixture, voteOn(fixture, body), again), { status: COMPLETED })
  },
)

t.test("a further credential for MFA is taken also where no policy counts it alone", async (t) => {
  const fixture = await setupMembers(t)
  const { dan, eva } = fixture
  const both = [dan, eva].map(({ key }) => `credentials.any(c, c.public_key == '${key.publicKeyHex}')`)
  const { passkey, body, vote } = await setupVote(t, fixture, both.join(" && "))
  t.match(await outcomeOf(fixture, vote, eva.key), { status: AUTHENTICATORS_NEEDED })
  t.match(await outcomeOf(fixture, voteOn(fixture, body), passkey), { status: COMPLETED })
})

t.test(
  "a user with an MFA policy who votes again ends an activity that can no longer be decided",
  async (t) => {
    const fixture = await setupMembers(t)
    const { dan, walletId } = fixture
    const condition = `wallet.id == '${walletId}'`
    await allow(fixture, { condition, consensus: "approvers.count() >= 2" })
    await demand(fixture, dan.userId, [API_KEY])
    const body = request(fixture)
    t.match(await outcomeOf(fixture, body, dan.key), { status: CONSENSUS_NEEDED })
    await asRoot(fixture).submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
    const failure = { code: RefusalCode.SIGN_WITH_UNKNOWN }
    t.match(await outcomeOf(fixture, voteOn(fixture, body), dan.key), { status: FAILED, failure })
  },
)

t.test("a user who approved does not reject the same activity", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan } = fixture
  const { body } = await setupVote(t, fixture)
  const rejection = voteOn(fixture, body, "REJECT")
  await refused(t, fixture, "VOTE_REPEATED", () => client.offer(rejection, stampBy(dan.key, rejection)))
})

t.test("only a user's own credentials meet the steps of their MFA policy", async (t) => {
  const fixture = await setupMembers(t)
  const { eva } = fixture
  const { body, passkey, vote } = await setupVote(t, fixture)
  t.match(await outcomeOf(fixture, vote, passkey), { status: AUTHENTICATORS_NEEDED }, "dan used an API key")
  t.match(await outcomeOf(fixture, voteOn(fixture, body), eva.key), { status: COMPLETED })
})
