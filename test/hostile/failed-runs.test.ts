// A waiting activity that can never run any more ends as FAILED at the next vote that counts, and leaves no other trace.
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { apiKey, valueOf } from "../harness/api-client.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { allow, request, setupMembers } from "./consensus-fixture.ts"
import { API_KEY, demand, outcomeOf, SESSION, voteOn } from "./mfa-fixture.ts"
import { asRoot, type Fixture, refused } from "./setup.ts"

const { AUTHENTICATORS_NEEDED, CONSENSUS_NEEDED, COMPLETED, FAILED, REJECTED } = ActivityStatus
const DAY_MS = 24 * 60 * 60 * 1000

const failedBy = (code: RefusalCode) => ({
  status: FAILED,
  failure: { code },
  result: undefined,
  document: { length: 0 },
})

const waiting = ({ boundary, acme }: Fixture) =>
  boundary.signer.state().ledger.rows(acme.organizationId, "pending").length

/** Logins of a user who must use both methods for them; the second key is one of the methods. */
async function setupLogin(fixture: Fixture, userId: string, methods: object[]) {
  const { client, acme } = fixture
  const second = newKey()
  const apiKeys = [apiKey(second, "second")]
  await asRoot(fixture).submit("CREATE_API_KEYS_V2", { userId, apiKeys })
  await demand(fixture, userId, methods, { condition: "activity.resource == 'AUTH'" })
  const login = (parameters: object = {}) =>
    client.body("ACTIVITY_TYPE_STAMP_LOGIN", acme.organizationId, {
      publicKey: newKey().publicKeyHex,
      ...parameters,
    })
  return { second, login }
}

t.test("A5: a login that its session's profile forbids fails at the last approval", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  const profile = async (sessionProfileName: string) => {
    const scope = "activity.resource == 'AUTH'"
    const made = await asRoot(fixture).submit("CREATE_SESSION_PROFILE", { sessionProfileName, scope })
    return valueOf(made, "createSessionProfileResult").sessionProfileId
  }
  const [own, wider] = [await profile("own"), await profile("wider")]
  const confined = await client.login(acme, dan.key, { sessionProfileId: own })
  const { second, login } = await setupLogin(fixture, dan.userId, [SESSION, API_KEY])
  const [escape, honest] = [login({ sessionProfileId: wider }), login({ sessionProfileId: own })]
  for (const body of [escape, honest])
    t.match(await outcomeOf(fixture, body, confined.key), { status: AUTHENTICATORS_NEEDED })
  t.match(
    await outcomeOf(fixture, voteOn(fixture, escape), second),
    failedBy(RefusalCode.SESSION_SCOPE_DENIED),
  )
  t.match(await outcomeOf(fixture, voteOn(fixture, honest), second), { status: COMPLETED })
  t.equal(waiting(fixture), 0)
})

t.test("A5: a login whose own stamp no longer counts fails at the last approval", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, dan } = fixture
  const { second, login } = await setupLogin(fixture, dan.userId, [API_KEY, API_KEY])
  const [early, late] = [login(), login()]
  for (const body of [early, late])
    t.match(await outcomeOf(fixture, body, dan.key), { status: AUTHENTICATORS_NEEDED })
  t.match(await outcomeOf(fixture, voteOn(fixture, early), second), { status: COMPLETED })
  boundary.clock.pass(DAY_MS)
  t.match(await outcomeOf(fixture, voteOn(fixture, late), dan.key), { status: AUTHENTICATORS_NEEDED })
  t.match(await outcomeOf(fixture, voteOn(fixture, late), second), failedBy(RefusalCode.LOGIN_LAPSED))
  t.equal(waiting(fixture), 0)
})

t.test("A5: a signature of a deleted wallet fails at the next vote that counts", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, eva, fay, walletId } = fixture
  const both = [dan, eva].map(({ userId }) => `approvers.any(u, u.id == '${userId}')`).join(" && ")
  await allow(fixture, { condition: `wallet.id == '${walletId}'`, consensus: both })
  const bodies = ["11", "22", "33", "44", "55"].map((byte) => request(fixture, byte.repeat(32)))
  for (const body of bodies) t.match(await outcomeOf(fixture, body, dan.key), { status: CONSENSUS_NEEDED })
  const [before, byEva, byRoot, byDan, vetoed] = bodies as [string, string, string, string, string]
  t.match(await outcomeOf(fixture, voteOn(fixture, before), eva.key), { status: COMPLETED }, "before")

  await asRoot(fixture).submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
  for (const type of ["APPROVE", "REJECT"]) {
    const vote = voteOn(fixture, byEva, type)
    const attack = () => client.offer(vote, stampWith(fay.key, vote))
    await refused(t, fixture, "VOTE_NOT_COUNTED", attack, "a user whose vote no policy counts ends nothing")
  }
  const gone = failedBy(RefusalCode.SIGN_WITH_UNKNOWN)
  const asking = voteOn(fixture, byEva).replace("{", '{"generateAppProofs":true,')
  const failed = await outcomeOf(fixture, asking, eva.key)
  t.match(failed, gone, "a user whose vote one counts")
  const [proof] = failed.appProofs.map(({ proofPayload }) => JSON.parse(proofPayload) as object)
  t.match(proof, { policyOutcomeProof: { outcome: "OUTCOME_DENY_IMPLICIT" } }, "proven as never allowed")
  t.match(await outcomeOf(fixture, voteOn(fixture, byRoot), acme.root), gone, "a root member")
  t.match(await outcomeOf(fixture, voteOn(fixture, byDan), dan.key), gone, "a user who has approved")
  t.match(await outcomeOf(fixture, voteOn(fixture, vetoed, "REJECT"), eva.key), { status: REJECTED })
  t.equal(waiting(fixture), 0)
})
