// Statements of the fetcher that a task cannot be done: they end a waiting activity, so the API tier must not invent or move them.
import { create, type MessageInitShape } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type FetchedStatement,
  FetchedStatementSchema,
  type FetchStatementSchema,
  SignedStatementSchema,
} from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { STATEMENT_TAG } from "../../signer/core/fetch-orders/order.ts"
import { stampWith } from "../harness/stamper.ts"
import { type Quorum, quorumOfThree } from "./quorum.ts"
import { restated } from "./restated.ts"
import { allRefused, bitFlips, refused } from "./setup.ts"

const { CONSENSUS_NEEDED, COMPLETED, FAILED } = ActivityStatus
const HOUR_MS = 60 * 60 * 1000

/** Parameters of an OAuth 2.0 credential whose secret the fetcher can open, or cannot. */
async function credential({ fakeFetcher }: Quorum, isBroken: boolean, clientId = "app") {
  const sealed = await fakeFetcher.sealClientSecret("top secret")
  const encryptedClientSecret = isBroken ? `${sealed}00` : sealed
  return { provider: "OAUTH2_PROVIDER_X", clientId, encryptedClientSecret }
}

/** Parameters of an identity of the root user, of an issuer's token. */
const identity = ({ acme, fakeFetcher }: Quorum, changes: object = {}) => ({
  userId: acme.rootUserId,
  oauthProviders: [{ providerName: "idp", oidcToken: fakeFetcher.token(changes) }],
})

const CREDENTIAL = "CREATE_OAUTH2_CREDENTIAL"
const IDENTITY = "CREATE_OAUTH_PROVIDERS_V2"

/** Proposes the activity and gives all approvals but the last one. */
async function waiting(fixture: Quorum, type: string, parameters: object): Promise<string> {
  const { fingerprint } = await fixture.propose(type, parameters)
  const { status } = await fixture.approve(fixture.alice, fingerprint)
  if (status !== CONSENSUS_NEEDED) throw new Error(`the activity does not wait: ${status}`)
  return fingerprint
}

/** A last vote as the API tier holds it: the signer's orders, and its answer to statements. */
async function lastVote(fixture: Quorum, fingerprint: string) {
  const { client, acme, bob, approval, fakeFetcher } = fixture
  const body = approval(fingerprint)
  const xStamp = stampWith(bob.key, body)
  const context = { documents: [client.documents.get(acme.organizationId)!] }
  const send = (...fetched: FetchedStatement[]) => client.order(body, xStamp, { ...context, fetched })
  const ask = async () => {
    const answer = await send()
    if (answer.is !== "needed") throw new Error(`the signer asks for nothing: ${JSON.stringify(answer)}`)
    return Promise.all(answer.needed.fetchOrders.map((order) => fakeFetcher.fetch(order)))
  }
  const [fetched] = await ask()
  return { fetched: fetched!, send, ask, attack: (one: FetchedStatement) => () => send(one) }
}

const pendingIn = ({ boundary, acme }: Quorum) =>
  boundary.signer.state().ledger.rows(acme.organizationId, "pending").length

const failedBy = (code: RefusalCode) => ({
  is: "outcome",
  outcome: { status: FAILED, failure: { code }, result: undefined, document: { length: 0 } },
})

t.test("A5: an activity whose fetch fails for good fails at the last approval", async (t) => {
  const fixture = await quorumOfThree(t)
  const { fakeFetcher } = fixture
  const end = async (type: string, parameters: object) => {
    const { fetched, send } = await lastVote(fixture, await waiting(fixture, type, parameters))
    return send(fetched)
  }
  t.match(await end(CREDENTIAL, await credential(fixture, true)), failedBy(RefusalCode.CLIENT_SECRET_INVALID))
  const unlisted = identity(fixture, { iss: "https://accounts.example" })
  t.match(await end(IDENTITY, unlisted), failedBy(RefusalCode.ISSUER_NOT_ALLOWED))
  fakeFetcher.issuerStatus = 404
  const gone = failedBy(RefusalCode.ISSUER_INVALID)
  const sentence = /the OIDC issuer cannot be used: its 127\.0\.0\.1:\d+ answers with status 404/
  t.match(await end(IDENTITY, identity(fixture)), { ...gone, outcome: { failure: { sentence } } })
  t.equal(pendingIn(fixture), 0)
  fakeFetcher.issuerStatus = 200
  const completed = { is: "outcome", outcome: { status: COMPLETED, failure: undefined } }
  t.match(await end(CREDENTIAL, await credential(fixture, false)), completed, "its unaltered twin")
  t.match(await end(IDENTITY, identity(fixture)), completed)
})

t.test("A5: an activity waits on when its issuer fails for a time", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, bob, fakeFetcher, approval, approve } = fixture
  const fingerprint = await waiting(fixture, IDENTITY, identity(fixture))
  for (const status of [503, 429, 408]) {
    fakeFetcher.issuerStatus = status
    const vote = approval(fingerprint)
    const attempt = () => client.offer(vote, stampWith(bob.key, vote))
    await refused(t, fixture, "FETCH_FAILED", attempt, `status ${status}`)
  }
  t.equal(pendingIn(fixture), 1)
  fakeFetcher.issuerStatus = 200
  t.equal((await approve(bob, fingerprint)).status, COMPLETED)
})

t.test("F6: no refusal that the fetcher did not sign ends an activity", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary } = fixture
  const good = await lastVote(fixture, await waiting(fixture, CREDENTIAL, await credential(fixture, false)))
  const value = { code: RefusalCode.CLIENT_SECRET_INVALID, sentence: "no" }
  const invented = restated(good.fetched, { finding: { case: "refused", value } } as never)
  const { statement } = invented.statement!
  const signedAs = (signature: Uint8Array) => ({
    ...good.fetched,
    statement: create(SignedStatementSchema, { statement, signature }),
  })
  const byNotary = boundary.signer.state().keyring.notary.sign(STATEMENT_TAG, statement)
  for (const [what, one] of [
    ["signed by the API tier", invented],
    ["under the signature on another statement", signedAs(good.fetched.statement!.signature)],
    ["signed by the signer's own key", signedAs(byNotary)],
    ["not signed", signedAs(new Uint8Array(0))],
  ] as const)
    await refused(t, fixture, "STATEMENT_INVALID", good.attack(one), what)
  t.equal(pendingIn(fixture), 1)
  t.match(await good.send(good.fetched), { is: "outcome", outcome: { status: COMPLETED } })

  const bad = await lastVote(
    fixture,
    await waiting(fixture, CREDENTIAL, await credential(fixture, true, "other")),
  )
  const { statement: bytes, signature } = bad.fetched.statement!
  const flipped = bitFlips(bytes, [1]).map((one) =>
    create(SignedStatementSchema, { statement: one, signature }),
  )
  await allRefused(t, fixture, "STATEMENT_INVALID", flipped, (one) =>
    bad.send({ ...bad.fetched, statement: one }),
  )
  t.match(await bad.send(bad.fetched), failedBy(RefusalCode.CLIENT_SECRET_INVALID))
})

t.test("F7: a stated refusal ends only the activity whose order it answers", async (t) => {
  const fixture = await quorumOfThree(t)
  const { fakeFetcher } = fixture
  const broken = await lastVote(fixture, await waiting(fixture, CREDENTIAL, await credential(fixture, true)))
  const fingerprint = await waiting(fixture, CREDENTIAL, await credential(fixture, false))
  const good = await lastVote(fixture, fingerprint)
  const moved = create(FetchedStatementSchema, {
    order: good.fetched.order!,
    statement: broken.fetched.statement!,
  })
  await refused(t, fixture, "STATEMENT_INVALID", good.attack(broken.fetched), "of another activity")
  await refused(t, fixture, "STATEMENT_INVALID", good.attack(moved), "beside another order")
  const again = await lastVote(fixture, fingerprint)
  await refused(t, fixture, "STATEMENT_INVALID", again.attack(good.fetched), "of another vote")

  const by = (changes: MessageInitShape<typeof FetchStatementSchema>) =>
    good.attack(restated(good.fetched, changes, fakeFetcher.keySet))
  const refusing = (code: RefusalCode, sentence = "no") =>
    by({ finding: { case: "refused", value: { code, sentence } } } as never)
  for (const code of [
    RefusalCode.UNSPECIFIED,
    RefusalCode.ISSUER_INVALID,
    RefusalCode.FETCH_FAILED,
    RefusalCode.RESOURCE_UNKNOWN,
    999_999 as RefusalCode,
  ])
    await refused(t, fixture, "STATEMENT_INVALID", refusing(code), `code ${code} for a client secret`)
  const long = refusing(RefusalCode.CLIENT_SECRET_INVALID, "x".repeat(513))
  await refused(t, fixture, "STATEMENT_INVALID", long, "a sentence that is too long")
  const value = { code: RefusalCode.CLIENT_SECRET_INVALID, sentence: "no" }
  const elsewhere = by({ finding: { case: "refused", value }, organizationId: "other" } as never)
  await refused(t, fixture, "STATEMENT_INVALID", elsewhere, "of another organization")
  t.equal(pendingIn(fixture), 2)
  t.match(await good.send(good.fetched), { is: "outcome", outcome: { status: COMPLETED } })
})

t.test("F8: a stated refusal is not used once it is stale, nor beside a statement of the fact", async (t) => {
  const fixture = await quorumOfThree(t)
  const { fakeFetcher, boundary } = fixture
  const secret = await waiting(fixture, CREDENTIAL, await credential(fixture, true))
  const other = await lastVote(fixture, secret)
  boundary.clock.pass(2 * 60 * 1000)
  t.match(await other.send(other.fetched), { is: "needed" }, "its order has lapsed")

  fakeFetcher.issuerStatus = 404
  const { fetched, send, ask } = await lastVote(fixture, await waiting(fixture, IDENTITY, identity(fixture)))
  const now = BigInt(boundary.clock.wallMs())
  for (const changes of [
    { expiresAtMs: now },
    { fetchedAtMs: now - BigInt(HOUR_MS), expiresAtMs: now + 1_000_000n },
    { fetchedAtMs: now + 301_000n },
  ])
    t.match(await send(restated(fetched, changes, fakeFetcher.keySet)), { is: "needed" })
  fakeFetcher.issuerStatus = 200
  const [keys] = await ask()
  t.match(await send(fetched, keys!), { is: "outcome", outcome: { status: COMPLETED } })
  t.equal(pendingIn(fixture), 1)
})
